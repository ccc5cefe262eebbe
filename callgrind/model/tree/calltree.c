/* SPDX-License-Identifier: GPL-2.0-or-later

   The call tree; see calltree.h.  Owns the roots, one for each thread, and the state of
   what runs.  */

#include "model/tree/calltree.h"

#include "model/arc.h"
#include "model/tree/tree_children.h"
#include "options/options.h"

#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

CalltreeNow calltree_now;

static TreeNode** threads; /* by thread; NULL: nothing ran */
static UInt running_thread;
static ULong prune_at; /* as many nodes */

void calltree_init(void)
{
   threads = VG_(calloc)("calltree.threads", VG_N_THREADS, sizeof *threads);
   prune_at = options.call_tree_max_nodes != 0 ? options.call_tree_max_nodes : ~(ULong)0;
}

ULong calltree_count(void) { return tree_node_count(); }

/*--------------------------------------------------------------------*/
/* Threads                                                             */

void calltree_set_thread(UInt thread) { running_thread = thread; }

TreeNode* calltree_thread(void)
{
   if (threads[running_thread] == NULL)
      threads[running_thread] = tree_node_make(NULL, 0, NodeThread);
   return threads[running_thread];
}

TreeNode* calltree_of_thread(UInt thread) { return threads[thread]; }

/*--------------------------------------------------------------------*/
/* Pruning                                                             */

static TreeVisitKept* visit_frames;
static TreeNode* new_parent; /* of the node that there must be room for */

void calltree_keep(TreeVisitKept* visit) { visit_frames = visit; }

static void visit_kept(void (*keep)(TreeNode* node))
{
   visit_frames(keep);
   keep(new_parent);
   keep(calltree_now.node);
}

/* Makes room for a child of `parent`.  */
static void prune(TreeNode* parent)
{
   calltree_book();
   calltree_split_inlined();
   new_parent = parent;
   ULong n_looked_at = tree_prune(threads, VG_N_THREADS, visit_kept);
   arc_forget_nodes();
   /* If nearly all nodes are those of frames, few were dropped.  The next time comes
      after a number of new nodes that grows with the work, so that a recursion takes time
      by its depth, not by its square.  */
   ULong n_until_next = n_looked_at / 4;
   if (n_until_next < options.call_tree_max_nodes / 8)
      n_until_next = options.call_tree_max_nodes / 8;
   prune_at = tree_node_count() + n_until_next + 1;
   if (prune_at < options.call_tree_max_nodes)
      prune_at = options.call_tree_max_nodes;
}

/*--------------------------------------------------------------------*/
/* Paths                                                               */

/* --call-tree-fold-recursion: the node of this function on the path that ends at
   `node`.  */
static TreeNode* find_on_path(TreeNode* node, UInt function)
{
   for (; node != NULL; node = node->parent)
      if (node->function == function && node->kind == NodeCalled)
         return node;
   return NULL;
}

TreeNode* calltree_child(TreeNode* parent, const Function* function, NodeKind kind)
{
   TreeNode* found = tree_children_find(parent, function->id, kind);
   if (found == NULL && options.call_tree_fold_recursion && kind == NodeCalled)
      found = find_on_path(parent, function->id);
   if (found != NULL)
      return found;
   if (tree_node_count() >= prune_at)
      prune(parent);
   return tree_children_get(parent, function->id, kind);
}

/*--------------------------------------------------------------------*/
/* Inlined functions                                                   */

void calltree_count_inlined(Bool is_counted)
{
   if (!calltree_has_inlined)
      return;
   TreeNode* node = calltree_now.node;
   ULong* costs = NULL;
   if (is_counted && node != NULL && node->kind == NodeCalled)
      costs = calltree_inlined_costs(node);
   calltree_now.inlined = costs != NULL ? costs : calltree_inlined_scratch();
}

void calltree_split_inlined(void)
{
   if (!calltree_has_inlined)
      return;
   for (UInt i = 0; i < VG_N_THREADS; i++)
      for (TreeNode* node = threads[i]; node != NULL;
           node = tree_node_next(threads[i], node))
         calltree_inlined_split(node);
}

/*--------------------------------------------------------------------*/

static void zero_from(TreeNode* root)
{
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node)) {
      node->calls = 0;
      cost_zero(node->self);
      calltree_inlined_zero(node);
   }
}

void calltree_zero(UInt thread)
{
   calltree_book();
   for (UInt i = 0; i < VG_N_THREADS; i++)
      if (threads[i] != NULL && (thread == 0 || thread == i))
         zero_from(threads[i]);
}
