/* SPDX-License-Identifier: GPL-2.0-or-later

   Which registers of the host VEX chooses among, and the core's entry into translated
   code: both are led here (--wrap), so that registers can be kept from VEX and be set
   when code begins to run.

   Where this is possible, CORE_CAN_RESERVE_REGISTERS is defined.  */

#ifndef CALLGRIND_HOST_REGISTERS_H
#define CALLGRIND_HOST_REGISTERS_H

#include "core_version.h"

#if defined(CORE_REGISTERS_CAN_BE_RESERVED) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#define CORE_CAN_RESERVE_REGISTERS 1

/* Is VEX's list the one that is known, which begins with %r12, %r13, %r14, %r15?  */
Bool core_registers_are_known(void);

/* From now on, VEX leaves out as many of the list's first registers as `n_left_out` says,
   which is asked for each superblock; and the core enters translated code by `entry`:
   code that may change those registers alone, and ends with CORE_REGISTERS_GO_ON.  */
void core_registers_reserve(UInt (*n_left_out)(void), const void* entry);

/* Has VEX asked for its list since?  It does for each superblock; if it has not when one
   has been translated, it chooses otherwise than is known.  */
Bool core_registers_are_left_out(void);

/* Has the core entered translated code since, by `entry`?  Until then code must not rely
   on it: the first superblock is made before.  */
Bool core_registers_entry_is_taken(void);

/* Takes core_registers_reserve() back.  */
void core_registers_release(void);

/* Of an assembler.  */
#define CORE_REGISTERS_GO_ON "   jmp *core_registers_code(%rip)\n"

/* Was core_registers_reserve() taken back?  */
Bool core_registers_pass_by(void);

#else

static inline Bool core_registers_pass_by(void) { return True; }

#endif

#endif
