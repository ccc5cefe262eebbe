/* SPDX-License-Identifier: GPL-2.0-or-later

   The shadow stack as a data structure: frames, and what a thread knows while
   another one runs.  When frames come and go is decided above (callstack.c,
   thread.c).

   Time is the running thread's clock (cost.h).  A frame notes the clock when it
   is entered; the difference when it is left is the inclusive cost of its arc.
   While collection is off the clock is held where it stood, so that nobody else
   needs to ask.  */

#ifndef CALLGRIND_SHADOWSTACK_H
#define CALLGRIND_SHADOWSTACK_H

#include "model/arc.h"
#include "model/calltree.h"

typedef enum {
   FrameCounted = 1,      /* its function's activation counter was raised */
   FrameTail = 2,         /* entered by a jump: shares the stack slot of the frame below,
                        and is left together with it */
   FrameRoot = 4,         /* entered from nowhere: no arc */
   FrameSkipped = 8,      /* its function is not shown; `context` and `site` are those
                        of the nearest frame that is */
   FrameBarrier = 16,     /* no function: a signal interrupted what lies below, or
                         nothing lies below */
   FrameToggle = 32,      /* collection is toggled when it is left */
   FrameDump = 1024,      /* a part is written when it is left */
   FrameOverSkipped = 64, /* the frame below is bare: leaving it books something there */
   FrameInner = 256,   /* a call inside a function, to somewhere in its middle: the same
                          activation goes on */
   FrameOpenEnd = 128, /* what it was called by is not known, nor its true sp */
   FrameStackSwitch = 512, /* the activation below goes on with its stack pointer in other
                          memory: a region begins */
} FrameFlags;

/* The entry stack pointer of a frame whose true one is not known: above all others, so
   that it is taken for left only when its own function returns.  */
#define SHADOWSTACK_TOP_SP (~(Addr)0 - 1)

/* The commonest frame by far: entered by a call, with nothing special.  A jump's
   may have FrameTail besides.  */
#define FRAME_PLAIN FrameCounted
#define FRAME_NEVER (~0u) /* no frame's flags */

typedef struct {
   Addr sp;          /* stack pointer at entry: the return address lies there */
   Context* context; /* for whom its function's code counts; NULL: barrier */
   /* By which it was entered; bare: where its cost is booked; NULL: root.  */
   Arc* arc;
   UInt flags;     /* FrameFlags */
   TreeNode* node; /* with --call-tree: the path of calls to here; barrier: NULL */

   /* Unset in a plain frame, which is by far the commonest: see
      shadowstack_return_address() and shadowstack_function().  */
   Addr return_address;
   Function* skipped_function; /* bare: the function that was entered */
   CallSite* skipped_site;     /* bare: where in `context` control left it */

   /* The clock at entry, cost_stride() of it; bare: the clock up to which its cost
      is booked.  Of rare events it may be void; see rare_sync.h.  */
   ULong entry[];
} Frame;

/* Where a thread stands between superblocks.  */
typedef struct {
   UWord current;       /* the id of the function whose code may run on; or, after a call,
                      the CallSite*; or 0: nobody knows */
   CallSite* last_exit; /* the last jump or odd return that may have left its function; it
                      may be long ago */
   Arc* stub;    /* the call under way has come to a stub (PLT): where the stub's cost
                      is booked; otherwise NULL */
   Addr stub_sp; /* the stack pointer when it did */
   ULong stub_clock[COST_MAX_EVENTS]; /* up to where that cost is booked */
   Addr moved; /* the running function has set the stack pointer to this, which may be
                  on another stack (coroutine.h); otherwise 0 */
   Bool has_crossed; /* to the stack that was left there */
} ControlPoint;

/* A piece of the native stack whose frames lie one below the other.  A new one begins
   where a signal handler does, and where a function goes on in other memory.  */
typedef struct {
   Addr low; /* the stack pointer when the region was left; 0 while it is in use */
   Addr end; /* no frame's slot lies above */
} StackRegion;

/* One thread's shadow stack, and its part of shadowstack_now and of the clock
   while another thread runs.  */
typedef struct {
   UChar* memory; /* frames; the first is a barrier with nothing below it */
   Frame* top;    /* current only while another thread runs */
   UInt capacity; /* frames that `memory` has room for */

   UInt* activations; /* by function id: frames of it that count as recursion; NULL while
                         parked light */
   UInt n_activations;

   ControlPoint* interrupted; /* one for each barrier but the first */
   UInt n_interrupted, interrupted_capacity;

   StackRegion* regions; /* one for each barrier and bridge; the last is the topmost */
   UInt n_regions, region_capacity;

   ULong created, parked; /* for parking.c: what came first */

   Bool is_collecting;
   ULong frozen_clock[COST_MAX_EVENTS]; /* where the clock stood when collection
                                           was switched off */

   ULong clock[COST_MAX_EVENTS];
   ULong clock_base[COST_MAX_EVENTS]; /* the clock when costs were last zeroed */
   ControlPoint at;
   const UChar* guest_state;
} ShadowStack;

/* The running thread's state, as generated code and the transitions between
   functions need it at hand.  */
typedef struct {
   ULong* counters;  /* of the running context */
   UInt plain_flags; /* the flags of a frame that may be left the short way */
   Frame* top;
   Frame* limit; /* the last frame there is room for; NULL while nothing may be
                    entered the short way */
   Frame*
      rare_synced; /* the last frame that has noted the clock of rare events; see rare_sync.h */
   UInt* activations;        /* the running stack's; with room for every function */
   const UChar* guest_state; /* the running thread's, once a return has shown it;
                                until then shadowstack_no_guest_state */
   ControlPoint at;          /* the start of it is needed with the above */
   Frame* last;              /* the last frame there is room for */
   ShadowStack* stack;
} ShadowstackNow;
extern ShadowstackNow shadowstack_now;
extern const UChar shadowstack_no_guest_state[sizeof(VexGuestArchState)]; /* zeros */

/* The call under way: its site, or NULL.  Ids are small, pointers are not.  */
static inline CallSite* shadowstack_pending_call(void)
{
   return shadowstack_now.at.current > SYMBOLS_MAX_FUNCTION_ID
             ? (CallSite*)shadowstack_now.at.current
             : NULL;
}

/* Costs that have left all clocks: of signal handlers, and of threads gone.  */
extern ULong shadowstack_retired_cost[COST_MAX_EVENTS];

/* After cost_init().  */
void shadowstack_init(void);

ShadowStack* shadowstack_new(void);

/*--------------------------------------------------------------------*/
/* Frames, of the running thread unless a stack is named.              */

extern SizeT shadowstack_frame_size; /* in bytes; constant once initialised */

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

Frame* shadowstack_top_of(const ShadowStack* stack);
UInt shadowstack_depth(const ShadowStack* stack); /* without the bottom */

/* True if a stack pointer of `sp` shows that the frame entered at `frame_sp` has
   been left by a return.  */
static inline Bool shadowstack_is_left(Addr frame_sp, Addr sp)
{
   return CALL_PUSHES_RETURN_ADDRESS ? frame_sp < sp : frame_sp <= sp;
}

/* Where a plain return from the frame entered at `frame_sp` leaves the stack pointer.  */
static inline Addr shadowstack_sp_after(Addr frame_sp)
{
   return CALL_PUSHES_RETURN_ADDRESS ? frame_sp + sizeof(Addr) : frame_sp;
}

/* The function whose code runs in a frame; NULL for a barrier.  */
static inline Function* shadowstack_function(const Frame* frame)
{
   if (frame->flags & FrameSkipped)
      return frame->skipped_function;
   return frame->context != NULL ? frame->context->function : NULL;
}

/* Where the frame's function is to return to.  */
static inline Addr shadowstack_return_address(const Frame* frame)
{
   return frame->flags == FRAME_PLAIN ? frame->arc->return_address
                                      : frame->return_address;
}

/* The topmost frame of a stack that a stack pointer of `sp` has not left behind.  Frames
   of a region are reached only from that region.  */
Frame* shadowstack_first_not_left(const ShadowStack* stack, Addr sp);

/* True if `sp` lies on the stack, in any region of it.  */
Bool shadowstack_holds(const ShadowStack* stack, Addr sp);

/* The frame from which a return to `target`, which leaves the stack pointer at `sp`, is
   the plain one, below those that jumped on from it; NULL if there is none in the running
   region or across a bridge.  */
Frame* shadowstack_find_return(const ShadowStack* stack, Addr target, Addr sp);

static inline StackRegion* shadowstack_region(const ShadowStack* stack)
{
   return &stack->regions[stack->n_regions - 1];
}

/* A new topmost frame, entered now, without an arc.  What a bare frame below has
   spent is booked.  */
Frame* shadowstack_push(Context* context, Addr sp, Addr return_address, UInt flags);

/* Books what a bare frame costs on `caller`, at `site`.  Where nobody who is shown has led
   to it (NULL), that is the context of skipped code.  */
static inline void shadowstack_book_on(Frame* bare, Context* caller, CallSite* site)
{
   if (caller == NULL) {
      caller = context_of_skipped();
      site = callsite_unknown(caller->function);
   }
   bare->context = caller;
   bare->skipped_site = site;
   bare->arc = arc_get(caller, site, NULL, NULL);
}

/* A new topmost frame of `function`, which is not shown, booked as above.  */
static inline void shadowstack_push_skipped(Function* function, Context* caller,
                                            CallSite* site, Addr sp, Addr return_address,
                                            UInt flags)
{
   Context* context = caller != NULL ? caller : context_of_skipped();
   Frame* frame = shadowstack_push(context, sp, return_address, flags | FrameSkipped);
   frame->skipped_function = function;
   shadowstack_book_on(frame, caller, site);
}

/* A barrier: what lies below has been interrupted by a signal at the stack pointer `sp`.
   What runs now has stack up to `end`.  */
void shadowstack_push_barrier(Addr sp, Addr end);

/* The topmost frame's function goes on with its stack pointer at `moved`, in other
   memory; where it was is in the topmost region's `low`.  */
void shadowstack_push_stack_switch(Addr moved);

/* Leaves the topmost frame and books its cost.  */
void shadowstack_pop(void);

/* Makes shadowstack_now say that the topmost frame runs.  */
void shadowstack_run_top(void);

/* Nothing is entered or left the short way until shadowstack_run_top().  */
void shadowstack_disable_fast_path(void);

/* Books what a stub has cost up to now, if the call under way is in one.  */
void shadowstack_book_stub(void);

/* With --call-tree: sets the node of `frame` by what it is and by that of `below`, which
   was left in the code of `inlined`.  */
void shadowstack_find_node(Frame* frame, const Frame* below, const Inlined* inlined);

/* The counter of active frames of a function.  */
static inline UInt* shadowstack_activations(const Function* function)
{
   return &shadowstack_now.activations[function->id];
}

/* Sets the clock back to where collection was switched off, if it is off.  To be
   called before the clock is looked at.  (Where that is a step back for rare events, all
   frames have noted them: whoever counted one let them catch up, and no short way has been
   open since.)  */
static inline void shadowstack_hold_clock(void)
{
   if (UNLIKELY(!shadowstack_now.stack->is_collecting))
      cost_copy(cost_clock, shadowstack_now.stack->frozen_clock);
}

void shadowstack_set_collecting(ShadowStack* stack, Bool collecting);

/*--------------------------------------------------------------------*/
/* Stacks as a whole                                                   */

/* Parks the running thread's stack and takes up `stack`.  */
void shadowstack_switch_to(ShadowStack* stack);

/* Counter arrays may have moved: fetch the running context's anew.  */
void shadowstack_counters_moved(void);

/* Books what every open frame has spent so far, and starts them anew from
   here.  Frames stay.  */
void shadowstack_flush_inclusive(ShadowStack* stack);

/* Leaves all frames, booking their costs.  */
void shadowstack_clear(ShadowStack* stack);

/* Forgets all frames without booking: a forked child's other threads.  */
void shadowstack_abandon(ShadowStack* stack);

/* Gives back what a stack that does not run needs only while it does, if that is quick to
   rebuild: of a thousand coroutines few are deep.  shadowstack_switch_to() rebuilds it. */
void shadowstack_shrink_parked(ShadowStack* stack);

/* Books all that is open, and frees the stack, which must not be any thread's.  */
void shadowstack_free(ShadowStack* stack);

/* Repairs: places where the shadow stack turned out not to be what the program's own
   stack is.  Counted, and reported at exit with -v.  */
typedef enum {
   RepairUnderflow,    /* more frames were to be left than there were */
   RepairUnknownBlock, /* code ran that is on no record */
   RepairReseeded,     /* a stack was rebuilt from the native one */
   RepairKinds
} RepairKind;
void shadowstack_count_repair(RepairKind kind);

/* One line in the log, if there were any.  */
void shadowstack_report_repairs(void);

/* --ct-check; says what is wrong in the log.  */
Bool shadowstack_is_valid(const ShadowStack* stack);

#endif
