/* SPDX-License-Identifier: GPL-2.0-or-later

   The timeline (--timeline=yes): when calls that lasted long began and ended, and what
   happened besides, as marks.  docs/timeline.md says what a user gets.

   Each thread has a track.  Its time is what the thread has executed and the profile has
   counted, in instructions, signal handlers included.  What is on another stack of the
   same thread for a while (a coroutine) is told in pieces.

   A call, or a piece of one, is kept if it lasted at least timeline_limit.  The limit
   only rises: with all that has been executed so far, or when there is too much to be
   kept.  What was kept before and is shorter is dropped, sooner or later: so what is kept
   in the end depends on the last limit alone, not on the order in which threads ran.

   Knows nothing of stacks; stack/frames/timed_frames.h says when calls begin and end.  */

#ifndef CALLGRIND_TIMELINE_H
#define CALLGRIND_TIMELINE_H

#include "model/held_curve.h"
#include "model/thread_names.h"

typedef enum {
   TimelineBegan = 1, /* it was on its stack before: a further piece */
   TimelineGoesOn = 2 /* it has not ended: it was left for another stack, or is open */
} TimelineFlags;

typedef struct {
   ULong begin, end;
   UInt function; /* its id */
   UInt flags;    /* TimelineFlags */
} TimelineCall;

typedef enum {
   MarkDump,
   MarkZero,
   MarkStart,
   MarkStop,
   MarkCollect,
   MarkSignal,
   MarkFork,
   MarkExec,
   MarkDescription,
   MarkProgram, /* the program has made it */
   TIMELINE_MARKS
} TimelineMarkKind;

typedef struct TimelineMark {
   struct TimelineMark* next;
   ULong time;
   TimelineMarkKind kind;
   HChar text[]; /* may be empty */
} TimelineMark;

typedef struct TimelineChunk {
   struct TimelineChunk* next;
   UInt n, capacity;
   TimelineCall calls[]; /* in the order in which they ended */
} TimelineChunk;

/* A thread's time.  */
typedef struct TimelineTrack {
   struct TimelineTrack* creator;     /* the thread that made it; NULL: the first */
   struct TimelineTrack* first_child; /* threads that it made, in their order */
   struct TimelineTrack* last_child;
   struct TimelineTrack* sibling;
   UInt thread;                  /* Valgrind's number of it */
   HChar name[THREAD_NAME_SIZE]; /* "" if the program gave it none */
   UInt number;                  /* in the file that is written */
   ULong start; /* the time at which it was made, on the axis of the first thread */
   ULong time;  /* when it ran last */
   TimelineChunk *chunks, *last_chunk;
   TimelineMark *marks, *last_mark;
   HeldCurve held; /* with --collect-alloc: bytes that the process holds, as this thread
                      changes them */
} TimelineTrack;

/* How long a call has to last to be kept.  While there is no timeline, nothing lasts so
   long.  */
extern ULong timeline_limit;

/* After the command line has been read.  */
void timeline_init(void);

/* The first thread's track, or of those that `creator` makes the next.  */
TimelineTrack* timeline_new_track(TimelineTrack* creator, UInt thread);

/* The first track; the others hang on it.  The next track after `track`, of which the
   creators come before those that they made; NULL: that was the last.  */
TimelineTrack* timeline_first(void);
TimelineTrack* timeline_next(const TimelineTrack* track);

/* The track's thread has come to `time`.  */
void timeline_advance(TimelineTrack* track, ULong time);

/* All that all threads have executed.  */
ULong timeline_total(void);

/* A call, or a piece of one, that ends now on the track.  Keeps it if it is long
   enough.  */
void timeline_keep(TimelineTrack* track, const TimelineCall* call);

/* A mark at the track's time.  `text` is copied.  Beyond a quarter of --timeline-max,
   marks are only counted.  */
void timeline_mark(TimelineTrack* track, TimelineMarkKind kind, const HChar* text);
ULong timeline_marks_lost(void);

/* The process holds so many bytes from the track's time on.  */
void timeline_held(TimelineTrack* track, ULong bytes);

/* What the file would have in bytes, as it is reckoned for --timeline-max.  */
ULong timeline_size(void);

/* Drops what is shorter than the limit is by now.  Then says whether there is anything to
   be written.  */
Bool timeline_settle(void);

/* In a forked child: nothing has happened yet.  */
void timeline_forget(void);

#endif
