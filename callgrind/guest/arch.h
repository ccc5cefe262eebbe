/* SPDX-License-Identifier: GPL-2.0-or-later

   All that the tool asks of the guest's architecture: where registers lie in the guest
   state, how a call hands over the return address, and what machine code means around
   calls.  This header, arch_amd64.c and arch_arm64.c answer.  CONTRIBUTING.md ("A new
   architecture") lists who else asks which architecture it is, and what for.

   A function's *slot* tells its activation from all others: the address at which a call
   that pushes its return address would have put it.  On amd64 the return address lies
   there, and it is the stack pointer at entry.  On arm64 it is one word below that, and
   holds whatever the function puts there; two activations may have the same slot, if one
   calls the other without having taken room on the stack.  Either way a return leaves
   the stack pointer one word above the slot, and an inner activation's slot is nowhere
   above an outer one's.  */

#ifndef CALLGRIND_ARCH_H
#define CALLGRIND_ARCH_H

#include "core_version.h"

/* Each architecture says here:

   ARCH_SP_OFFSET, ARCH_IP_OFFSET, ARCH_FP_OFFSET
      where VEX keeps stack, instruction and frame pointer in the guest state
   ARCH_RESULT_OFFSET
      and the register in which a system call leaves its result
   ARCH_REQUEST_OFFSET
      and the one that holds the address of a client request
   ARCH_REQUEST_MARK_OFFSET
      where ARCH_REQUEST_MARK says that a superblock has ended with a client request: a
      field that a superblock sets, to the size of a piece of code, before it ends because
      that is not what it was, and that the core reads then alone
   ARCH_DISCARD_OFFSET, ARCH_DISCARD_SIZE_OFFSET
      where a superblock that ends by Ijk_InvalICache says of which code translations are
      to be discarded
   ARCH_LONGEST_INSTRUCTION, ARCH_NO_OPERATION
      the size in bytes, and the bytes
   ARCH_CALL_PUSHES
      1: a call pushes its return address; 0: it leaves it in a register
   ARCH_COUNTS_IN_PAIRS
      1: two counts are added to as a pair; 0: one instruction adds a constant to one
      count in memory, and a pair takes longer
   ARCH_STATE_IS_PASSED
      1: VEX can pass the guest state's address to a helper; 0: it cannot
   ARCH_TAKES_STATE, ARCH_PASS_STATE(NAME, ARGUMENT), ARCH_STATE_HELPER(NAME)
      of a helper NAME that takes it: its attribute; behind it, what puts the address into
      argument number ARGUMENT, from 0 on, where VEX cannot; and what generated code calls
   ARCH_CODE_ALIGNMENT
      instructions begin at multiples of it; stock's branch predictor does not look at the
      bits of their addresses that are always 0
   ARCH_RED_ZONE
      below the stack pointer a function may still keep so many bytes of data
   arch_slot(sp)
      the slot of a function that has just been called, when the stack pointer is `sp`
   arch_is_jump(instruction, size)
      true if the instruction at this address, which VEX takes for a call, is a jump  */

#define ARCH_REQUEST_MARK 0x5265717565737421UL /* larger than any code */

#if defined(VGA_amd64)

#define ARCH_SP_OFFSET offsetof(VexGuestAMD64State, guest_RSP)
#define ARCH_IP_OFFSET offsetof(VexGuestAMD64State, guest_RIP)
#define ARCH_FP_OFFSET offsetof(VexGuestAMD64State, guest_RBP)
#define ARCH_RESULT_OFFSET offsetof(VexGuestAMD64State, guest_RAX)
#define ARCH_REQUEST_OFFSET offsetof(VexGuestAMD64State, guest_RAX)
#define ARCH_REQUEST_MARK_OFFSET offsetof(VexGuestAMD64State, guest_CMLEN)
#define ARCH_DISCARD_OFFSET offsetof(VexGuestAMD64State, guest_CMSTART)
#define ARCH_DISCARD_SIZE_OFFSET offsetof(VexGuestAMD64State, guest_CMLEN)
#define ARCH_LONGEST_INSTRUCTION 15
#define ARCH_NO_OPERATION 0x90
#define ARCH_CALL_PUSHES 1
#define ARCH_COUNTS_IN_PAIRS 0
#define ARCH_STATE_IS_PASSED 1
#define ARCH_TAKES_STATE
#define ARCH_PASS_STATE(NAME, ARGUMENT)
#define ARCH_STATE_HELPER(NAME) NAME
#define ARCH_CODE_ALIGNMENT 1
#define ARCH_RED_ZONE 128

static inline Addr arch_slot(Addr sp) { return sp; }

static inline Bool arch_is_jump(Addr instruction, UInt size)
{
   (void)instruction;
   (void)size;
   return False;
}

#elif defined(VGA_arm64)

#define ARCH_SP_OFFSET offsetof(VexGuestARM64State, guest_XSP)
#define ARCH_IP_OFFSET offsetof(VexGuestARM64State, guest_PC)
#define ARCH_FP_OFFSET offsetof(VexGuestARM64State, guest_X29)
#define ARCH_RESULT_OFFSET offsetof(VexGuestARM64State, guest_X0)
#define ARCH_REQUEST_OFFSET offsetof(VexGuestARM64State, guest_X4)
#define ARCH_REQUEST_MARK_OFFSET offsetof(VexGuestARM64State, guest_CMLEN)
#define ARCH_DISCARD_OFFSET offsetof(VexGuestARM64State, guest_CMSTART)
#define ARCH_DISCARD_SIZE_OFFSET offsetof(VexGuestARM64State, guest_CMLEN)
#define ARCH_LONGEST_INSTRUCTION 4
#define ARCH_NO_OPERATION 0x1f, 0x20, 0x03, 0xd5
#define ARCH_CALL_PUSHES 0
#define ARCH_COUNTS_IN_PAIRS 1
#define ARCH_STATE_IS_PASSED 0
#define ARCH_CODE_ALIGNMENT 4
#define ARCH_RED_ZONE 0

/* VEX's back end asserts that no helper takes the guest state's address.  But while
   generated code runs, x21 holds it, and calls of helpers leave that alone.  (callstack.c
   verifies once that it is there.)  */
#define ARCH_TAKES_STATE __attribute__((used, noinline))
#define ARCH_STATE_HELPER(NAME) NAME##_with_state
#define ARCH_PASS_STATE(NAME, ARGUMENT)                                                  \
   extern __typeof__(NAME) NAME##_with_state;                                            \
   __asm__("   .text\n"                                                                  \
           "   .balign 4\n"                                                              \
           "   .type " #NAME "_with_state, %function\n" #NAME "_with_state:\n"           \
           "   mov x" #ARGUMENT ", x21\n"                                                \
           "   b " #NAME "\n"                                                            \
           "   .size " #NAME "_with_state, . - " #NAME "_with_state\n");

static inline Addr arch_slot(Addr sp) { return sp - sizeof(Addr); }

/* B, which VEX decodes together with BL.  */
static inline Bool arch_is_jump(Addr instruction, UInt size)
{
   return size == 4 && (*(const UInt*)instruction & 0xfc000000) == 0x14000000;
}

#else
#error "callgrind-exact knows amd64 and arm64 only"
#endif

/* The address of the call instruction that ends right before `return_address`; 0 if
   there is none, or if the bytes cannot be read.  */
Addr arch_call_before(Addr return_address);

/* The target of the direct call at `call`; 0 if the call is indirect.  */
Addr arch_call_target(Addr call);

/* Where the guest state has argument number `argument`, from 1 to 6, of a function that
   has just been called and is passed words; by the platform's convention, or by the one
   that Go's own functions have among each other.  */
UInt arch_argument_offset(UInt argument);
UInt arch_go_argument_offset(UInt argument);

/* The address of the system call instruction that ends right before `address`; 0 if
   there is none.  */
Addr arch_system_call_before(Addr address);

/* True if the code at `address` returns from a signal handler: the kernel's, libc's or
   the core's sigreturn stub.  What lies below it on the stack was not called.  */
Bool arch_is_sigreturn(Addr address);

/* True if a compiler's thunk against speculation begins at `address`.  Where it has a
   symbol, its name tells.  */
Bool arch_is_thunk(Addr address);

/* True if `name` is that of code on the way to a callee: a thunk against speculation, or
   a linker's jump to what is too far away.  */
Bool arch_is_thunk_name(const HChar* name);

/* Sets *address to where the running thread returns to from a function that has just been
   called, with this slot; False if that cannot be read.  To be called at the start of a
   superblock.  */
Bool arch_return_address(Addr slot, Addr* address);

#endif
