/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding the children of a node of the call tree.  */

#ifndef CALLGRIND_TREE_CHILDREN_H
#define CALLGRIND_TREE_CHILDREN_H

#include "model/tree/tree_node.h"

/* The child of this function and kind; NULL if there is none.  */
TreeNode* tree_children_find(TreeNode* parent, UInt function, NodeKind kind);

/* As tree_children_find(), and made if there is none.  */
TreeNode* tree_children_get(TreeNode* parent, UInt function, NodeKind kind);

#endif
