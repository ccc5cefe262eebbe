/* SPDX-License-Identifier: GPL-2.0-or-later

   Pruning; see tree_prune.h.

   All nodes are numbered, parents first, and get their inclusive cost in
   instructions, or KEPT.  A threshold is chosen, below which about half of them lie.
   Then what is below it is taken out of lists and table, its costs are moved up, and
   it is freed: in this order, because each step needs the parents of what goes.  */

#include "model/tree/tree_prune.h"

#include "model/cost.h"
#include "model/tree/child_table.h"
#include "model/tree/tree_children.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

/* Only while pruning.  */
static TreeNode** all;   /* by number */
static ULong* inclusive; /* by number */
static UInt n_all;
static ULong n_named; /* how often keep() was called */

#define KEPT (~(ULong)0) /* as inclusive cost: it stays */

static void gather(TreeNode* const* roots, UInt n_roots)
{
   all = VG_(malloc)("calltree.all", tree_node_count() * sizeof *all);
   inclusive = VG_(malloc)("calltree.inclusive", tree_node_count() * sizeof *inclusive);
   n_all = 0;
   for (UInt i = 0; i < n_roots; i++)
      for (TreeNode* node = roots[i]; node != NULL;
           node = tree_node_next(roots[i], node)) {
         node->number = n_all;
         inclusive[n_all] = node->self[CostIr];
         all[n_all++] = node;
      }
   tl_assert(n_all == tree_node_count());
}

static void keep(TreeNode* node)
{
   n_named++;
   for (; node != NULL && inclusive[node->number] != KEPT; node = node->parent)
      inclusive[node->number] = KEPT;
}

/* Makes inclusive costs of self costs.  From the last to the first: children before
   parents.  */
static void add_up(void)
{
   for (UInt i = n_all; i-- > 0;) {
      const TreeNode* parent = all[i]->parent;
      if (parent == NULL)
         inclusive[i] = KEPT;
      else if (inclusive[i] != KEPT && inclusive[parent->number] != KEPT)
         inclusive[parent->number] += inclusive[i];
   }
}

/* The cost that half of the nodes that may go, or a few more, stay below: a power of two.
   0 if none may go.  */
static ULong threshold_for_half(void)
{
   UInt n_below[65] = {0}; /* by bits */
   UInt n_may_go = 0;
   for (UInt i = 0; i < n_all; i++) {
      if (inclusive[i] == KEPT || all[i]->kind == NodePruned)
         continue;
      UInt bits = 0;
      while (bits < 63 && inclusive[i] >> bits != 0)
         bits++;
      n_below[bits]++;
      n_may_go++;
   }
   UInt n = 0;
   for (UInt bits = 0; bits < 64; bits++) {
      n += n_below[bits];
      if (n_may_go > 0 && n >= n_may_go / 2 + 1)
         return (ULong)1 << bits;
   }
   return 0;
}

/* The sum of what was pruned earlier goes with its parent.  */
static Bool is_pruned(const TreeNode* node, ULong threshold)
{
   return node->kind != NodePruned ? inclusive[node->number] < threshold
                                   : inclusive[node->parent->number] < threshold;
}

/* Takes the children that go out of the list of a node that stays.  */
static void unlink_children(TreeNode* parent, ULong threshold)
{
   TreeNode** link = &parent->first_child;
   while (*link != NULL) {
      TreeNode* child = *link;
      if (child->kind != NodePruned && inclusive[child->number] < threshold)
         *link = child->next_sibling;
      else
         link = &child->next_sibling;
   }
}

/* Adds what each node that goes has cost to the sum below the nearest parent that stays.
   That is looked up, not walked to: a recursion may leave a path of any length.  */
static void move_costs(ULong threshold)
{
   TreeNode** stays = VG_(malloc)("calltree.stays", n_all * sizeof *stays);
   for (UInt i = 0; i < n_all; i++) {
      TreeNode* node = all[i];
      if (node->parent == NULL || !is_pruned(node, threshold)) {
         stays[i] = node;
         continue;
      }
      stays[i] = stays[node->parent->number];
      TreeNode* sum = tree_children_get(stays[i], 0, NodePruned);
      sum->calls += node->calls;
      cost_add(sum->self, node->self);
   }
   VG_(free)(stays);
}

static void drop_below(ULong threshold)
{
   for (UInt i = 0; i < n_all; i++)
      if (!is_pruned(all[i], threshold))
         unlink_children(all[i], threshold);
   move_costs(threshold);
   for (UInt i = n_all; i-- > 0;)
      if (is_pruned(all[i], threshold) && all[i]->parent->has_child_table)
         child_table_remove(all[i]);
   for (UInt i = n_all; i-- > 0;)
      if (is_pruned(all[i], threshold))
         tree_node_free(all[i]);
}

ULong tree_prune(TreeNode* const* roots, UInt n_roots, TreeVisitKept* visit_kept)
{
   n_named = 0;
   gather(roots, n_roots);
   visit_kept(keep);
   add_up();
   ULong threshold = threshold_for_half();
   if (threshold != 0)
      drop_below(threshold);
   VG_(free)(all);
   VG_(free)(inclusive);
   return n_all + n_named;
}
