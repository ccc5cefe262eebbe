/* SPDX-License-Identifier: GPL-2.0-or-later

   The shadow stack's data structures, and the running thread's state.

      ShadowStack                  the program's native stack
      (one per thread or           (it grows down)
      coroutine)
      memory ->  bottom  barrier
                 main    frame  -> return address of main   \ regions[0]
                 f       frame  -> return address of f      /
                 -       barrier   a signal came: `at` is
                                   kept in interrupted[0]
                 handler frame  -> its return address       \ regions[1]
      top ---->  g       frame  -> return address of g      /

      Frame: fixed part | the clock at entry, cost_stride() numbers

   Frames lie one behind the other in one piece of memory, the outermost first.  A
   frame's size depends on how many events are counted, so frames are walked with
   shadowstack_below() and shadowstack_above(), never by index.

   Time is the running thread's clock (cost.h).  A frame records the clock at entry; the
   difference when it is left is the inclusive cost of its arc.  While collection is off,
   the clock is put back at each transition to where collection was switched off
   (shadowstack_running.h), so that nobody else needs to test for it.

   What works on this, each above the ones before:
      shadowstack_activations   how many frames of each function there are
      shadowstack_regions       pieces of the native stack; what a stack pointer has left
      rare_sync                 the clock of rare events, copied into frames late
      shadowstack_running       which frame runs; collection on and off
      timed_frames              --timeline: when frames began and ended
      effects                   --toggle-collect, --dump-before and the like
      shadowstack_frames        entering and leaving frames
      switch_calls              calls of functions that switch stacks
      shadowstack               a stack as a whole
   When frames come and go is decided above: callstack.c, transition.c, thread.c.  */

#ifndef CALLGRIND_SHADOWSTACK_TYPES_H
#define CALLGRIND_SHADOWSTACK_TYPES_H

#include "model/arc.h"
#include "model/tree/calltree.h"

typedef enum {
   /* Its function's activation counter was raised.  */
   FrameCounted = 1 << 0,

   /* Entered by a jump: it shares the stack slot of the frame below, and is left together
      with it.  */
   FrameTail = 1 << 1,

   /* Nobody called it: no arc.  */
   FrameRoot = 1 << 2,

   /* Its function is skipped.  `context` and `skipped_site` are its owner's, that is, of
      the nearest frame below that is shown.  */
   FrameSkipped = 1 << 3,

   /* No function: a signal interrupted what lies below, or nothing lies below.  */
   FrameBarrier = 1 << 4,

   /* When it is left, collection is toggled.  */
   FrameToggle = 1 << 5,

   /* When it is left, a part is written.  */
   FrameDump = 1 << 6,

   /* The frame below is skipped: when this one is left, something is booked there.  */
   FrameOverSkipped = 1 << 7,

   /* A call inside a function, into its middle: the same activation goes on.  */
   FrameInner = 1 << 8,

   /* The activation below goes on with its stack pointer in other memory: a stack region
      begins.  */
   FrameStackSwitch = 1 << 9,

   /* Its caller is not known, nor its stack pointer at entry.  */
   FrameOpenEnd = 1 << 10,

   /* --tail-calls=flat: it has taken the place of the frame whose function jumped here.
      Not together with FrameSkipped.  */
   FrameInPlace = 1 << 11,

   /* No call made it: the program has written it onto its stack, in place of frames that
      it left, and gone there.  There may be more of them between it and the frame below,
      which control has not come to yet.  */
   FrameSynthesised = 1 << 12,

   /* Its function has taken its own return address off the stack, and goes on in the
      frame below, as a tail call does (FrameTail).  */
   FrameCallerGone = 1 << 13,

   /* With --timeline: when it began is kept behind `entry`.  */
   FramePinned = 1 << 14,

   /* The stack has been divided at it (copies.h): its function goes on in a copy.  */
   FrameDivided = 1 << 15,

   /* Its function has moved its stack pointer by a variable, perhaps to where another
      stack lay (copies_note_down()): its return is looked at.  */
   FrameLowered = 1 << 16,

   /* It was called while collection was off, and nothing has been collected in it yet:
      the call has not been counted.  */
   FrameUncounted = 1 << 17,

   /* Its function is an allocator whose return is waited for (AllocationCall); skipped:
      one that it stands for.  */
   FrameAllocates = 1 << 18,
} FrameFlags;

/* The flags of a plain frame, by far the most frequent: entered by a call, nothing
   special.  One entered by a jump may have FrameTail besides.  */
#define FRAME_PLAIN FrameCounted
#define FRAME_NEVER (~0u) /* the flags of no frame */

/* The slot of a frame whose true one is not known: above all others, so
   that the frame is left only by a return of its own function.  */
#define SHADOWSTACK_TOP_SLOT (~(Addr)0 - 1)

typedef struct {
   Addr slot;        /* of its return address (arch.h); by the stack pointer at entry */
   Context* context; /* whose counters its code uses; NULL: barrier */
   Arc* arc;         /* by which it was entered; skipped: where its cost is booked;
                        NULL: root */
   UInt flags;       /* FrameFlags */
   TreeNode* node;   /* with --call-tree: its path of calls; barrier: NULL */

   /* Not set in a plain frame; read them with shadowstack_return_address() and
      shadowstack_function().  */
   Addr return_address;
   union {
      Function* skipped_function; /* skipped: the function that was entered */
      Function* jumped_from;      /* FrameInPlace: the function that jumped */
   };
   union {
      CallSite* skipped_site; /* skipped: where control left `context` */
      Addr written_end;       /* written, not skipped: up to there frames were written */
   };

   /* The clock at entry, cost_stride() numbers; skipped: the clock up to which its
      cost is booked.  The numbers of rare events may be out of date: see rare_sync.h.
      With --timeline, room for a pin follows (timed_frames.h).  */
   ULong entry[];
} Frame;

/* What is known of a move of the stack pointer.  */
typedef enum {
   MoveOpen,       /* nothing yet */
   MoveHasCrossed, /* the thread has crossed to the stack that was left there */
   MoveToWritten,  /* a synthesised frame was left, and frames were written up to there:
                      control comes to the next of them */
} StackMoveState;

/* --collect-alloc: the call of an allocator that is under way; of one that has called
   another, the outer one.  */
typedef struct {
   Addr slot; /* of the allocator; 0: none is under way */
   Addr return_address;
   UInt allocator; /* its number */
   ULong size;     /* what it was asked for */
   Addr old;       /* the block that it frees, or that changes its size; 0: none */
   Addr out;       /* where the new block's address is put; 0: it is the result */
} AllocationCall;

/* Where a thread is between superblocks.  */
typedef struct {
   /* The id of the function whose code may go on; or, after a call, the CallSite*; or
      that of a jump which has come to a stub that the fast path passed; or 0: not
      known.  */
   UWord current;

   /* The last jump or odd return that may have left its function; it may be long ago.  */
   CallSite* last_exit;

   /* While the call under way is in a stub: where the stub's cost is booked,
      otherwise NULL; its slot when it got there; and the clock up to which
      it is booked.  */
   Arc* stub;
   Addr stub_slot;
   ULong stub_clock[COST_MAX_EVENTS];

   /* The running function has set its stack pointer to this, which may be on another
      stack (coroutine.h); otherwise 0.  And what is known of it: a StackMoveState.  */
   Addr moved;
   UChar move_state;

   AllocationCall allocation;
} ControlPoint;

/* What lay on a native stack at some time, from `low` on; see moved_stack.h.  */
#define STACK_WORDS 64
typedef struct {
   Addr low;
   UInt n;
   Addr words[STACK_WORDS];
} StackWords;

/* A call of a function that switches stacks; see switch_calls.h.  */
typedef struct {
   UInt n_stacks;    /* so many have the caller's frame: copies of one another */
   Bool has_gone_on; /* the caller, on another of them: the call has made a coroutine */
   StackWords kept;
} SwitchCall;

/* --collect-alloc: which path of calls the frame at some depth is (alloc_paths.h), if it
   has the arc and the context, and was entered at that time of the clock.  */
typedef struct {
   ULong entered;
   const Arc* arc;
   const Context* context;
   UInt path; /* 0: not known */
   UInt path_below;
} FramePath;

/* A piece of the native stack whose frames lie one below the other.  A new one begins
   where a signal handler does, and where a function goes on in other memory.  */
typedef struct {
   Addr low;        /* the stack pointer when the region was left; 0 while it is in use */
   Addr end;        /* no frame's slot lies above; 0: nothing of it is left */
   UInt depth;      /* how many frames lie below its first one, without the bottom */
   ULong created;   /* a sequence number of parking.c; 0: it was always there */
   Bool is_copied;  /* by shadowstack_copy_switched() */
   StackWords kept; /* from where it was left on */
} StackRegion;

/* With --timeline: a stack's time is its clock and `offset`.  See timed_frames.h.  */
typedef struct {
   ULong offset;
   ULong resumed_at;   /* the time when a thread went on on it last */
   UInt resumed_times; /* how often one did */
} StackTimeline;

/* One thread's shadow stack.  Its part of shadowstack_now and of the clock is kept here
   only while another thread runs.  */
typedef struct {
   UChar* memory; /* frames; the first is a barrier with nothing below it */
   Frame* top;    /* current only while another thread runs */
   UInt capacity; /* frames that `memory` has room for */

   UInt* activations; /* by function id; see shadowstack_activations.h */
   UInt n_activations;

   ControlPoint* interrupted; /* one for each barrier but the first */
   UInt n_interrupted, interrupted_capacity;

   StackRegion* regions; /* one for each barrier and stack switch; the last is topmost */
   UInt n_regions, region_capacity;

   SwitchCall** switch_calls; /* those by frames that may be there, the outermost first */
   UInt n_switch_calls, switch_call_capacity;

   FramePath* paths; /* by depth */
   UInt n_paths;

   ULong parked;      /* when it was parked: a sequence number of parking.c */
   Bool is_retired;   /* parking.c keeps it, though it seems to be dead */
   UInt first_listed; /* parked: of the regions parking.c finds it by, but the first */

   Bool is_collecting;
   ULong frozen_clock[COST_MAX_EVENTS]; /* the clock when collection was switched off */

   ULong clock[COST_MAX_EVENTS];
   ULong clock_base[COST_MAX_EVENTS]; /* the clock when costs were last zeroed */
   ControlPoint at;
   const UChar* guest_state;
   StackTimeline timeline;
} ShadowStack;

/* The running thread's state, as generated code and the fast path need it at hand.  Its
   order matters: what every call and return touches shares two cache lines.  */
typedef struct {
   ULong* counters;  /* of the running context */
   UInt plain_flags; /* the flags of a frame that the fast path may leave */
   Frame* top;
   Frame* limit; /* the last frame that there is room for; NULL while the fast path may
                          enter nothing */
   Frame* rare_synced; /* the last frame whose `entry` has rare events; see rare_sync.h */
   UInt* activations;  /* the running stack's; with room for every function */

   /* The running thread's registers, once a return has shown where they are; until then
      shadowstack_no_guest_state.  */
   const UChar* guest_state;

   ControlPoint at; /* its beginning is needed together with the above */
   Frame* last;     /* the last frame that there is room for */
   ShadowStack* stack;
} ShadowstackNow;
extern ShadowstackNow shadowstack_now;
extern const UChar shadowstack_no_guest_state[sizeof(VexGuestArchState)]; /* zeros */

extern SizeT shadowstack_frame_size;             /* in bytes; constant once initialised */
#define SHADOWSTACK_PIN_SIZE (2 * sizeof(ULong)) /* of that, with --timeline */

/* After cost_init().  */
void shadowstack_init(void);

/* The call under way, or the jump that goes on from a stub: its site, or NULL.  (Function
   ids are small, pointers are not.)  */
static inline CallSite* shadowstack_pending_call(void)
{
   return shadowstack_now.at.current > SYMBOLS_MAX_FUNCTION_ID
             ? (CallSite*)shadowstack_now.at.current
             : NULL;
}

/* Where the cost of the stub is booked that the call or jump under way is in; NULL if
   none is.  */
static inline Arc* shadowstack_stub(void)
{
   if (shadowstack_now.at.stub != NULL)
      return shadowstack_now.at.stub;
   const CallSite* site = shadowstack_pending_call();
   return site != NULL ? site->stub_arc : NULL;
}

/* The arc of the stub, if its cost was booked on entry (callstack.h); otherwise NULL.
   While code runs no call is under way but in stubs.  */
static inline Arc* shadowstack_stub_passed(void)
{
   return shadowstack_now.at.stub == NULL ? shadowstack_stub() : NULL;
}

/*--------------------------------------------------------------------*/
/* Frames                                                              */

static inline Frame* shadowstack_below(const Frame* frame)
{
   return (Frame*)((UChar*)frame - shadowstack_frame_size);
}

static inline Frame* shadowstack_above(const Frame* frame)
{
   return (Frame*)((UChar*)frame + shadowstack_frame_size);
}

/* The barrier at the bottom of a stack.  */
static inline Frame* shadowstack_bottom(const ShadowStack* stack)
{
   return (Frame*)stack->memory;
}

/* The topmost frame of any stack, running or not.  */
Frame* shadowstack_top_of(const ShadowStack* stack);

/* The last frame that a stack has room for.  */
Frame* shadowstack_last_of(const ShadowStack* stack);

/* The frame with so many frames below it, not counting the bottom, which is at 0.  */
static inline Frame* shadowstack_at_depth(const ShadowStack* stack, UInt depth)
{
   return (Frame*)(stack->memory + depth * shadowstack_frame_size);
}

/* How many frames a stack has, without the bottom.  */
UInt shadowstack_depth(const ShadowStack* stack);

/* The function whose code runs in a frame; NULL for a barrier.  */
static inline Function* shadowstack_function(const Frame* frame)
{
   if (frame->flags & FrameSkipped)
      return frame->skipped_function;
   return frame->context != NULL ? frame->context->function : NULL;
}

/* --tail-calls=flat: is it `function` whose jump the frame's function came by?  */
static inline Bool shadowstack_was_jumped_from(const Frame* frame,
                                               const Function* function)
{
   return frame->flags & FrameInPlace && frame->jumped_from == function;
}

/* Where the frame's function is to return to.  */
static inline Addr shadowstack_return_address(const Frame* frame)
{
   return frame->flags == FRAME_PLAIN ? frame->arc->return_address
                                      : frame->return_address;
}

/* True if a stack pointer of `sp` shows that a return has left the frame with this
   slot.  */
static inline Bool shadowstack_is_left(Addr slot, Addr sp) { return slot < sp; }

/* Where a plain return from the frame with this slot leaves the stack pointer.  */
static inline Addr shadowstack_sp_after(Addr slot) { return slot + sizeof(Addr); }

/* `array`, moved if need be, with room for one more than its `n` entries of `size` bytes.
   For the arrays of a ShadowStack.  */
void* shadowstack_make_room(void* array, UInt n, UInt* capacity, SizeT size);

#endif
