/* SPDX-License-Identifier: GPL-2.0-or-later

   See timeline_writer.h.  A thread is written if it has a call or a mark, or if one that
   it made has: so each stands behind its creator.  */

#include "write/timeline_writer.h"

#include "write/definitions.h"
#include "write/words.h"

static Output* output;
static TimelineForOpen* for_each_open;

static ULong n_calls, n_marks; /* that have been written */
static ULong end_before;       /* of the call that was written last */

static const HChar* word_of(TimelineMarkKind kind)
{
   static const HChar* const words[TIMELINE_MARKS] = {
      [MarkDump] = "dump",    [MarkZero] = "zero",       [MarkStart] = "start",
      [MarkStop] = "stop",    [MarkCollect] = "collect", [MarkSignal] = "signal",
      [MarkFork] = "fork",    [MarkExec] = "exec",       [MarkDescription] = "desc",
      [MarkProgram] = "mark",
   };
   return words[kind];
}

static const HChar* kind_of(const TimelineCall* call)
{
   if (call->flags & TimelineBegan)
      return call->flags & TimelineGoesOn ? "m" : "r";
   return call->flags & TimelineGoesOn ? "o" : "";
}

/*--------------------------------------------------------------------*/
/* Calls                                                               */

static void for_each_call(const TimelineTrack* track,
                          void (*visit)(const TimelineCall* call))
{
   for (const TimelineChunk* chunk = track->chunks; chunk != NULL; chunk = chunk->next)
      for (UInt i = 0; i < chunk->n; i++)
         visit(&chunk->calls[i]);
   for_each_open(track, visit);
}

static void define(const TimelineCall* call)
{
   definitions_function(symbols_function(call->function));
   n_calls++;
}

static void write_call(const TimelineCall* call)
{
   output_text(output, kind_of(call));
   output_decimal(output, definitions_id_of(call->function));
   words_number(call->end - call->begin);
   words_number(call->end - end_before);
   words_end_line();
   end_before = call->end;
}

/*--------------------------------------------------------------------*/
/* Threads                                                             */

#define TO_BE_WRITTEN (~0u)

static UInt n_threads;
static Bool has_open;

static void note_open(const TimelineCall* call)
{
   (void)call;
   has_open = True;
}

static Bool has_content(const TimelineTrack* track)
{
   has_open = False;
   for_each_open(track, note_open);
   return has_open || track->marks != NULL || track->held.n > 0 ||
          (track->chunks != NULL && track->chunks->n > 0);
}

/* Marks those with content, and those that made them, with TO_BE_WRITTEN; the others get
   0.  */
static void mark_tracks(void)
{
   for (TimelineTrack* at = timeline_first(); at != NULL; at = timeline_next(at))
      at->number = 0;
   for (TimelineTrack* at = timeline_first(); at != NULL; at = timeline_next(at))
      if (has_content(at))
         for (TimelineTrack* up = at; up != NULL && up->number == 0; up = up->creator)
            up->number = TO_BE_WRITTEN;
}

static void write_marks(const TimelineTrack* track)
{
   for (const TimelineMark* mark = track->marks; mark != NULL; mark = mark->next) {
      words_first("mark");
      words_number(mark->time);
      words_add(word_of(mark->kind));
      words_text(mark->text);
      n_marks++;
   }
}

static void write_held(const HeldCurve* curve)
{
   if (curve->n == 0)
      return;
   ULong before = 0;
   words_first("held");
   words_number(curve->width);
   words_number(curve->n);
   words_end_line();
   for (UInt i = 0; i < curve->n; i++) {
      const HeldStretch* stretch = &curve->stretches[i];
      output_decimal(output, stretch->begin - before);
      words_number(stretch->most);
      words_number(stretch->last);
      words_end_line();
      before = stretch->begin;
   }
}

static void write_track(TimelineTrack* track)
{
   ULong n_before = n_calls;
   track->number = ++n_threads;
   for_each_call(track, define);
   words_first("thread");
   words_number(track->number);
   words_first(" 1");
   words_number(track->thread);
   words_number(track->creator != NULL ? track->creator->number : 0);
   words_number(track->start);
   words_number(track->time);
   if (track->name[0] != '\0')
      words_text(track->name);
   else
      words_end_line();
   words_first("calls");
   words_number(n_calls - n_before);
   words_end_line();
   end_before = 0;
   for_each_call(track, write_call);
   write_marks(track);
   write_held(&track->held);
}

void timeline_writer_write(Output* to, TimelineForOpen* for_open)
{
   output = to;
   for_each_open = for_open;
   words_to(to);
   n_calls = n_marks = n_threads = 0;
   definitions_begin(False);
   words_first("callgrind-timeline 1\n");
   definitions_creator();
   definitions_process();
   words_first("limit");
   words_number(timeline_limit);
   words_end_line();
   mark_tracks();
   for (TimelineTrack* at = timeline_first(); at != NULL; at = timeline_next(at))
      if (at->number == TO_BE_WRITTEN)
         write_track(at);
   words_first("end");
   words_number(n_calls);
   words_number(n_marks);
   words_number(timeline_marks_lost());
   words_end_line();
   definitions_end();
}
