/* SPDX-License-Identifier: GPL-2.0-or-later

   What a record of the core's has been through, to complete it later: what was left out
   cannot be added to a finished record, so another one is read from the beginning, and
   what that has more is taken into the first one.

   A past has copies of the record's bytes: before anything was read, which the other one
   is made from; finished; and, where the core reads in two steps, at the end of the first
   one and at the beginning of the second.  What differs between these two was changed by
   others than who reads, and is so in the other record, too.  What reading has made is
   taken from the other one; all that others have changed since, as the place in the
   core's list, stays.  The old tables stay allocated, since there may be pointers to
   them.  */

#ifndef CALLGRIND_DEBUG_PAST_H
#define CALLGRIND_DEBUG_PAST_H

#include "core/debug_records.h"

#ifdef CORE_CAN_READ_LINES_LATE

/* All zero: none is kept.  */
typedef struct {
   SizeT size;
   UChar* before;
   UChar *paused, *resumed; /* NULL: not yet, or the core reads in one go */
   UChar* finished;         /* NULL until then */
} DebugPast;

/* False if it is not known how to read another record as this core reads.  */
Bool debug_past_can_be_kept(void);

/* The record's first step is about to be made; it has `size` bytes.  */
void debug_past_begin(DebugPast* past, const DebugInfo* record, SizeT size);

/* Its second step is.  */
void debug_past_resume(DebugPast* past, const DebugInfo* record);

/* A step is complete.  */
void debug_past_complete(DebugPast* past, const DebugInfo* record);

Bool debug_past_is_kept(const DebugPast* past);

/* Reads another record by `read`, which does what core_debug_read() does, with less left
   out, and completes this one.  What is left out still can be made up for later: the past
   is now that of the other record.  False, and nothing is changed, if that cannot be
   read, or this is not as it was in what differs.  */
Bool debug_past_make_up(DebugPast* past, DebugInfo* record,
                        Bool (*read)(DebugInfo* record, CoreDebugStep step));

void debug_past_forget(DebugPast* past);

#endif

#endif
