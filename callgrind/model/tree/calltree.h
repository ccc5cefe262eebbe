/* SPDX-License-Identifier: GPL-2.0-or-later

   Call tree (--call-tree=yes): one node for each path of calls from where a thread's
   stack begins, with how often it was taken and what was spent at its end.  What a tree
   looks like is in tree_node.h.

   Every frame of a shadow stack has a node; that of the topmost frame runs.  What the
   clock advances is the running node's self cost.  It is booked when another node takes
   its place: so nothing is lost and nothing is counted twice, whatever becomes of frames.

   A skipped function has no node of its own: its frames have its owner's.  */

#ifndef CALLGRIND_CALLTREE_H
#define CALLGRIND_CALLTREE_H

#include "guest/symbols.h"
#include "model/cost.h"
#include "model/tree/calltree_inlined.h"
#include "model/tree/tree_node.h"
#include "model/tree/tree_prune.h"

/* What runs, for every call and return.  */
typedef struct {
   TreeNode* node; /* NULL: none */

   /* Where generated code adds what inlined functions cost, cost_stride() numbers for
      each slot of the running function (calltree_inlined.h).  */
   ULong* inlined;

   /* The clock up to which self costs are booked.  */
   ULong booked[COST_MAX_EVENTS] __attribute__((aligned(16)));
} CalltreeNow;
extern CalltreeNow calltree_now;

/* After cost_init().  */
void calltree_init(void);

/* A hook: `visit` names the nodes that pruning must not drop, those of all frames.
   Installed by thread_init(): the shadow stacks lie above model/.  */
void calltree_keep(TreeVisitKept* visit);

/* `thread` runs from now on.  */
void calltree_set_thread(UInt thread);

/* Where the running thread's paths begin; made at its first use.  */
TreeNode* calltree_thread(void);

/* As calltree_thread(), of any thread; NULL if it has none.  */
TreeNode* calltree_of_thread(UInt thread);

/* The path of `parent` and then `function`; made at its first use.  May prune: of the
   other nodes, those of frames stay.  */
TreeNode* calltree_child(TreeNode* parent, const Function* function, NodeKind kind);

/* How many nodes there are.  */
ULong calltree_count(void);

/* Books what the running node has spent.  */
static inline void calltree_book(void)
{
   if (calltree_now.node != NULL)
      cost_add_span(calltree_now.node->self, cost_clock, calltree_now.booked);
   cost_copy(calltree_now.booked, cost_clock);
}

/* The clock of the event with index `e` has been advanced by `count` just now, which is
   the self cost of `node` (NULL: of none), not of the running node.  */
static inline void calltree_add(TreeNode* node, UInt e, ULong count)
{
   if (node != NULL)
      node->self[e] += count;
   calltree_now.booked[e] += count;
}

/* `node` runs from now on.  */
static inline void calltree_run(TreeNode* node)
{
   calltree_book();
   calltree_now.node = node;
}

/* The clock has been set to another time; what it said before is booked or void.  */
static inline void calltree_clock_was_set(void)
{
   cost_copy(calltree_now.booked, cost_clock);
}

/* After calltree_run(): from now on what inlined functions cost is the running node's, if
   `is_counted`; otherwise it is dropped.  */
void calltree_count_inlined(Bool is_counted);

/* Makes nodes of all inlined functions that have cost anything.  Before nodes are
   written.  */
void calltree_split_inlined(void);

/* Sets calls and costs of a thread's paths (0: of all) to zero; the paths stay.  */
void calltree_zero(UInt thread);

#endif
