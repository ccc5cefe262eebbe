/* SPDX-License-Identifier: GPL-2.0-or-later

   A64: the class of an instruction, and its form, which is what its cost depends on: the
   word with its operands left out.  a64_forms.py fills in operands to ask LLVM what a
   form costs.  */

#ifndef CALLGRIND_A64_DECODE_H
#define CALLGRIND_A64_DECODE_H

#include "core_version.h"

/* What a class of instructions (a64_classes.h) reads and writes.  D, N, M and A are the
   fields of registers at bits 0, 5, 16 and 10.  */
enum {
   WD = 1 << 0, /* writes general register D */
   RD = 1 << 1, /* reads it */
   RN = 1 << 2,
   RM = 1 << 3,
   RA = 1 << 4,
   SP_D = 1 << 5, /* number 31 is the stack pointer, if no flags are set */
   SP_N = 1 << 6, /* the same of N, always */
   WVD = 1 << 7,  /* writes vector register D */
   VD = 1 << 8,   /* reads it */
   VN = 1 << 9,
   VM = 1 << 10,
   VA = 1 << 11,
   READS_FLAGS = 1 << 12,
   WRITES_FLAGS = 1 << 13,
   SETS_FLAGS = 1 << 14,  /* if bit 29 is set */
   TESTS_FLAGS = 1 << 15, /* if bits 29 and 30 are */
   MEMORY = 1 << 16,      /* loads or stores; N is the base */
   STEPS = 1 << 17        /* and steps it */
};

/* One of a kind: bits 24 to 31.  */
#define A64_SPECIAL(USES) ((USES) >> 24)
enum {
   PC_RELATIVE = 1 << 24,
   ADDS = 2 << 24,        /* an immediate to a register */
   KEEPS_D = 3 << 24,     /* movk */
   KEEPS_FIELD = 4 << 24, /* bfm */
   BRANCH_19 = 5 << 24,
   BRANCH_14 = 6 << 24,
   JUMP_26 = 7 << 24,
   CALLS = 8 << 24,
   RETURNS = 9 << 24,
   LEAVES = 10 << 24,
   EXCEPTION = 11 << 24,
   HINT = 12 << 24,
   SYSTEM = 13 << 24,
   DIVIDES = 14 << 24,
   CONVERTS = 15 << 24,
   TABLE = 16 << 24,
   ELEMENT = 17 << 24,
   CRYPTO = 18 << 24,
   STRUCTURES = 20 << 24,
   ELEMENTS = 21 << 24,
   EXCLUSIVE = 22 << 24,
   LITERAL = 23 << 24,
   PAIR = 24 << 24,
   BY_IMMEDIATE_9 = 25 << 24,
   BY_IMMEDIATE_12 = 26 << 24,
   BY_REGISTER = 27 << 24,
   ATOMIC = 28 << 24,
   ADDS_TO_SAME = 32 << 24,
   ADDS_TO_LONG = 33 << 24,
   ADDS_TO_HALF = 34 << 24,
   ADDS_TO_MISC = 35 << 24,
   ADDS_TO_SHIFT = 36 << 24,
   ADDS_TO_INDEXED = 37 << 24,
   ADDS_TO_IMMEDIATE = 38 << 24
};

/* Operands that tell costs apart.  */
typedef enum {
   A64Plain,       /* none */
   A64Wide,        /* whether the immediate is 0 */
   A64Shifted,     /* whether a register is shifted, and by more than 4 */
   A64ShiftedMove, /* the same, and whether N is zero: then it is a move */
   A64Element,     /* which size an element has; its number does not */
   A64ShiftAmount  /* the same of what is shifted */
} A64Normal;

typedef struct {
   UInt form; /* key of the form table; 0: not known */
   UInt uses;
} A64Class;

A64Class a64_class(UInt word);

static inline UInt a64_bits(UInt word, UInt low, UInt n)
{
   return word >> low & ((1u << n) - 1);
}

#endif
