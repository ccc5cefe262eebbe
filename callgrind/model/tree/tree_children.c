/* SPDX-License-Identifier: GPL-2.0-or-later

   Children of a node; see tree_children.h.

   Nearly all functions call few others, and a list will do.  But an interpreter's loop
   calls hundreds: such children are in child_table.c as well.  */

#include "model/tree/tree_children.h"

#include "model/tree/child_table.h"

/* More children than this are looked up in the table.  */
#define LONG_LIST 12

static void make_child_table(TreeNode* parent)
{
   parent->has_child_table = 1;
   for (TreeNode* child = parent->first_child; child != NULL; child = child->next_sibling)
      child_table_add(child);
}

/* In the list.  The child that is found comes to its front.  */
static TreeNode* find_listed(TreeNode* parent, UInt function, NodeKind kind)
{
   TreeNode** link = &parent->first_child;
   UInt n = 0;
   for (TreeNode* child; (child = *link) != NULL; link = &child->next_sibling, n++)
      if (child->function == function && child->kind == kind) {
         *link = child->next_sibling;
         child->next_sibling = parent->first_child;
         parent->first_child = child;
         return child;
      }
   if (n > LONG_LIST)
      make_child_table(parent);
   return NULL;
}

TreeNode* tree_children_find(TreeNode* parent, UInt function, NodeKind kind)
{
   return parent->has_child_table ? child_table_find(parent, function, kind)
                                  : find_listed(parent, function, kind);
}

TreeNode* tree_children_get(TreeNode* parent, UInt function, NodeKind kind)
{
   TreeNode* child = tree_children_find(parent, function, kind);
   if (child == NULL) {
      child = tree_node_make(parent, function, kind);
      if (parent->has_child_table)
         child_table_add(child);
   }
   return child;
}
