/* SPDX-License-Identifier: GPL-2.0-or-later

   See call_exit.h.  One thread is here at a time.  */

#include "native/call_exit.h"

#include "native/entry.h"

#include "pub_tool_libcassert.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* Read and called by the code below; the host's stack is that of the entry.  */
extern const UChar* native_call_area;
extern UInt native_call_components[2];
extern void native_call_left(void) __attribute__((noreturn));
const UChar* native_call_area;
UInt native_call_components[2];

static NativeCallLeft* left_in_use;

_Static_assert(offsetof(NativeRegisters, instruction_pointer) == 128 &&
                  offsetof(NativeRegisters, flags) == 136,
               "the code below knows where they are");

/* The kernel leaves the flags in %r11.  */
__asm__("   .text\n"
        "   .globl native_call_exit\n"
        "   .type native_call_exit, @function\n"
        "native_call_exit:\n"
        "   movq %rax, native_registers(%rip)\n"
        "   movq %rcx, native_registers+8(%rip)\n"
        "   movq %rdx, native_registers+16(%rip)\n"
        "   movq %rbx, native_registers+24(%rip)\n"
        "   movq %rsp, native_registers+32(%rip)\n"
        "   movq %rbp, native_registers+40(%rip)\n"
        "   movq %rsi, native_registers+48(%rip)\n"
        "   movq %rdi, native_registers+56(%rip)\n"
        "   movq %r8, native_registers+64(%rip)\n"
        "   movq %r9, native_registers+72(%rip)\n"
        "   movq %r10, native_registers+80(%rip)\n"
        "   movq %r12, native_registers+96(%rip)\n"
        "   movq %r13, native_registers+104(%rip)\n"
        "   movq %r14, native_registers+112(%rip)\n"
        "   movq %r15, native_registers+120(%rip)\n"
        "   movq %rcx, native_registers+128(%rip)\n"
        "   movq native_host_stack(%rip), %rsp\n"
        "   pushfq\n"
        "   popq %r11\n"
        "   movq %r11, native_registers+88(%rip)\n"
        "   movq %r11, native_registers+136(%rip)\n"
        "   cld\n"
        "   andq $-16, %rsp\n"
        "   movl native_call_components(%rip), %eax\n"
        "   movl native_call_components+4(%rip), %edx\n"
        "   movq native_call_area(%rip), %rbx\n"
        "   xsave64 (%rbx)\n"
        "   call native_call_left\n"
        "   .size native_call_exit, . - native_call_exit\n");

void native_call_left(void)
{
   left_in_use(native_call_area);
   tl_assert(False);
}

void native_call_exit_init(NativeCallLeft* left)
{
   const ULong components = native_state_components();
   left_in_use = left;
   native_call_area = native_state_new_area();
   native_call_components[0] = (UInt)components;
   native_call_components[1] = (UInt)(components >> 32);
}

#endif
