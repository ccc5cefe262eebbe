/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's table of the translations that it may run, and a second one: the same code
   of the core's once more (coregrind/second_transtab.sh), by other names.  The core's
   calls of seven functions are led here (--wrap), and to the table that is in use.

   Where this is not possible (configure.ac), there is one table.  */

#ifndef CALLGRIND_TWO_TABLES_H
#define CALLGRIND_TWO_TABLES_H

#include "core_version.h"

/* `hear` is called before the core discards translations.  Where tables cannot be two, it
   never is.  */
void core_tables_lead(void (*hear)(Addr start, ULong range));

/* Discards in the table that is in use; nobody hears of it.  In a client request, or
   where no translated code runs.  */
void core_tables_discard(Addr start, ULong range);

/* False once it is known that there cannot be two tables.  */
Bool core_tables_may_be_two(void);

/* Has code run that the core has put into its table, or found there, without a call that
   is led here?  */
Bool core_tables_pass_by(void);

/* Has the second table set up if it is not.  False if that cannot be: then one line says
   why, under -v, and there is the core's.  To be called when code has been run.  */
Bool core_tables_double(void);

/* Takes the other table.  To be called after core_tables_double() said True, and not
   while translated code runs, unless the table that is left is empty.  The fast cache
   holds what it held when that table was left, or nothing.  */
void core_tables_switch(Bool keeps_fast_cache);

/* From now on each switch checks that the fast cache is left empty.  */
void core_tables_check(void);

/* `answer` is asked first when the core is about to run the guest's code at an address
   that its fast cache does not know: True if *code is to be run in place of a
   translation.  That is not entered in the fast cache.  NULL: nobody is asked any more.
   Where tables cannot be two, nobody ever is.  */
void core_tables_answer(Bool (*answer)(Addr guest, const void** code));

#ifdef HAVE_VG_DISCARD_TRANSLATIONS
/* As the core does it where a system call has ended; those who listen hear of it.  The
   core's headers have one that is right nowhere but in a client request.  */
void core_discard_at_once(Addr start, ULong range);
#else
static inline void core_discard_at_once(Addr start, ULong range)
{
   (void)start, (void)range;
}
#endif

#endif
