/* SPDX-License-Identifier: GPL-2.0-or-later

   Arc: that one context called another from one call site; how often, and what
   was spent until the callee gave control back (inclusive cost).

   An arc without a callee holds the cost of code that the profile does not show
   (PLT stubs, skipped functions): self cost of the caller at that site.  */

#ifndef CALLGRIND_ARC_H
#define CALLGRIND_ARC_H

#include "model/callsite.h"
#include "model/context.h"

/* Where in a callee control arrives.  */
typedef struct {
   Addr file_address;
   UInt line;
} ArcTarget;

typedef struct Arc {
   VgHashNode node;
   Context* caller;
   CallSite* site;
   Context* callee; /* NULL: cost of code that is not shown */
   struct Arc* next_of_caller;

   ArcTarget target; /* where in the callee control arrived first */

   /* Where it arrived last: control that arrives there from the same site has taken
      this arc.  0 if that is not known, or if entering the callee has effects of
      its own.  */
   Addr last_target;
   Addr return_address; /* the site's, at hand */

   ULong calls;
   ULong inclusive[]; /* cost_stride() of them; with --call-tree, ArcNodes behind */
} Arc;

/* The nodes between which an arc was taken last.  */
typedef struct {
   struct TreeNode* caller;
   struct TreeNode* callee;
} ArcNodes;

static inline ArcNodes* arc_nodes(Arc* arc)
{
   return (ArcNodes*)(arc->inclusive + cost_stride());
}

void arc_init(void);

/* The arc from `caller` at `site` to `callee`, made at its first use; control has
   arrived at `target` (NULL if `callee` is).  */
Arc* arc_get(Context* caller, CallSite* site, Context* callee, const ArcTarget* target);

/* The same for an arc that is entered at the start of `block`.  */
Arc* arc_to_block(Context* caller, CallSite* site, Context* callee, const Block* block);

/* The arc by which control came from `caller` at `site` to guest address `target`
   the last time; NULL if that is not known any more.  Fast.  */
Arc* arc_recall(const Context* caller, const CallSite* site, Addr target);

/* What arc_recall() shall find: control has come to `target` by `arc`.  */
void arc_remember(Arc* arc, Addr target);

/* Other code has come to where arcs arrive: nothing is remembered any more.  */
void arc_forget_targets(void);

/* Nodes of the call tree have gone: none is remembered any more.  */
void arc_forget_nodes(void);

/* Sets counts and costs of a thread's arcs (0: of all) to zero; the arcs stay.  */
void arc_zero(UInt thread);

/* How many arcs to a callee there are, and how many calls they have counted since the
   program began, whatever has been zeroed since.  */
UInt arc_count(void);
ULong arc_calls_so_far(void);

/* --ct-check; says what is wrong in the log.  */
Bool arc_all_valid(void);

#endif
