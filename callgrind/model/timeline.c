/* SPDX-License-Identifier: GPL-2.0-or-later

   See timeline.h.

   The size of the file is bounded by adding up what its lines take (docs/timeline.md).
   When that exceeds the most that is allowed, the limit is doubled until half of it is
   left.  */

#include "model/timeline.h"

#include "guest/symbols.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Unless --timeline-min says otherwise, a call is kept if it lasted this part of all that
   was executed.  */
#define PARTS_OF_RUN 50000

/* Nothing lasts so long.  */
#define NEVER ((ULong)1 << 62)

/* Calls that there have to be before those are sought that have become too short.  */
#define CALLS_WORTH_SWEEPING 65536

/* What a mark takes in the file at most, and the definition of a function with its object
   and its source file, besides their texts.  */
#define MARK_SIZE 40
#define FUNCTION_SIZE 160

/* What a stretch of the curve of held bytes takes.  */
#define STRETCH_SIZE 36

#define LEAST_CHUNK 8
#define LARGEST_CHUNK 1024

ULong timeline_limit = NEVER;

static TimelineTrack* first;
static ULong total;         /* of the tracks' times */
static ULong multiple;      /* of what the limit would be if there were room */
static ULong n_calls;       /* that are kept */
static ULong n_calls_swept; /* that were left when the short ones were dropped last */
static ULong size_of_calls; /* in the file, with the functions that they name */
static UChar* is_named;     /* by function: is it counted in that? */
static UInt n_is_named;
static ULong size_of_marks;
static ULong n_stretches; /* of all curves */
static ULong n_marks_lost;

/*--------------------------------------------------------------------*/
/* Tracks                                                              */

TimelineTrack* timeline_new_track(TimelineTrack* creator, UInt thread)
{
   TimelineTrack* track = VG_(calloc)("timeline.track", 1, sizeof *track);
   track->thread = thread;
   track->creator = creator;
   if (creator == NULL) {
      first = track;
      return track;
   }
   track->start = creator->start + creator->time;
   if (creator->last_child == NULL)
      creator->first_child = track;
   else
      creator->last_child->sibling = track;
   creator->last_child = track;
   return track;
}

TimelineTrack* timeline_first(void) { return first; }

TimelineTrack* timeline_next(const TimelineTrack* track)
{
   if (track->first_child != NULL)
      return track->first_child;
   while (track != NULL && track->sibling == NULL)
      track = track->creator;
   return track != NULL ? track->sibling : NULL;
}

ULong timeline_total(void) { return total; }

/*--------------------------------------------------------------------*/
/* The limit                                                           */

static UInt digits(ULong number)
{
   UInt n = 1;
   for (; number >= 10; number /= 10)
      n++;
   return n;
}

static UInt size_of_function(UInt id)
{
   if (id >= n_is_named) {
      UInt n = symbols_n_functions() + 1;
      is_named = VG_(realloc)("timeline.named", is_named, n);
      VG_(memset)(is_named + n_is_named, 0, n - n_is_named);
      n_is_named = n;
   }
   if (is_named[id])
      return 0;
   is_named[id] = True;
   const Function* function = symbols_function(id);
   SizeT size = FUNCTION_SIZE + VG_(strlen)(function->name);
   if (symbols_is_object(function->object))
      size += VG_(strlen)(function->object->path);
   if (symbols_is_file(function->file))
      size += VG_(strlen)(function->file->path);
   return (UInt)size;
}

/* The line of a call: flags, an id, a duration, how much later it ended than the one
   before, and what is between them.  */
static UInt size_of(const TimelineCall* call, ULong end_before)
{
   return size_of_function(call->function) + digits(call->function) +
          digits(call->end - call->begin) + digits(call->end - end_before) + 5;
}

static void update_limit(void)
{
   ULong limit = options.timeline_min != 0 ? options.timeline_min : total / PARTS_OF_RUN;
   timeline_limit = (limit == 0 ? 1 : limit) * multiple;
}

static Bool is_long(const TimelineCall* call)
{
   return call->end - call->begin >= timeline_limit;
}

static void free_chunks(TimelineChunk* chunk)
{
   for (TimelineChunk* next; chunk != NULL; chunk = next) {
      next = chunk->next;
      VG_(free)(chunk);
   }
}

/* Drops the short calls of a track, and the chunks that become free.  */
static void sweep_track(TimelineTrack* track)
{
   TimelineChunk* to = track->chunks;
   ULong end_before = 0;
   UInt n = 0;
   if (to == NULL)
      return;
   for (TimelineChunk* from = to; from != NULL; from = from->next)
      for (UInt i = 0; i < from->n; i++) {
         if (!is_long(&from->calls[i]))
            continue;
         n_calls++;
         size_of_calls += size_of(&from->calls[i], end_before);
         end_before = from->calls[i].end;
         if (n == to->capacity) {
            to->n = n;
            to = to->next;
            n = 0;
         }
         to->calls[n++] = from->calls[i];
      }
   to->n = n;
   free_chunks(to->next);
   to->next = NULL;
   track->last_chunk = to;
}

static void count_no_calls(void)
{
   n_calls = size_of_calls = 0;
   if (is_named != NULL)
      VG_(memset)(is_named, 0, n_is_named);
}

static void sweep(void)
{
   count_no_calls();
   for (TimelineTrack* track = first; track != NULL; track = timeline_next(track))
      sweep_track(track);
   n_calls_swept = n_calls;
}

/* Makes room in the file if it would become too large.  */
static void limit_size(void)
{
   ULong most = (ULong)options.timeline_max << 20;
   most -= most / 4; /* the rest is for marks, names and threads */
   if (size_of_calls <= most)
      return;
   do {
      multiple *= 2;
      update_limit();
      sweep();
   } while (size_of_calls > most / 2 && n_calls > 0);
}

/*--------------------------------------------------------------------*/

void timeline_init(void)
{
   total = n_calls_swept = size_of_marks = n_marks_lost = n_stretches = 0;
   count_no_calls();
   multiple = 1;
   if (options.timeline)
      update_limit();
}

void timeline_advance(TimelineTrack* track, ULong time)
{
   total += time - track->time;
   track->time = time;
}

/* A chunk with room for another call.  */
static TimelineChunk* chunk_with_room(TimelineTrack* track)
{
   TimelineChunk* last = track->last_chunk;
   if (last != NULL && last->n < last->capacity)
      return last;
   UInt capacity = last == NULL                      ? LEAST_CHUNK
                   : last->capacity == LARGEST_CHUNK ? LARGEST_CHUNK
                                                     : 2 * last->capacity;
   TimelineChunk* chunk =
      VG_(malloc)("timeline.calls", sizeof *chunk + capacity * sizeof(TimelineCall));
   chunk->next = NULL;
   chunk->n = 0;
   chunk->capacity = capacity;
   if (last == NULL)
      track->chunks = chunk;
   else
      last->next = chunk;
   track->last_chunk = chunk;
   return chunk;
}

static void append(TimelineTrack* track, const TimelineCall* call)
{
   const TimelineChunk* last = track->last_chunk;
   ULong end_before = last != NULL && last->n > 0 ? last->calls[last->n - 1].end : 0;
   TimelineChunk* chunk = chunk_with_room(track);
   chunk->calls[chunk->n++] = *call;
   n_calls++;
   size_of_calls += size_of(call, end_before);
}

void timeline_keep(TimelineTrack* track, const TimelineCall* call)
{
   timeline_advance(track, call->end);
   update_limit();
   if (!is_long(call))
      return;
   append(track, call);
   if (n_calls > 2 * n_calls_swept + CALLS_WORTH_SWEEPING)
      sweep();
   limit_size();
}

void timeline_mark(TimelineTrack* track, TimelineMarkKind kind, const HChar* text)
{
   SizeT length = VG_(strlen)(text);
   if (size_of_marks + length + MARK_SIZE > (ULong)options.timeline_max << 18) {
      n_marks_lost++;
      return;
   }
   size_of_marks += length + MARK_SIZE;
   TimelineMark* mark = VG_(malloc)("timeline.mark", sizeof *mark + length + 1);
   mark->next = NULL;
   mark->time = track->time;
   mark->kind = kind;
   VG_(strcpy)(mark->text, text);
   if (track->last_mark == NULL)
      track->marks = mark;
   else
      track->last_mark->next = mark;
   track->last_mark = mark;
}

ULong timeline_marks_lost(void) { return n_marks_lost; }

void timeline_held(TimelineTrack* track, ULong bytes)
{
   n_stretches -= track->held.n;
   held_curve_add(&track->held, track->time, bytes);
   n_stretches += track->held.n;
}

ULong timeline_size(void)
{
   return size_of_calls + size_of_marks + n_stretches * STRETCH_SIZE;
}

Bool timeline_settle(void)
{
   update_limit();
   sweep();
   return total > 0 || size_of_marks > 0;
}

/*--------------------------------------------------------------------*/
/* Fork                                                                */

static void free_track(TimelineTrack* track)
{
   free_chunks(track->chunks);
   held_curve_free(&track->held);
   for (TimelineMark *mark = track->marks, *next; mark != NULL; mark = next) {
      next = mark->next;
      VG_(free)(mark);
   }
   VG_(free)(track);
}

void timeline_forget(void)
{
   /* The tracks as a list, linked by `last_child`, which is not needed any more.  */
   TimelineTrack* list = NULL;
   for (TimelineTrack *track = first, *next; track != NULL; track = next) {
      next = timeline_next(track);
      track->last_child = list;
      list = track;
   }
   while (list != NULL) {
      TimelineTrack* next = list->last_child;
      free_track(list);
      list = next;
   }
   first = NULL;
   timeline_init();
}
