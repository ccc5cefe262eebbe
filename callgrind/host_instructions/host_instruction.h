/* SPDX-License-Identifier: GPL-2.0-or-later

   An instruction of the host's, read from its bytes: what it does (form_table.h), where
   its operands are, and how long it is.  Intel's manual, volume 2, chapters 2.1 to 2.7,
   has the encodings.  */

#ifndef CALLGRIND_HOST_INSTRUCTION_H
#define CALLGRIND_HOST_INSTRUCTION_H

#include "host_instructions/form_table.h"

#define HOST_LONGEST_INSTRUCTION 15

/* No register; of the base: the instruction pointer.  */
#define HOST_NO_REGISTER 0xff
#define HOST_INSTRUCTION_POINTER 0xfe

typedef enum { SegmentNone, SegmentFs, SegmentGs } HostSegment;

/* Registers are numbers, with all bits that the encoding has for them.  */
typedef struct {
   const InstructionForm* form;
   UChar size; /* of the instruction */
   UChar encoding, map, prefix, opcode;
   UChar wide;        /* VEX.W, EVEX.W or REX.W */
   UChar length;      /* of vectors: 0 to 3, for 16, 32, 64 bytes */
   Bool is_broadcast; /* EVEX.b: also rounding */
   Bool zeroes;       /* EVEX.z */
   UChar mask;        /* EVEX.aaa; 0: none */
   UChar reg, other, rm;
   Bool is_memory;
   UChar modrm;
   UChar immediate; /* if the form has one */
   /* The operand in memory.  */
   UChar base, index; /* of gathers and scatters, a vector */
   UChar scale;       /* as a shift */
   UChar segment;     /* HostSegment */
   Bool is_32_bits;   /* the address is */
   Long displacement;
   UInt memory_size; /* in bytes; of a gather or scatter, of one element */
} HostInstruction;

/* Reads the instruction at `code`, of which `available` bytes may be read.  False if
   there is none in the table that is all there.  */
Bool host_instruction_read(const UChar* code, UInt available,
                           HostInstruction* instruction);

/* Is it one that the core certainly cannot decode: with EVEX, or on masks?  */
Bool host_instruction_is_beyond_core(const HostInstruction* instruction);

/* Does it read or write more of vectors than the core's 32 bytes?  */
Bool host_instruction_is_wide(const HostInstruction* instruction);

#endif
