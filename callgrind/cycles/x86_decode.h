/* SPDX-License-Identifier: GPL-2.0-or-later

   The fields of an x86-64 instruction, read from its bytes: what tells its form from all
   others, its length, and where its operands are.

   Form: what the cost of an instruction depends on besides its operands' values: opcode,
   mandatory prefix, width, whether an operand is in memory, and a few more.
   llvm_models.py puts the same forms together to ask LLVM what they cost.

   It knows legacy and VEX encodings, which are all that Valgrind executes.  */

#ifndef CALLGRIND_X86_DECODE_H
#define CALLGRIND_X86_DECODE_H

#include "core_version.h"

/* No register; of the base: the instruction pointer.  */
#define X86_NO_REGISTER 0xff
#define X86_RIP 0xfe

typedef enum { X86MapOne, X86Map0F, X86Map0F38, X86Map0F3A } X86Map;
typedef enum { X86PrefixNone, X86Prefix66, X86PrefixF3, X86PrefixF2 } X86Prefix;

typedef struct {
   UInt form; /* key of the form table; 0: not known */
   UChar size;
   UChar opcode;
   UChar map;    /* X86Map */
   UChar prefix; /* X86Prefix: the mandatory one; in the first map, the width of 16 bits,
                    or the repetition of a string instruction */
   Bool is_vex;
   Bool is_wide; /* 64 bits, or VEX.W */
   Bool is_long; /* 256 bits */
   Bool has_modrm;
   Bool is_memory; /* ModRM stands for an operand in memory */
   Bool is_locked;
   UChar reg;   /* ModRM's register, or digit, with its extension */
   UChar rm;    /* the other register; of opcodes that hold a register, that one */
   UChar other; /* VEX.vvvv */
   UChar base, index;
   UChar scale;
   Long displacement;
   Long immediate;
} X86Instruction;

/* Reads the instruction at `code`, of which `available` bytes may be read.  False if it
   is not known, or not all there.  */
Bool x86_decode(const UChar* code, UInt available, X86Instruction* instruction);

#endif
