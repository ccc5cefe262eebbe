/* SPDX-License-Identifier: GPL-2.0-or-later

   An instruction of the guest, as far as its cost depends on it, in terms that all
   architectures share: what it reads, writes and leads to, where its operand in memory
   is, and of which kind it is.  Each architecture has a reader: x86_instruction.c,
   a64_instruction.c.

   Registers have numbers.  The general ones come first.  */

#ifndef CALLGRIND_INSTRUCTION_H
#define CALLGRIND_INSTRUCTION_H

#include "core_version.h"

/* A bit for each register: more than 64.  */
__extension__ typedef unsigned __int128 RegisterSet;

#define REGISTERS 66         /* at most */
#define REGISTERS_GENERAL 32 /* at most */
#define REGISTER_NONE 0xff   /* of an address */
#define REGISTER_NEXT 0xfe   /* its base is the address behind the instruction */

static inline RegisterSet register_bit(UInt number) { return (RegisterSet)1 << number; }

/* The lowest of a set that is not empty.  */
static inline UInt register_lowest(RegisterSet set)
{
   ULong low = (ULong)set;
   return low != 0 ? (UInt)__builtin_ctzll(low)
                   : 64 + (UInt)__builtin_ctzll((ULong)(set >> 64));
}

typedef enum {
   FlowGoesOn,  /* to the next instruction */
   FlowBranch,  /* or to a target, under a condition */
   FlowJump,    /* to a target */
   FlowCall,    /* to a target, and is expected back */
   FlowCallAny, /* the same; the target is not known */
   FlowReturn,  /* to whom has called */
   FlowLeaves   /* to where is not known */
} Flow;

/* What is said of it besides the tables.  */
typedef enum {
   KindOther,
   KindNothing,    /* has no effect */
   KindAtomic,     /* reads and writes memory at once */
   KindRepetition, /* moves `amount` bytes, again and again */
   KindDivision,   /* of integers of `amount` bits */
   KindGather,     /* loads `amount` elements, each from an address of its own */
   KindAddress,    /* computes an address of a base, an index and a distance */
   KindRotation,   /* rotates a register by a constant */
   KindCrossing,   /* from a general register to a vector register or back, converted */
   KindMove,       /* copies a whole register */
   KindLoad,       /* loads a general register, and does nothing else */
   KindSimple,   /* adds, subtracts, or is logical, of general registers; or to memory */
   KindAddition, /* adds or subtracts floats */
   KindProduct   /* multiplies floats */
} Kind;

typedef struct {
   UInt form;           /* key of the form table; 0: not known */
   UInt form_alone;     /* of one iteration, if it is repeated */
   UInt form_registers; /* without its load; 0: it does nothing else */
   UChar size;
   UChar kind; /* Kind */
   UChar amount;
   UChar flow;            /* Flow */
   Bool is_flag_branch;   /* a branch by the flags */
   Bool fuses;            /* with such a branch, to one operation */
   Long target;           /* of a branch, jump or call: behind the instruction */
   RegisterSet reads;     /* without those of the address */
   RegisterSet addresses; /* registers that make up the address in memory */
   RegisterSet writes;
   Bool loads, stores;
   UChar bytes;  /* of the operand in memory; 0: vectors, or it is not known */
   Bool is_step; /* adds a small constant to a register of 64 bits */
   UChar base, index, scale; /* of the operand in memory; of KindAddress */
   Long displacement;
   /* If its value can be followed: a register that is another plus a distance.  If it
      moves by the way, as the stack pointer does with push, it waits for nothing
      else.  */
   UChar copy_to, copy_from;
   Bool copy_is_stepped;
   Long copy_distance;
} Instruction;

/* Reads the instruction at `code`, of which `available` bytes may be read, and which is
   at this address in the guest.  False if it is not known, or not all there.  */
Bool instruction_read(const UChar* code, UInt available, Instruction* instruction);

/* The registers that a function need not keep.  */
RegisterSet instruction_scratch(void);

#endif
