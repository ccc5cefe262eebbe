/* SPDX-License-Identifier: GPL-2.0-or-later

   Pruning the call tree (--call-tree-max-nodes): the nodes that cost least are
   dropped.  The sum of what was dropped below a node stays there, as a node of its
   own (NodePruned).  */

#ifndef CALLGRIND_TREE_PRUNE_H
#define CALLGRIND_TREE_PRUNE_H

#include "model/tree/tree_node.h"

/* Calls `keep` for each node that must stay (NULL: none).  */
typedef void TreeVisitKept(void (*keep)(TreeNode* node));

/* Drops about half of the nodes below the `n_roots` roots (NULL: not there), which
   are all that there are.  Those that `visit_kept` names and those that lead to them
   stay, and of the others those that cost more than half of them.  Costs must be
   booked, and inlined functions have nodes of their own.  Returns how many nodes it has
   looked at: all, and again each that was named.  */
ULong tree_prune(TreeNode* const* roots, UInt n_roots, TreeVisitKept* visit_kept);

#endif
