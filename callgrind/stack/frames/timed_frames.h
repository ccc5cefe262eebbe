/* SPDX-License-Identifier: GPL-2.0-or-later

   --timeline=yes: when frames began and ended, in their thread's time (model/timeline.h).

   A stack's time is its clock and an offset.  A frame's `entry` holds the clock when it
   began; so the fast path has nothing to do at a call, and compares once at a return.

   Where `entry` does not tell the time, the frame is pinned: the time is kept behind
   `entry`, and the slow path leaves the frame.  That is so after `entry` has been moved
   on (a dump), and when the offset has changed (a signal handler has returned: the clock
   was set back, but time goes on).  Pinned frames lie below all that are not.

   A stack that is left for another one is parked.  The pieces of its calls end there, and
   others begin where it is resumed, at that time of the thread that does so.

   With --timeline=no, each function does nothing.  */

#ifndef CALLGRIND_TIMED_FRAMES_H
#define CALLGRIND_TIMED_FRAMES_H

#include "model/timeline.h"
#include "stack/frames/shadowstack_types.h"

/* After thread stacks can be made.  */
void timed_frames_init(void);

/* `thread` is about to run on `stack`, its own.  */
void timed_frames_run_thread(ThreadId thread, ShadowStack* stack);

/* A thread has been made; it runs on `stack`.  */
void timed_frames_new_thread(ThreadId creator, ThreadId thread, ShadowStack* stack);

/* The topmost frame of the running stack is being left, or has just been: its memory is
   as it was.  Before the clock is set back.  */
void timed_frames_left(const Frame* frame);

/* The running stack's clock is about to be set back by `spent` instructions, which have
   been executed all the same.  */
void timed_frames_before_set_back(ULong spent);

/* The `entry` of a stack's frames is about to change.  */
void timed_frames_before_change(ShadowStack* stack);

/* The running thread is about to leave its stack for another one; and is on that.  */
void timed_frames_leave_stack(void);
void timed_frames_resume_stack(void);

/* All frames of the thread's stack are about to be dropped.  They have been left if
   `has_ended`; otherwise they only cease to be followed.  */
void timed_frames_drop(ThreadId thread, ShadowStack* stack, Bool has_ended);

/* The thread is called otherwise from now on (model/thread_names.h).  */
void timed_frames_name_thread(ThreadId thread);

/* A mark of the running thread, now.  */
void timed_frames_mark(TimelineMarkKind kind, const HChar* text);

/* The process holds so many bytes of memory from now on: the running thread has changed
   it.  */
void timed_frames_held(ULong bytes);

/* Brings all tracks up to now.  */
void timed_frames_advance(void);

/* Calls `visit` for each call that is open and long enough to be kept, innermost first,
   of the thread that this is the track of, as if it ended now.  */
void timed_frames_for_open(const TimelineTrack* track,
                           void (*visit)(const TimelineCall* call));

/* In a forked child: time begins again.  */
void timed_frames_restart(void);

#endif
