/* SPDX-License-Identifier: GPL-2.0-or-later

   See entry.h.  What the code below reads and writes is not a thread's: one is there at a
   time.  */

#include "native/entry.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* Of the linker.  */
extern const HChar __executable_start[], etext[];

/* Read and set by the code below.  */
extern ULong native_host_stack;
extern void native_prepare(VexGuestAMD64State* guest);
NativeRegisters native_registers;
ULong native_host_stack; /* at the entry, which the way out needs (exit.c) */

static NativePreparation* preparation_in_use;
static VexGuestAMD64State* running;

_Static_assert(offsetof(NativeRegisters, instruction_pointer) == 128 &&
                  offsetof(NativeRegisters, flags) == 136 &&
                  offsetof(NativeRegisters, components_low) == 144 &&
                  offsetof(NativeRegisters, components_high) == 152 &&
                  offsetof(NativeRegisters, area) == 160,
               "the code below knows where they are");

__asm__("   .text\n"
        "   .globl native_entry\n"
        "   .type native_entry, @function\n"
        "native_entry:\n"
        "   movq %rsp, native_host_stack(%rip)\n"
        "   movq %rbp, %rdi\n"
        "   andq $-16, %rsp\n"
        "   call native_prepare\n"
        "   leaq native_registers(%rip), %rbp\n"
        "   movl 144(%rbp), %eax\n"
        "   movl 152(%rbp), %edx\n"
        "   movq 160(%rbp), %rbx\n"
        "   xrstor64 (%rbx)\n"
        "   movq 0(%rbp), %rax\n"
        "   movq 8(%rbp), %rcx\n"
        "   movq 16(%rbp), %rdx\n"
        "   movq 24(%rbp), %rbx\n"
        "   movq 48(%rbp), %rsi\n"
        "   movq 56(%rbp), %rdi\n"
        "   movq 64(%rbp), %r8\n"
        "   movq 72(%rbp), %r9\n"
        "   movq 80(%rbp), %r10\n"
        "   movq 88(%rbp), %r11\n"
        "   movq 96(%rbp), %r12\n"
        "   movq 104(%rbp), %r13\n"
        "   movq 112(%rbp), %r14\n"
        "   movq 120(%rbp), %r15\n"
        "   pushq 136(%rbp)\n"
        "   popfq\n"
        "   movq 32(%rbp), %rsp\n"
        "   movq 40(%rbp), %rbp\n"
        "   jmp *native_registers+128(%rip)\n"
        "   .size native_entry, . - native_entry\n");

void native_entry_init(NativePreparation* preparation)
{
   preparation_in_use = preparation;
}

void native_prepare(VexGuestAMD64State* guest)
{
   preparation_in_use(guest);
   running = guest;
}

VexGuestAMD64State* native_running(void) { return running; }

void native_stops_running(void) { running = NULL; }

void native_goes_on(VexGuestAMD64State* guest) { running = guest; }

Addr native_own_code_start(void) { return (Addr)__executable_start; }

SizeT native_own_code_size(void) { return (SizeT)(etext - __executable_start); }

Bool native_is_own_code(Addr address)
{
   return address >= (Addr)__executable_start && address < (Addr)etext;
}

#endif
