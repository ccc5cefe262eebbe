/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's fast cache: an array that its dispatcher searches for the translation of
   a guest address before it asks the table of translations.  Two tables share it
   (two_tables.h): what one has there is moved out when the other is taken.

   A line is taken to be what holds the address of the guest; and an empty line is known,
   once it has been seen.  Which line an address has is known, too, and seen to be right
   whenever the core finds a translation.  So only lines that may have been filled are
   looked at, in place of 512 KB.  A core that puts an address elsewhere has all of them
   looked at each time.  */

#ifndef CALLGRIND_FAST_CACHE_H
#define CALLGRIND_FAST_CACHE_H

#include "core_version.h"

#ifdef CORE_TABLE_CAN_BE_DOUBLED

/* The core adds a translation of the code at `guest`, which may fill its line.  */
void fast_cache_adds(Addr guest);

/* The core has found one, and entered it.  */
void fast_cache_found(Addr guest);

/* Runs `empties`, which is to empty the fast cache; what was in it stays.  False if it
   does not: then nothing else here may be called.  To be called first, once.  */
Bool fast_cache_learn_empty(void (*empties)(void));

/* What one of two tables has in the fast cache while the other is in use.  */
typedef struct {
   UInt n, room;
   UShort* numbers;
   struct FastLine* lines;
} FastLines;

/* Moves what is in the fast cache to *to, which forgets what it had.  */
void fast_cache_save(FastLines* to);

/* From now on it is seen each time that nothing stays there.  */
void fast_cache_check(void);

/* Copies *from to a fast cache that is empty.  */
void fast_cache_restore(const FastLines* from);

#endif

#endif
