/* SPDX-License-Identifier: GPL-2.0-or-later

   --collect-alloc, --alloc-fn: which functions allocate memory and free it, and in which
   of their arguments they are told what.  A table has those of common libraries; the user
   may add others, and choose presets of more.  Owns the table and what was added.  */

#ifndef CALLGRIND_ALLOCATORS_H
#define CALLGRIND_ALLOCATORS_H

#include "core_version.h"

/* How arguments are passed.  */
typedef enum {
   ArgumentsOfC, /* the platform's convention */
   ArgumentsOfGo /* Go's internal one: its own order of registers */
} ArgumentsKind;

/* No argument has a higher number.  */
#define ALLOCATOR_MAX_ARGUMENT 6

/* Arguments are numbered from 1 on; 0: there is none.  With neither `size` nor `old` set
   it is no allocator.  Only `size`: allocates.  Only `old`: frees.  Both: changes the
   size of a block.  */
typedef struct {
   const HChar* name; /* a pattern (base/pattern.h); as symbols say it, or demangled */
   UChar size;        /* the number of bytes */
   UChar count;       /* what that is multiplied by */
   UChar old;         /* the address of a block that is freed, or whose size changes */
   UChar out;         /* the address of the word that the new block's address is put into;
                         the result is then 0, or an error */
   UChar arguments;   /* ArgumentsKind */
   Bool fails_with_all_ones; /* not with 0: as mmap() does */
} Allocator;

/* Takes the value of --alloc-fn: the name of a preset, or NAME:KEY=N,KEY=N...  `argument`
   is the option as it was given.  Ends the process if it is neither.  */
void allocators_add(const HChar* argument, const HChar* value);

/* The number of the allocator with this name; 0: the function is none.  Each has the same
   number in each run with the same options.  */
UInt allocators_find(const HChar* name);

/* The one with this number, which is not 0.  Never freed.  */
const Allocator* allocators_at(UInt number);

static inline Bool allocator_only_frees(const Allocator* allocator)
{
   return allocator->size == 0;
}

#endif
