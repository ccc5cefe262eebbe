/* SPDX-License-Identifier: GPL-2.0-or-later

   Vectors of counts, one of each event that this run counts; and the clock.

   A cost vector is an array of cost_n_events() counts.  Those that change most come
   first: calls and returns copy them, and no others (cost_n_frequent()).  A profile's
   `events:` names them in another order, which cost_listed() gives.  Counts wrap at
   2^64.  */

#ifndef CALLGRIND_COST_H
#define CALLGRIND_COST_H

#include "model/event_table.h"

/* Room for every event that callgrind knows.  */
#define COST_MAX_EVENTS 30

/* The clock: all that the running thread has spent since it began, by event.
   Generated code adds to it at this fixed address.  Only stack/ sets it back: after a
   signal handler, whose cost is not that of the interrupted code, and while nothing
   is collected.  */
extern ULong cost_clock[COST_MAX_EVENTS];

/* Index in a vector of an event that this run does not count.  */
#define COST_NOT_COUNTED (~0u)

/* Instructions are always counted, and come first.  */
enum { CostIr = 0 };

/* Finds out what is counted.  Once, after the command line has been read.  */
void cost_init(void);

extern UInt cost_event_count; /* read through cost_n_events() */
static inline UInt cost_n_events(void) { return cost_event_count; }
const HChar* cost_event_name(UInt event);

/* The index in a vector of what `events:` names at this place, from 0 on.  */
extern UChar cost_order[COST_MAX_EVENTS]; /* read through cost_listed() */
static inline UInt cost_listed(UInt place) { return cost_order[place]; }

/* The counts of a vector in that order.  Returns how many there are without the zeros at
   the end, but `least` or more.  */
UInt cost_list(const ULong* cost, UInt least, ULong* listed);

/* What an event is, in a few words; never NULL.  */
const HChar* cost_event_meaning(UInt event);

/* What the profile's `event:` line says of an event whose name does not say it all;
   NULL for others.  */
const HChar* cost_event_text(UInt event);

extern UInt cost_indices[EVENT_KINDS]; /* read through cost_index() */
static inline UInt cost_index(Event event) { return cost_indices[event]; }
static inline Bool cost_is_counted(Event event)
{
   return cost_indices[event] != COST_NOT_COUNTED;
}

/* Vectors in pairs of counts, which the host processes with one instruction: for
   every call and return, with several events.  Such a vector has room for
   cost_stride() counts; those behind the last event mean nothing.  The functions do
   the events from `begin` to below `end`, and one more if that is an odd number.  */
typedef ULong CostPair __attribute__((vector_size(16), aligned(8), may_alias));

static inline UInt cost_stride(void)
{
   return cost_n_events() == 1 ? 1 : (cost_n_events() + 2) & ~1u;
}

static inline void cost_copy_pairs(ULong* to, const ULong* from, UInt begin, UInt end)
{
   for (UInt e = begin; e < end; e += 2)
      *(CostPair*)(to + e) = *(const CostPair*)(from + e);
}

static inline void cost_add_span_pairs(ULong* to, const ULong* now, const ULong* then,
                                       UInt begin, UInt end)
{
   for (UInt e = begin; e < end; e += 2)
      *(CostPair*)(to + e) += *(const CostPair*)(now + e) - *(const CostPair*)(then + e);
}

/* Is the event with this index static (event_table.h)?  */
Bool cost_is_static(UInt index);

/* Is an event counted that depends on which memory is accessed?  */
Bool cost_depends_on_accesses(void);

/* Frequent events: those that generated code adds to the clock inline.  They come first
   in a vector.  The others are rare; with caches these are all misses.  */
extern UInt cost_frequent_count; /* read through cost_n_frequent() */
static inline UInt cost_n_frequent(void) { return cost_frequent_count; }

static inline Bool cost_is_rare(UInt event) { return event >= cost_n_frequent(); }

static inline Bool cost_has_rare(void) { return cost_n_frequent() < cost_n_events(); }

/* Of the frequent ones, these are written and copied in pairs: those that most straight
   runs add to, and none where the host is faster without (ARCH_COUNTS_IN_PAIRS).  A host
   that reads a pair waits if one of its counts was written by itself just before.  Their
   number is even.  */
extern UInt cost_paired_count; /* read through cost_n_paired() */
static inline UInt cost_n_paired(void) { return cost_paired_count; }

static inline void cost_copy(ULong* to, const ULong* from)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      to[e] = from[e];
}

static inline void cost_zero(ULong* cost)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      cost[e] = 0;
}

static inline void cost_add(ULong* to, const ULong* cost)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      to[e] += cost[e];
}

/* Adds what passed between two readings of a clock.  */
static inline void cost_add_span(ULong* to, const ULong* end, const ULong* begin)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      to[e] += end[e] - begin[e];
}

static inline Bool cost_is_same(const ULong* a, const ULong* b)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      if (a[e] != b[e])
         return False;
   return True;
}

static inline Bool cost_is_zero(const ULong* cost)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      if (cost[e] != 0)
         return False;
   return True;
}

#endif
