/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level cache for instructions, of the same behaviour as cachesim.h.
   What is special about code is that its addresses are known before it runs.  So each
   line has a record of its own, made beforehand, and an access needs no search: the line
   says itself whether it is in the cache, and whether it was used last of its set, in
   which case nothing changes.  Only when a line is brought in are those of its set
   compared, for the one that was not used for longest.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_CODECACHE_H
#define CALLGRIND_CODECACHE_H

#include "sim/geometry.h"

#include <stddef.h>

typedef struct CodeLine CodeLine;

/* Where a line is: a number that instrumented code looks at.  All but that of the newest
   are larger than any line.  */
typedef uintptr_t CodeLineState;
#define CODE_LINE_NEWEST ((CodeLineState)0)  /* of its set */
#define CODE_LINE_OLDER (~(CodeLineState)1)  /* there as well */
#define CODE_LINE_ABSENT (~(CodeLineState)0) /* not in the cache */

typedef struct {
   CodeLine* newest;  /* NULL: the set is empty */
   CodeLine** places; /* as many as there are ways; NULL: empty */
} CodeSet;

/* A line of code.  It begins as codecache_line(), and exists once for each address, as
   long as the cache does.  */
struct CodeLine {
   CodeLineState state;
   uint64_t since; /* when it was made the newest last, by the cache's clock */
   CodeSet* set;
   CodeLine* following; /* the user's: the line behind it, if that is asked for too */
};

/* One cache.  Its fields are private, but for the shape of a line.  */
typedef struct {
   CodeSet* sets;
   uint64_t clock;
   uintptr_t set_mask;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t ways;
} CodeCache;

/* How many bytes a cache of this valid geometry needs.  */
size_t codecache_bytes(const CacheGeometry* geometry);

/* Makes an empty cache of this valid geometry.  `memory` is of codecache_bytes() bytes,
   all zero, aligned as a pointer, and belongs to the cache as long as that is used.  */
void codecache_set_up(CodeCache* cache, const CacheGeometry* geometry, void* memory);

/* The line that holds `address`, which has never been used yet.  */
CodeLine codecache_line(const CodeCache* cache, uintptr_t address);

/* Forgets all lines.  */
void codecache_empty(CodeCache* cache);

/* Brings in a line that is absent, in place of the one of its set that was not used for
   longest.  */
void codecache_bring_in(CodeCache* cache, CodeLine* line);

/* Uses a line that is there.  The order of their last uses is that in which they were made
   the newest, for the uses in between are of that line alone.  */
static inline void codecache_use(CodeCache* cache, CodeLine* line)
{
   if (line->state == CODE_LINE_NEWEST)
      return;
   CodeSet* set = line->set;
   CodeLine* before = set->newest;
   if (before != NULL)
      before->state = CODE_LINE_OLDER;
   set->newest = line;
   line->state = CODE_LINE_NEWEST;
   line->since = ++cache->clock;
}

/* Uses a line.  True: it was there.  */
static inline bool codecache_touch(CodeCache* cache, CodeLine* line)
{
   bool hit = line->state != CODE_LINE_ABSENT;
   if (!hit)
      codecache_bring_in(cache, line);
   codecache_use(cache, line);
   return hit;
}

#endif
