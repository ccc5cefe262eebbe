/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the nodes of the call tree; see tree_node.h.  They are made in chunks, which are
   never freed; nodes that were given back are used again.  */

#include "model/tree/tree_node.h"

#include "model/cost.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define NODES_IN_CHUNK 4096

static UChar* chunk; /* where the next new node begins */
static UInt n_left_in_chunk;
static TreeNode* free_nodes; /* linked by next_sibling */
static ULong n_nodes;

ULong tree_node_count(void) { return n_nodes; }

static SizeT node_size(void) { return sizeof(TreeNode) + cost_stride() * sizeof(ULong); }

static TreeNode* take_node(void)
{
   TreeNode* node = free_nodes;
   if (node != NULL)
      free_nodes = node->next_sibling;
   else {
      if (n_left_in_chunk == 0) {
         chunk = VG_(malloc)("calltree.nodes", NODES_IN_CHUNK * node_size());
         n_left_in_chunk = NODES_IN_CHUNK;
      }
      node = (TreeNode*)chunk;
      chunk += node_size();
      n_left_in_chunk--;
   }
   VG_(memset)(node, 0, node_size());
   n_nodes++;
   return node;
}

TreeNode* tree_node_make(TreeNode* parent, UInt function, NodeKind kind)
{
   TreeNode* node = take_node();
   node->parent = parent;
   node->function = function & 0xfffffff;
   node->kind = kind & 7;
   if (parent != NULL) {
      node->next_sibling = parent->first_child;
      parent->first_child = node;
   }
   return node;
}

void tree_node_free(TreeNode* node)
{
   VG_(free)(node->inlined);
   node->next_sibling = free_nodes;
   free_nodes = node;
   n_nodes--;
}

TreeNode* tree_node_next(const TreeNode* first, const TreeNode* node)
{
   if (node->first_child != NULL)
      return node->first_child;
   for (; node != first; node = node->parent)
      if (node->next_sibling != NULL)
         return node->next_sibling;
   return NULL;
}
