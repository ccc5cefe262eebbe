/* SPDX-License-Identifier: GPL-2.0-or-later

   Finds a child of a call tree's node among very many: a set of nodes, sought by parent,
   function and kind.  */

#ifndef CALLGRIND_CHILD_TABLE_H
#define CALLGRIND_CHILD_TABLE_H

#include "model/calltree.h"

/* `child` must not be there yet, and stays its owner's.  Its parent, function and kind
   may not change while it is there.  */
void child_table_add(TreeNode* child);

/* NULL if there is none.  */
TreeNode* child_table_find(const TreeNode* parent, UInt function, NodeKind kind);

/* `child` has to be there.  */
void child_table_remove(const TreeNode* child);

#endif
