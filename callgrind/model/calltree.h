/* SPDX-License-Identifier: GPL-2.0-or-later

   Call tree (--call-tree=yes): one node for each path of calls from where a thread's stack
   begins, with how often it was taken and what was spent at its end.

   Every frame of a shadow stack has a node; that of the topmost frame runs.  What the
   clock advances is the running node's self cost, booked when another one takes its
   place: so nothing is lost and nothing is counted twice, whatever becomes of frames.

   A function that is not shown has no node of its own: its frames have that of the nearest
   one below that is shown.  */

#ifndef CALLGRIND_CALLTREE_H
#define CALLGRIND_CALLTREE_H

#include "guest/symbols.h"
#include "model/cost.h"

typedef enum {
   NodeCalled,
   NodeInlined, /* a function that was inlined into its parent */
   NodeSkipped, /* code that is not shown, without a visible caller */
   NodePruned,  /* the sum of what was left out below its parent */
   NodeThread   /* no function: where a thread's paths begin */
} NodeKind;

typedef struct TreeNode {
   struct TreeNode* parent;
   struct TreeNode* first_child; /* the one looked up last first, unless there are many */
   struct TreeNode* next_sibling;
   struct InlinedCosts* inlined; /* what of its self cost is inlined code's; or NULL */
   UInt function : 28;           /* id; of NodeInlined: that of the Inlined */
   UInt kind : 3;                /* NodeKind */
   UInt has_child_table : 1;     /* its children are found by a table */
   UInt number;                  /* for whoever walks over the tree */
   ULong calls;
   ULong self[]; /* cost_stride() of them */
} TreeNode;

/* What runs.  Looked at by what every call and return does.  */
typedef struct {
   TreeNode* node; /* NULL: nobody */
   /* Where generated code puts what inlined functions cost, cost_stride() numbers for
      each slot of the running function (calltree_inlined_slot()).  */
   ULong* inlined;
   /* The clock up to which self costs are booked.  */
   ULong booked[COST_MAX_EVENTS] __attribute__((aligned(16)));
} CalltreeNow;
extern CalltreeNow calltree_now;

/* After cost_init().  */
void calltree_init(void);

/* Which thread runs from now on; and where its paths begin.  */
void calltree_set_thread(UInt thread);
TreeNode* calltree_thread(void);

/* The same of any thread; NULL if it has none.  */
TreeNode* calltree_of_thread(UInt thread);

/* The path of `parent` and then `function`; made at its first use.  */
TreeNode* calltree_child(TreeNode* parent, const Function* function, NodeKind kind);

/* The path that a call from inlined code continues: `node`, if `inlined` is NULL.  */
TreeNode* calltree_inlined(TreeNode* node, const Inlined* inlined);

/* The slot of an inlined function in the function that it is part of.  */
UInt calltree_inlined_slot(const Function* function, const Inlined* inlined);

/* Are there any?  */
extern Bool calltree_has_inlined;

/* From now on the running node's inlined code is counted, if `is_counted`; otherwise what
   generated code adds is lost.  After calltree_run().  */
void calltree_count_inlined(Bool is_counted);

/* Makes nodes of all inlined functions that have cost anything.  */
void calltree_split_inlined(void);

/* Books what the running node has spent.  */
static inline void calltree_book(void)
{
   if (calltree_now.node != NULL)
      cost_add_span(calltree_now.node->self, cost_clock, calltree_now.booked);
   cost_copy(calltree_now.booked, cost_clock);
}

/* From now on `node` runs.  */
static inline void calltree_run(TreeNode* node)
{
   calltree_book();
   calltree_now.node = node;
}

/* The clock has been set to another time: what it said before is booked or void.  */
static inline void calltree_clock_was_set(void)
{
   cost_copy(calltree_now.booked, cost_clock);
}

/* Sets calls and costs of a thread's paths (0: of all) to zero; the paths stay.  */
void calltree_zero(UInt thread);

/* The paths that begin with `first`, each parent before its children: the next one, or
   NULL after the last.  */
TreeNode* calltree_next(const TreeNode* first, const TreeNode* node);

/* How many nodes there are.  */
ULong calltree_count(void);

/* With --call-tree-max-nodes, the cheapest nodes make room for new ones; those on a stack
   must stay.  `visit` is to call `keep` for each of those.  */
typedef void CalltreeVisitKept(void (*keep)(TreeNode* node));
void calltree_keep(CalltreeVisitKept* visit);

#endif
