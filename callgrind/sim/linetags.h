/* SPDX-License-Identifier: GPL-2.0-or-later

   Lines of a cache's set, known by tags of 32 bits and kept in the order of their last use:
   how such a row is searched and changed.

   A line's tag is what its address has above line and set, plus one: 0 is an empty place,
   and a cache in zeroed memory is empty.

   Tags are compared and moved in groups, as vectors, and without a branch that depends on
   where a line is found.  The host could not foresee that, and to guess wrong costs more
   than all the comparisons.  */

#ifndef CALLGRIND_LINETAGS_H
#define CALLGRIND_LINETAGS_H

#include <stdbool.h>
#include <stdint.h>

/* How many tags are looked at at once.  A row takes whole groups, and is aligned to one.  */
#define LINETAGS_GROUP 4
typedef int32_t LineTags __attribute__((vector_size(16), may_alias));
typedef uint64_t LineTagPairs __attribute__((vector_size(16), may_alias));

/* The tag of a line; `shift` is how many bits of an address say where in its line and in
   which set it is.  */
static inline int32_t linetags_of(uintptr_t line, uint32_t shift)
{
   return (int32_t)((uint32_t)(line >> shift) + 1);
}

/* Its address, but for the bits that say which set it is in.  */
static inline uintptr_t linetags_line(int32_t tag, uint32_t shift)
{
   return (uintptr_t)((uint32_t)tag - 1) << shift;
}

/* The first address that is too high for a tag.  Where addresses are short, none is.  */
static inline uintptr_t linetags_limit(uint32_t shift)
{
   return shift + 32 < sizeof(uintptr_t) * 8 ? (uintptr_t)UINT32_MAX << shift
                                             : UINTPTR_MAX;
}

/* The places of a group in its row, counted from 1 on.  */
static inline LineTags linetags_places(uint32_t group)
{
   return (LineTags){1, 2, 3, 4} + (int32_t)(group * LINETAGS_GROUP);
}

/* Where in so many groups a tag is; 0: nowhere.  */
static inline uint32_t linetags_find(const LineTags* row, uint32_t groups, int32_t tag)
{
   LineTags found = {0, 0, 0, 0};
#pragma GCC unroll 4
   for (uint32_t group = 0; group < groups; group++)
      found |= (row[group] == tag) & linetags_places(group);
   /* One of the four at most is not zero.  */
   uint64_t two = ((LineTagPairs)found)[0] | ((LineTagPairs)found)[1];
   return (uint32_t)(two | two >> 32);
}

/* In a row of so many groups, with `n` places, puts `first` in front.  What was before `tag`
   moves one place back, over it; if it is not there, all do, and the last one falls out.
   True if it was.  */
static inline bool linetags_replace(int32_t* tags, uint32_t groups, uint32_t n,
                                    int32_t tag, int32_t first)
{
   LineTags* row = (LineTags*)tags;
   uint32_t place = linetags_find(row, groups, tag);
   bool is_there = place != 0;
   int32_t moved = (int32_t)(is_there ? place : n);
#pragma GCC unroll 4
   for (uint32_t group = groups; group-- > 0;) {
      LineTags own = row[group];
      LineTags before = {group > 0 ? row[group - 1][LINETAGS_GROUP - 1] : first, own[0],
                         own[1], own[2]};
      LineTags moves = linetags_places(group) <= moved;
      row[group] = (before & moves) | (own & ~moves);
   }
   return is_there;
}

#endif
