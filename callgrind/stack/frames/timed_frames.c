/* SPDX-License-Identifier: GPL-2.0-or-later

   See timed_frames.h.

   Owns which track is that of which live thread.  */

#include "stack/frames/timed_frames.h"

#include "model/context.h"
#include "model/thread_names.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

/* By ThreadId: the track, and the stack that the thread is on; NULL where no thread
   is.  */
static TimelineTrack** tracks;
static ShadowStack** stacks;
static ThreadId running = VG_INVALID_THREADID;

/*--------------------------------------------------------------------*/
/* Time                                                                */

static ULong clock_of(const ShadowStack* stack)
{
   if (stack != shadowstack_now.stack)
      return stack->clock[CostIr];
   return stack->is_collecting ? cost_clock[CostIr] : stack->frozen_clock[CostIr];
}

static ULong time_of(const ShadowStack* stack)
{
   return clock_of(stack) + stack->timeline.offset;
}

/* The stack's thread goes on with it, at this time.  */
static void resume_at(ShadowStack* stack, ULong time)
{
   stack->timeline.offset = time - clock_of(stack);
   stack->timeline.resumed_at = time;
   stack->timeline.resumed_times++;
}

/*--------------------------------------------------------------------*/
/* Pinned frames                                                       */

/* What lies behind `entry` of a pinned frame.  */
typedef struct {
   ULong begin;
   UInt resumed_times; /* as the stack's then: if that has changed, so has the begin */
   Bool began;         /* a piece of a call that began before it */
} Pin;

static Pin* pin_of(const Frame* frame) { return (Pin*)(frame->entry + cost_stride()); }

/* When the frame, or its last piece, began.  */
static Pin begin_of(const ShadowStack* stack, const Frame* frame)
{
   const StackTimeline* own = &stack->timeline;
   if (frame->flags & FramePinned) {
      const Pin* pin = pin_of(frame);
      if (pin->resumed_times == own->resumed_times)
         return *pin;
      return (Pin){own->resumed_at, own->resumed_times, True};
   }
   ULong begin = frame->entry[CostIr] + own->offset;
   if ((Long)(begin - own->resumed_at) < 0)
      return (Pin){own->resumed_at, own->resumed_times, True};
   return (Pin){begin, own->resumed_times, False};
}

static void pin_frames(ShadowStack* stack)
{
   const Frame* bottom = shadowstack_bottom(stack);
   for (Frame* frame = shadowstack_top_of(stack);
        frame != bottom && !(frame->flags & FramePinned);
        frame = shadowstack_below(frame)) {
      *pin_of(frame) = begin_of(stack, frame);
      frame->return_address = shadowstack_return_address(frame);
      frame->flags |= FramePinned;
   }
}

void timed_frames_before_change(ShadowStack* stack)
{
   if (options.timeline)
      pin_frames(stack);
}

void timed_frames_before_set_back(ULong spent)
{
   if (!options.timeline)
      return;
   pin_frames(shadowstack_now.stack);
   shadowstack_now.stack->timeline.offset += spent;
}

/*--------------------------------------------------------------------*/
/* Calls                                                               */

/* The function of which the frame is a call; NULL if it is none: a barrier, an activation
   that goes on, skipped code with an owner.  */
static const Function* called(const Frame* frame)
{
   if (frame->flags & (FrameBarrier | FrameInner | FrameStackSwitch))
      return NULL;
   if (frame->flags & FrameSkipped && shadowstack_below(frame)->context != NULL)
      return NULL;
   return frame->context->function;
}

/* The call, or the piece of one, that ends at `end`.  False if it is none that is to be
   kept.  */
static Bool is_long_call(const ShadowStack* stack, const Frame* frame, ULong end,
                         UInt flags, TimelineCall* call)
{
   const Function* function = called(frame);
   if (function == NULL)
      return False;
   Pin pin = begin_of(stack, frame);
   call->begin = pin.begin;
   call->end = end;
   call->function = function->id;
   call->flags = flags | (pin.began ? TimelineBegan : 0);
   return end - pin.begin >= timeline_limit;
}

/* Keeps the calls of all frames, which end now or are left for a while.  */
static void keep_all(TimelineTrack* track, const ShadowStack* stack, UInt flags)
{
   ULong now = time_of(stack);
   const Frame* bottom = shadowstack_bottom(stack);
   timeline_advance(track, now);
   for (const Frame* frame = shadowstack_top_of(stack); frame != bottom;
        frame = shadowstack_below(frame)) {
      TimelineCall call;
      if (is_long_call(stack, frame, now, flags, &call))
         timeline_keep(track, &call);
   }
}

void timed_frames_left(const Frame* frame)
{
   TimelineCall call;
   const ShadowStack* stack = shadowstack_now.stack;
   if (!options.timeline || frame->flags & FrameBarrier)
      return;
   if (is_long_call(stack, frame, time_of(stack), 0, &call))
      timeline_keep(tracks[running], &call);
}

/*--------------------------------------------------------------------*/
/* Stacks                                                              */

void timed_frames_leave_stack(void)
{
   if (!options.timeline)
      return;
   const ShadowStack* stack = shadowstack_now.stack;
   ULong now = time_of(stack);
   timeline_advance(tracks[running], now);
   /* If no frame that was there then is long enough, later ones are not either.  */
   if (now - stack->timeline.resumed_at >= timeline_limit)
      keep_all(tracks[running], stack, TimelineGoesOn);
}

void timed_frames_resume_stack(void)
{
   if (!options.timeline)
      return;
   ShadowStack* stack = shadowstack_now.stack;
   resume_at(stack, tracks[running]->time);
   stacks[running] = stack;
}

void timed_frames_drop(ThreadId thread, ShadowStack* stack, Bool has_ended)
{
   if (options.timeline && tracks[thread] != NULL)
      keep_all(tracks[thread], stack, has_ended ? 0 : TimelineGoesOn);
}

/*--------------------------------------------------------------------*/
/* Threads                                                             */

void timed_frames_new_thread(ThreadId creator, ThreadId thread, ShadowStack* stack)
{
   if (!options.timeline || (creator == VG_INVALID_THREADID && tracks[thread] != NULL))
      return;
   TimelineTrack* parent = creator != VG_INVALID_THREADID ? tracks[creator] : NULL;
   if (parent == NULL)
      parent = timeline_first();
   if (parent != NULL && creator == running)
      timeline_advance(parent, time_of(stacks[running]));
   tracks[thread] = timeline_new_track(parent, thread);
   stacks[thread] = stack;
   resume_at(stack, 0);
}

void timed_frames_run_thread(ThreadId thread, ShadowStack* stack)
{
   if (!options.timeline)
      return;
   if (running != VG_INVALID_THREADID && tracks[running] != NULL)
      timeline_advance(tracks[running], time_of(stacks[running]));
   if (tracks[thread] == NULL)
      timed_frames_new_thread(VG_INVALID_THREADID, thread, stack);
   running = thread;
}

void timed_frames_name_thread(ThreadId thread)
{
   if (options.timeline && tracks[thread] != NULL)
      VG_(strcpy)(tracks[thread]->name, thread_names_now(thread));
}

void timed_frames_init(void)
{
   if (!options.timeline)
      return;
   tracks = VG_(calloc)("timed_frames.tracks", VG_N_THREADS, sizeof *tracks);
   stacks = VG_(calloc)("timed_frames.stacks", VG_N_THREADS, sizeof *stacks);
}

void timed_frames_restart(void)
{
   if (!options.timeline)
      return;
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (thread != running)
         tracks[thread] = NULL;
   timeline_forget();
   tracks[running] = timeline_new_track(NULL, running);
   timed_frames_name_thread(running);
   resume_at(stacks[running], 0);
}

void timed_frames_advance(void)
{
   if (options.timeline && running != VG_INVALID_THREADID)
      timeline_advance(tracks[running], time_of(stacks[running]));
}

void timed_frames_mark(TimelineMarkKind kind, const HChar* text)
{
   if (!options.timeline)
      return;
   timed_frames_advance();
   timeline_mark(tracks[running], kind, text);
}

void timed_frames_held(ULong bytes)
{
   if (!options.timeline)
      return;
   timed_frames_advance();
   timeline_held(tracks[running], bytes);
}

void timed_frames_for_open(const TimelineTrack* track,
                           void (*visit)(const TimelineCall* call))
{
   if (tracks[track->thread] != track)
      return; /* the thread has ended */
   const ShadowStack* stack = stacks[track->thread];
   ULong now = time_of(stack);
   for (const Frame* frame = shadowstack_top_of(stack);
        frame != shadowstack_bottom(stack); frame = shadowstack_below(frame)) {
      TimelineCall call;
      if (is_long_call(stack, frame, now, TimelineGoesOn, &call))
         visit(&call);
   }
}
