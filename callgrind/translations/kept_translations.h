/* SPDX-License-Identifier: GPL-2.0-or-later

   Translations that are kept.  Around a START or STOP the core discards translations: all
   of them if there is one table for code that counts and code that does not, JIT code and
   what the program has discarded if there are two (translation_tables.h).  A program that
   measures many benchmarks in turn would have the same superblocks translated again for
   each, which takes far longer than to run them.

   So from the first START or STOP on, what VEX returns is kept, for each of the two
   states.  When the core asks for a superblock again, it gets the code that it got
   before, if that would be made again: the guest's bytes are the same, and so is all
   else that has been asked for while it was translated.  Instrumented code stays right
   because the records that it counts in outlive translations (model/block.h).

   translate.c has the way in.  */

#ifndef CALLGRIND_KEPT_TRANSLATIONS_H
#define CALLGRIND_KEPT_TRANSLATIONS_H

#include "core_version.h"

/* A superblock that the core wants to have translated: its arguments for VEX, and the
   state that it is translated for.  */
typedef struct {
   const VexTranslateArgs* arguments;
   Bool is_instrumented;
} Wanted;

/* From now on, translations are kept, if the options and the core allow for it.  */
void kept_translations_begin(void);

Bool kept_translations_have_begun(void);

/* Drops those that are instrumented: what they count is to be decided again.  */
void kept_translations_forget_instrumented(void);

/* Drops all.  */
void kept_translations_forget(void);

/* Gives the core the translation of `wanted` that was kept, as VEX would: code, its size,
   and extents go to where the arguments say; *result becomes what VEX returned.  False if
   there is none, or if it cannot be known to be right; then any that was kept for the
   same superblock and state is dropped.  */
Bool kept_translations_give(const Wanted* wanted, VexTranslateResult* result);

/* Keeps what VEX has just made of `wanted`.  */
void kept_translations_keep(const Wanted* wanted, const VexTranslateResult* result);

/* With --stats=yes: a line about what was kept and used.  */
void kept_translations_print_stats(void);

#endif
