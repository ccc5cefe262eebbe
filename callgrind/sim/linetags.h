/* SPDX-License-Identifier: GPL-2.0-or-later

   A row of tags: the cache lines of one set as tags of 32 bits, the last used first.
   Here is how a row is searched and changed.

   The tag of a line is the part of its address above the bits for the byte in the line
   and for the set, plus one.  0 is an empty place, so a cache in zeroed memory is empty.

   Tags are compared and moved in groups, as vectors, without a branch that depends on
   where a line is found.  The host could not predict such a branch, and a misprediction
   costs more than all the comparisons.  */

#ifndef CALLGRIND_LINETAGS_H
#define CALLGRIND_LINETAGS_H

#include <stdbool.h>
#include <stdint.h>

/* Tags in a vector.  A row consists of whole groups, and is aligned to a group.  */
#define LINETAGS_GROUP 4
typedef int32_t LineTags __attribute__((vector_size(16), may_alias));
typedef uint64_t LineTagPairs __attribute__((vector_size(16), may_alias));

/* The tag of the line at this address.  `shift` is the number of address bits below the
   tag.  */
static inline int32_t linetags_of(uintptr_t line, uint32_t shift)
{
   return (int32_t)((uint32_t)(line >> shift) + 1);
}

/* The address of the line with this tag, except for the bits that select its set.  */
static inline uintptr_t linetags_line(int32_t tag, uint32_t shift)
{
   return (uintptr_t)((uint32_t)tag - 1) << shift;
}

/* The first address that is too high for a tag.  On 32-bit hosts no address is.  */
static inline uintptr_t linetags_limit(uint32_t shift)
{
   return shift + 32 < sizeof(uintptr_t) * 8 ? (uintptr_t)UINT32_MAX << shift
                                             : UINTPTR_MAX;
}

/* The places of a group in its row.  They count from 1.  */
static inline LineTags linetags_places(uint32_t group)
{
   return (LineTags){1, 2, 3, 4} + (int32_t)(group * LINETAGS_GROUP);
}

/* The place of a tag in a row of so many groups; 0 if it is not there.  */
static inline uint32_t linetags_find(const LineTags* row, uint32_t groups, int32_t tag)
{
   LineTags found = {0, 0, 0, 0};
#pragma GCC unroll 4
   for (uint32_t group = 0; group < groups; group++)
      found |= (row[group] == tag) & linetags_places(group);
   /* At most one of the four is not zero.  */
   uint64_t two = ((LineTagPairs)found)[0] | ((LineTagPairs)found)[1];
   return (uint32_t)(two | two >> 32);
}

/*--------------------------------------------------------------------*/
/* Eight at once, in files that are compiled for AVX2                  */

#ifdef __AVX2__
typedef int32_t LineTags8 __attribute__((vector_size(32), aligned(16), may_alias));
typedef float LineFloats8 __attribute__((vector_size(32)));

/* Which of eight tags is this one?  A bit for each.  */
static inline uint32_t linetags_equal_8(LineTags8 own, int32_t tag)
{
   return (uint32_t)__builtin_ia32_movmskps256((LineFloats8)(own == tag));
}

/* Each tag in the place of the next one, and the last in that of the first.  */
static inline LineTags8 linetags_turned_8(LineTags8 own)
{
   return __builtin_shuffle(own, (LineTags8){7, 0, 1, 2, 3, 4, 5, 6});
}

/* `own`, but up to `place` the tags of `turned`, with the first one of `front` in
   front.  `places` is the first one's place.  */
static inline LineTags8 linetags_moved_8(LineTags8 own, LineTags8 turned, LineTags8 front,
                                         int32_t places, int32_t place)
{
   LineTags8 before =
      __builtin_shuffle(turned, front, (LineTags8){8, 1, 2, 3, 4, 5, 6, 7});
   LineTags8 stays = (LineTags8){0, 1, 2, 3, 4, 5, 6, 7} + places > place;
   return (own & stays) | (before & ~stays);
}

/* linetags_replace() for a row of two groups.  */
static inline bool linetags_replace_8(int32_t* tags, uint32_t n, int32_t tag,
                                      int32_t first)
{
   LineTags8* row = (LineTags8*)tags;
   LineTags8 own = *row;
   uint32_t found = linetags_equal_8(own, tag);
   int32_t place = __builtin_ctz(found | 1u << (n - 1));
   *row = linetags_moved_8(own, linetags_turned_8(own), (LineTags8){first}, 0, place);
   return found != 0;
}

/* linetags_replace() for a row of four.  */
static inline bool linetags_replace_16(int32_t* tags, uint32_t n, int32_t tag,
                                       int32_t first)
{
   LineTags8* row = (LineTags8*)tags;
   LineTags8 own = row[0], behind = row[1];
   uint32_t found = linetags_equal_8(own, tag) | linetags_equal_8(behind, tag) << 8;
   int32_t place = __builtin_ctz(found | 1u << (n - 1));
   LineTags8 turned = linetags_turned_8(own);
   row[0] = linetags_moved_8(own, turned, (LineTags8){first}, 0, place);
   row[1] = linetags_moved_8(behind, linetags_turned_8(behind), turned, 8, place);
   return found != 0;
}
#endif

/*--------------------------------------------------------------------*/

/* Puts `first` in front of a row of so many groups with `n` places, and takes `tag` out.
   The tags that were before `tag` move one place back.  If `tag` was not there (false),
   all tags move, and the last one is lost.  */
static inline bool linetags_replace(int32_t* tags, uint32_t groups, uint32_t n,
                                    int32_t tag, int32_t first)
{
#ifdef __AVX2__
   if (groups == 2)
      return linetags_replace_8(tags, n, tag, first);
   if (groups == 4)
      return linetags_replace_16(tags, n, tag, first);
#endif
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
