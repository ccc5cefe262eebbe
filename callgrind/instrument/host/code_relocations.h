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

#define CODE_RELOCATIONS_MOST 2048

/* The constants of one superblock, and where they were found.  All zero: no placeholders
   are given.  */
typedef struct {
   Bool is_active, is_overfull;
   UInt n;
   UWord values[CODE_RELOCATIONS_MOST];
   Bool is_long[CODE_RELOCATIONS_MOST]; /* by constant: does it take eight bytes? */
   Relocation found[2 * CODE_RELOCATIONS_MOST];
} CodeRelocations;

/* From now on, until code_relocations_end(), constants of the superblock are replaced by
   placeholders.  */
void code_relocations_begin(CodeRelocations* all);
void code_relocations_end(CodeRelocations* all);

/* What generated code is to contain for `value`: a placeholder, or outside of
   code_relocations_begin() and code_relocations_end() the value itself.  */
UWord code_relocations_stand_in(CodeRelocations* all, UWord value);

/* As code_relocations_stand_in(), for a distance, which may be negative, and is added to
   an address.  */
UWord code_relocations_stand_in_distance(CodeRelocations* all, Word distance);

/* Finds all placeholders in `code`, and puts the values there.  Returns how many were
   found, which are in all->found, or -1 if a constant is not in the code, or it cannot be
   told which: then the code may not be used.  */
Int code_relocations_resolve(CodeRelocations* all, UChar* code, UInt size);

/* Puts the values into a copy of the superblock's code, at `n` places.  False, and
   nothing has been changed, if they do not fit.  */
Bool code_relocations_apply(const CodeRelocations* all, UChar* code, UInt size,
                            const Relocation* places, UInt n);

#endif
