/* SPDX-License-Identifier: GPL-2.0-or-later

   Two tables of translations: code that counts and code that does not.

   The core has one table of the translations that it may run, with the jumps between them
   chained.  START and STOP would have to empty it: every translation would be made, or at
   least entered and chained, anew.  So the tool has a second one, which is the same code
   of the core's once more (coregrind/second_transtab.sh), and START and STOP take the
   other one.  What the core discards while one is in use is discarded in the other when
   that is taken.  Code that the program makes (JIT code) is discarded whenever its table
   is left: what it is called is asked anew.

   Where this is not possible (configure.ac), or is not wanted, there is one table.  */

#ifndef CALLGRIND_TRANSLATION_TABLES_H
#define CALLGRIND_TRANSLATION_TABLES_H

#include "core_version.h"

/* To be called once, before there are translations.  */
void translation_tables_init(void);

/* Are there two?  */
Bool translation_tables_are_two(void);

/* Discards what is not to stay in the table that is in use: all of it if code may run, or
   if there is no other one.  To be called while the state is still the one that this
   table is for: superblocks_discarded() hears of each.  */
void translation_tables_leave(Bool code_may_run);

/* Takes the other table if there is one.  To be called after the one in use was left.  */
void translation_tables_take_other(void);

/* Discards all translations in the table that is in use, or all in the other one.  */
void translation_tables_empty(void);
void translation_tables_empty_other(void);

/* The superblock of JIT code at `address` is in the table in use.  */
void translation_tables_note_jit_code(Addr address);

#endif
