/* SPDX-License-Identifier: GPL-2.0-or-later

   From one translation to the next: VEX's functions that make an exit a jump, and take
   that back, which are led here (--wrap); and where the core goes on at an address that
   is known only when the program runs.  */

#ifndef CALLGRIND_CHAINING_H
#define CALLGRIND_CHAINING_H

#include "core_version.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* Each is to do what VEX would do to the host's code at `exit`, and says how many bytes
   it has changed; 0 to leave it to VEX.  */
typedef struct {
   UInt (*chain)(void* exit, const void* target);
   UInt (*unchain)(void* exit, const void* function);
} CoreChainHooks;

void core_chaining_lead(const CoreChainHooks* hooks);

/* The host's code for the superblock at `address`, in the table that is in use; NULL if
   there is none.  */
const void* core_code_at(Addr address);

/* An assembler's name: the core's dispatcher for jumps by an address.  Code jumps there
   as generated code does, with the address in the guest's instruction pointer.  */
#define CORE_JUMP_BY_ADDRESS "vgPlain_disp_cp_xindir"

/* Is `dispatcher`, which VEX was given for such jumps, that one?  If not, one line says
   so under -v, and no other one may be put in its place.  */
Bool core_jumps_by_address(const void* dispatcher);

#endif

#endif
