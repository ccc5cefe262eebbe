/* SPDX-License-Identifier: GPL-2.0-or-later

   A set of nodes of the call tree, found by parent, function and kind: for parents
   that have very many children.  */

#ifndef CALLGRIND_CHILD_TABLE_H
#define CALLGRIND_CHILD_TABLE_H

#include "model/tree/tree_node.h"

/* `child` must not be in the set yet, and stays its owner's.  Its parent, function
   and kind may not change while it is in the set.  */
void child_table_add(TreeNode* child);

/* NULL if there is none.  */
TreeNode* child_table_find(const TreeNode* parent, UInt function, NodeKind kind);

/* `child` has to be in the set.  */
void child_table_remove(const TreeNode* child);

#endif
