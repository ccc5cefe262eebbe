/* SPDX-License-Identifier: GPL-2.0-or-later

   Arc: caller context, call site, callee context; how often that call was made, and what
   was spent until the callee returned (inclusive cost).

      Context caller --first_arc--> Arc --next_of_caller--> Arc ...
      CallSite       --last_arc---> the one it took last
      Arc            --callee-----> Context

   An arc without a callee holds the cost of stubs and skipped functions that were
   called from the site: self cost of the caller, their owner.  */

#ifndef CALLGRIND_ARC_H
#define CALLGRIND_ARC_H

#include "base/host_lines.h"
#include "model/callsite.h"
#include "model/context.h"

/* Where in a callee control arrives.  */
typedef struct {
   Addr file_address;
   UInt line;
} ArcTarget;

typedef struct Arc {
   struct Arc* next_of_caller;
   ArcTarget target; /* where in the callee control arrived first */
   const void*
      host_target; /* the host's code at last_target (instrument/host/dispatch.h) */
   struct Arc* next_of_target;  /* arc_targets.c has the arcs by last_target */
   struct Arc** link_of_target; /* what points to this one there */
   UInt open_calls;             /* made, and not over, when costs were last set to zero */

   /* What calls and returns of the fast path use lies in one line of the host's cache,
      with the first of the costs.  */
   Context* caller __attribute__((aligned(HOST_LINE)));
   CallSite* site;
   Context* callee; /* NULL: cost of stubs and skipped code */

   /* Where it arrived last: control that arrives there from the same site has taken this
      arc.  0 if that is not known, or if entering the callee has effects (effects.h).  */
   Addr last_target;
   Addr return_address; /* the site's, for the fast path */
   UInt callee_id;      /* the callee's function, for the fast path; without a callee, the
                           stub at last_target, if any */

   ULong calls;
   ULong inclusive[]; /* cost_stride() numbers; with --call-tree, ArcNodes behind */
} Arc;

/* One that leads nowhere, so that the fast path need not ask whether a site has one
   (callsite_init()).  */
extern Arc arc_none;

/* What else its host target may be: NULL, if it is not known, or none.  */
#define ARC_NO_HOST_TARGET ((const void*)1)
static inline Bool arc_has_host_target(const Arc* arc)
{
   return (UWord)arc->host_target > (UWord)ARC_NO_HOST_TARGET;
}

/* The nodes of the call tree between which an arc was taken last; `caller` is NULL if
   they are not known.  */
typedef struct {
   struct TreeNode* caller;
   struct TreeNode* callee;
   struct Arc* next; /* of those that know their nodes */
} ArcNodes;

static inline ArcNodes* arc_nodes(Arc* arc)
{
   return (ArcNodes*)(arc->inclusive + cost_stride());
}

/* The arc from `caller` at `site` to `callee`, made at its first use, never freed.
   Control has arrived at `target` (NULL if `callee` is).  */
Arc* arc_get(Context* caller, CallSite* site, Context* callee, const ArcTarget* target);

/* As arc_get(), for an arc that is entered at the start of `block`.  */
Arc* arc_to_block(Context* caller, CallSite* site, Context* callee, const Block* block);

/* The arc has been taken between these two nodes.  */
void arc_remember_nodes(Arc* arc, struct TreeNode* caller, struct TreeNode* callee);

/* Nodes of the call tree have been freed: makes all arcs forget theirs.  */
void arc_forget_nodes(void);

/* Sets counts and costs of a thread's arcs (0: of all) to zero; the arcs stay.  The calls
   that are open are counted anew, see arc_count_open().  */
void arc_zero(UInt thread);

/* After arc_zero() for `thread`: a call by `arc` is still open.  Counts it if the arc is
   one of those that were zeroed.  */
void arc_count_open(Arc* arc, UInt thread);

/* How many calls are shown of an arc to a callee: those that were made.  If none was, but
   calls that were open before have cost something, these, and at least 1: readers take
   the cost behind calls=0 for the caller's own.  */
ULong arc_shown_calls(const Arc* arc);

/* How many arcs to a callee there are, and how many calls they have counted since the
   program began, including those that were zeroed.  */
UInt arc_count(void);
ULong arc_calls_so_far(void);

/* --ct-check: says in the log what is wrong.  */
Bool arc_all_valid(void);

#endif
