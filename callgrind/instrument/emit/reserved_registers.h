/* SPDX-License-Identifier: GPL-2.0-or-later

   Reserved registers: two registers of the host that VEX does not use in instrumented
   code.  One holds the address of the running context's counters, the other that of the
   clock.  So a straight run is counted by two instructions, and loads no address.

   The counters change only where another context begins to run, or where arrays move.
   All of that is done by helpers, or while the core's scheduler has control.  So the
   address is fetched when the core begins to run translated code, behind a guard that
   has called a helper (patch_points.h), by the dispatchers (dispatch.c), and where a
   superblock says so: reserved_registers_fetch().

   With simulated caches nothing is reserved: checks need registers, and what VEX has to
   put into memory instead takes more code than is saved.  Nor is it where the host or the
   core is not known well enough.  Then all is done as VEX would.  */

#ifndef CALLGRIND_RESERVED_REGISTERS_H
#define CALLGRIND_RESERVED_REGISTERS_H

#include "instrument/ir/ir_build.h"

/* To be called once, before there is translated code.  */
void reserved_registers_init(void);

/* To be called before the first superblock is instrumented, where VEX was asked for it
   otherwise than is known: nothing is reserved.  */
void reserved_registers_give_up(void);

/* To be called when VEX has translated a superblock that was instrumented.  False if VEX
   does not choose registers as is known: nothing is reserved from now on, one line says
   so under -v, and the superblock must be translated again.  */
Bool reserved_registers_are_kept(void);

/* Adds `amount` to the counter at `offset`, in bytes, of the running context, or to an
   event of the clock.  False if it is to be done in another way.  */
Bool reserved_registers_add_to_counter(IrOutput* out, UWord offset, ULong amount);
Bool reserved_registers_add_to_clock(IrOutput* out, UInt event, ULong amount);

/* What a guard is to fetch (ir_load_guarded()): the counters' address, or nothing.  */
const void* reserved_registers_fetched(void);

/* After a call that may change which context runs, in all superblocks that count.  */
void reserved_registers_fetch(IrOutput* out);

/* --ct-check=all: the process ends by SIGILL if a register does not hold what it
   should.  */
void reserved_registers_check(IrOutput* out);

/* --stats=yes */
void reserved_registers_print_stats(void);

#endif
