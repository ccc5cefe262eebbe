/* SPDX-License-Identifier: GPL-2.0-or-later

   Relocations: constants of generated code for which the next run of the program may have
   other values.  They are the addresses of records, ids of functions, and slots of
   counters.  A translation that is stored (translations/stored_translations.h) can be
   used by another run once its own values have been put in.

   While a superblock is instrumented, a placeholder stands for each of these constants.
   It is a number that occurs nowhere else.  When VEX has made the host's code, the
   placeholders are searched for in it, and the values are put in their places.  */

#ifndef CALLGRIND_CODE_RELOCATIONS_H
#define CALLGRIND_CODE_RELOCATIONS_H

#include "core_version.h"

/* A place in the host's code.  */
typedef struct {
   UShort offset;
   UShort word : 15;   /* which constant, in the order in which they were asked for */
   UShort is_long : 1; /* it takes eight bytes; otherwise four */
} Relocation;

/* From now on, until relocations_end(), constants of this superblock are replaced by
   placeholders.  */
void relocations_begin(void);
void relocations_end(void);

/* What generated code is to contain for `value`: a placeholder, or outside of
   relocations_begin() and relocations_end() the value itself.  */
UWord relocations_stand_in(UWord value);

/* The same for a distance, which may be negative, and is added to an address.  */
UWord relocations_stand_in_distance(Word distance);

/* Of the superblock that was instrumented last: the number of its constants.  */
UInt relocations_n_words(void);

/* Finds all placeholders in `code`, and puts the values there.  Returns how many were
   found, which are in *places (valid until the next call), or -1 if a constant is not in
   the code, or it cannot be told which: then the code may not be used.  */
Int relocations_resolve(UChar* code, UInt size, const Relocation** places);

/* Puts the values of the superblock that was instrumented last into a copy of its
   code.  False, and nothing has been changed, if they do not fit.  */
Bool relocations_apply(UChar* code, UInt size, const Relocation* places, UInt n);

#endif
