/* SPDX-License-Identifier: GPL-2.0-or-later

   What an x86-64 instruction reads, writes and leads to.

   Registers have numbers: the general ones as encoded, then the vector registers, the
   flags, and the x87 stack as one.  */

#ifndef CALLGRIND_X86_OPERANDS_H
#define CALLGRIND_X86_OPERANDS_H

#include "cycles/x86_decode.h"

enum {
   X86Rax,
   X86Rcx,
   X86Rdx,
   X86Rbx,
   X86Rsp,
   X86Rbp,
   X86Rsi,
   X86Rdi,
   X86Vectors = 16,
   X86Flags = 32,
   X86Floats,
   X86_REGISTERS
};

typedef enum {
   X86GoesOn,  /* to the next instruction */
   X86Branch,  /* or to a target, under a condition */
   X86Jump,    /* to a target */
   X86Call,    /* to a target, and is expected back */
   X86CallAny, /* the same; the target is not known */
   X86Leaves   /* to where is not known */
} X86Flow;

typedef struct {
   ULong reads;     /* a bit for each register; without those of the address */
   ULong addresses; /* registers that make up the address in memory */
   ULong writes;
   Bool loads, stores;
   Bool moves_stack; /* writes the stack pointer by the way: push, call and their like */
   UChar flow;       /* X86Flow */
   Long target;      /* of a branch, jump or call: behind the instruction */
} X86Operands;

void x86_operands(const X86Instruction* instruction, X86Operands* operands);

#endif
