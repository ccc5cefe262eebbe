/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level cache for instructions, of the same behaviour as cachesim.h.
   What is special about code is that its addresses are known before it runs.  So each
   line has a record of its own, made beforehand, and an access needs no search: the line
   says itself whether it is in the cache.  Whoever uses it notes when, and that is all
   there is to do unless it is absent.  Only when a line is brought in are those of its set
   compared, for the one that was not used for longest.

   When is told by a countdown, which instrumented code has at hand.  It is the user's, as
   long as it is never higher at a later use, nor the same unless that is of a higher
   address; codecache_settle() lets it begin anew.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_CODECACHE_H
#define CALLGRIND_CODECACHE_H

#include "sim/geometry.h"

#include <stddef.h>

/* Is a line in the cache?  A number that instrumented code looks at.  */
typedef uintptr_t CodeLineState;
#define CODE_LINE_THERE ((CodeLineState)0)
#define CODE_LINE_ABSENT (~(CodeLineState)0) /* larger than any line */

/* No countdown.  */
#define CODE_LINE_SETTLED UINT32_MAX

typedef struct CodeLine CodeLine;

/* A line of code.  It begins as codecache_line(), and exists once for each address, as
   long as the cache does.  */
struct CodeLine {
   CodeLineState state;
   uint64_t since;      /* if the countdown is settled: when the line was used last */
   CodeLine* following; /* the user's: the line behind it, if that is asked for too */
   uint32_t countdown;  /* to be set by each use; of two at the same, that of the higher
                           address was later */
   uint32_t number;     /* its address, in lines; the lowest bits of it */
};

/* One cache.  Its fields are private, but for the shape of a line.  */
typedef struct {
   CodeLine** places; /* by set, as many as there are ways; NULL: empty */
   uint64_t turns;    /* how often the countdown has begun anew */
   uint32_t set_mask, ways;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
} CodeCache;

/* How many bytes a cache of this valid geometry needs.  */
size_t codecache_bytes(const CacheGeometry* geometry);

/* Makes an empty cache of this valid geometry.  `memory` is of codecache_bytes() bytes,
   all zero, aligned as a pointer, and belongs to the cache as long as that is used.  */
void codecache_set_up(CodeCache* cache, const CacheGeometry* geometry, void* memory);

/* The line that holds `address`, which has never been used yet.  */
CodeLine codecache_line(const CodeCache* cache, uintptr_t address);

/* Can both be in the cache only in the same set?  */
bool codecache_share_set(const CodeCache* cache, const CodeLine* a, const CodeLine* b);

/* Forgets all lines.  */
void codecache_empty(CodeCache* cache);

/* To be called before the countdown is set to a higher number.  */
void codecache_settle(CodeCache* cache);

/* Brings in a line that is absent, and whose countdown has just been set, in place of the
   one of its set that was not used for longest.  */
void codecache_bring_in(CodeCache* cache, CodeLine* line);

/* A line is used, and its countdown has just been set.  True: it was there.  */
static inline bool codecache_touch(CodeCache* cache, CodeLine* line)
{
   if (line->state == CODE_LINE_THERE)
      return true;
   codecache_bring_in(cache, line);
   return false;
}

#endif
