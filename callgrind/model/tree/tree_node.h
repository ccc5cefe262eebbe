/* SPDX-License-Identifier: GPL-2.0-or-later

   The nodes of the call tree (calltree.h): their memory, and walking over them.

      thread 1          NodeThread, without a function
       `- main          first_child
           |- f         first_child
           |   `- g
           `- g         next_sibling: another path, so another node

   A node's children are a list.  If it gets long they are found by a table as well
   (tree_children.h).  */

#ifndef CALLGRIND_TREE_NODE_H
#define CALLGRIND_TREE_NODE_H

#include "core_version.h"

typedef enum {
   NodeCalled,
   NodeInlined, /* a function that was inlined into its parent */
   NodeSkipped, /* skipped code without an owner */
   NodePruned,  /* the sum of what was pruned below its parent */
   NodeThread   /* no function: where a thread's paths begin */
} NodeKind;

typedef struct TreeNode {
   struct TreeNode* parent;      /* of NodeThread: NULL */
   struct TreeNode* first_child; /* the last one looked up, unless there is a table */
   struct TreeNode* next_sibling;
   struct InlinedCosts* inlined; /* what of its self cost is inlined code's; or NULL */
   UInt function : 28;           /* id; of NodeInlined: that of the Inlined */
   UInt kind : 3;                /* NodeKind */
   UInt has_child_table : 1;     /* its children are found by a table */
   UInt number;                  /* free for use by those who walk over the tree */
   ULong calls;
   ULong self[]; /* cost_stride() numbers */
} TreeNode;

/* A new node without children, calls and cost: the first child of `parent`, or a root if
   that is NULL.  */
TreeNode* tree_node_make(TreeNode* parent, UInt function, NodeKind kind);

/* Gives back a node that nothing refers to any more.  Its `inlined` is freed.  */
void tree_node_free(TreeNode* node);

/* How many nodes there are.  */
ULong tree_node_count(void);

/* Walks over `first` and all below, each parent before its children: the node after
   `node`, or NULL after the last.  */
TreeNode* tree_node_next(const TreeNode* first, const TreeNode* node);

#endif
