/* SPDX-License-Identifier: GPL-2.0-or-later

   Small pieces of the host's code, each of which executes one instruction of the guest's
   with the guest's registers.

   A piece is a function that generated code calls:

      flags = piece(state of the guest, address of the operand in memory)

   It loads what the instruction reads, executes it, and stores what it has written.
   Vectors and masks have their own numbers there, general registers others, and an
   operand in memory is at the address that it was given.  If the instruction faults
   nothing has been stored: the fault is the guest's, as one of generated code.

   Pieces are made once and stay: translations have their addresses.  */

#ifndef CALLGRIND_PIECES_H
#define CALLGRIND_PIECES_H

#include "host_instructions/host_instruction.h"

typedef ULong Piece(UChar* guest, Addr operand);

/* The piece for an instruction.  NULL: there is no memory that may be executed.  With
   `clears_upper` it clears what lies above 32 bytes of a vector that a shorter
   instruction writes.  */
Piece* pieces_for(const HostInstruction* instruction, Bool clears_upper);

/* Where a general register is in the guest's state.  */
Int pieces_general_offset(UInt number);

#endif
