/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined functions in the call tree.

   What inlined functions cost is counted by slots.  Each function has a list of those
   that are inlined into it; the place in the list is the slot.  A node has, when it first
   runs, a cost vector for each slot of its function, and generated code adds to them.

      function f     slots: | strlen | min |
      node of f      costs: | vector | vector |     cost_stride() numbers each

   These costs are part of the node's self cost.  Only when the tree is written,
   zeroed or pruned do they become nodes of their own (NodeInlined).  */

#ifndef CALLGRIND_CALLTREE_INLINED_H
#define CALLGRIND_CALLTREE_INLINED_H

#include "guest/symbols.h"
#include "model/tree/tree_node.h"

/* Is there any slot?  */
extern Bool calltree_has_inlined;

/* The slot of an inlined function in the function that it is part of; made at its first
   use.  Before any code that counts there runs.  */
UInt calltree_inlined_slot(const Function* function, const Inlined* inlined);

/* The costs of a node's slots, with room for all that there are by now; NULL if its
   function has none.  Valid until the next call for this node.  */
ULong* calltree_inlined_costs(TreeNode* node);

/* Costs for code that is not counted, with room for any function's slots; nobody reads
   them.  Only if calltree_has_inlined.  */
ULong* calltree_inlined_scratch(void);

/* The node of `inlined` below `node`, by way of the functions that it is inlined
   into; made at its first use.  `node` itself if `inlined` is NULL.  */
TreeNode* calltree_inlined(TreeNode* node, const Inlined* inlined);

/* Moves what a node's inlined functions have cost into nodes of their own.  */
void calltree_inlined_split(TreeNode* node);

/* Sets it to zero.  */
void calltree_inlined_zero(TreeNode* node);

#endif
