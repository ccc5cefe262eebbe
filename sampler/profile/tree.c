/* SPDX-License-Identifier: GPL-2.0-or-later

   Trees; see tree.h.  One hash table per tree finds the child of a node.  */

#include "profile/tree.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

Tree* tree_create(Thread* thread)
{
   Tree* tree = memory_allocate(sizeof *tree);
   tree->thread = thread;
   tree->room = 64;
   tree->nodes = memory_allocate(tree->room * sizeof(TreeNode));
   tree->slot_count = 128;
   tree->slots = memory_allocate(tree->slot_count * sizeof(uint32_t));
   return tree;
}

void tree_free(Tree* tree)
{
   free(tree->nodes);
   free(tree->slots);
   free(tree);
}

static uint32_t* slot_of(const Tree* tree, uint32_t parent, const Function* function,
                         NodeKind kind)
{
   uint64_t hash =
      (uint64_t)(uintptr_t)function * 31 + parent * 1000003ull + (unsigned)kind;
   size_t at = (size_t)(hash * 0x9e3779b97f4a7c15ull >> 32) & (tree->slot_count - 1);
   while (tree->slots[at] != 0) {
      const TreeNode* node = &tree->nodes[tree->slots[at]];
      if (node->parent == parent && node->function == function && node->kind == kind)
         break;
      at = (at + 1) & (tree->slot_count - 1);
   }
   return &tree->slots[at];
}

static void grow(Tree* tree)
{
   free(tree->slots);
   tree->slot_count *= 2;
   tree->slots = memory_allocate(tree->slot_count * sizeof(uint32_t));
   for (uint32_t i = 1; i <= tree->count; i++) {
      const TreeNode* node = &tree->nodes[i];
      *slot_of(tree, node->parent, node->function, node->kind) = i;
   }
}

uint32_t tree_child(Tree* tree, uint32_t parent, Function* function, NodeKind kind)
{
   uint32_t* slot = slot_of(tree, parent, function, kind);
   if (*slot != 0)
      return *slot;
   if (tree->count + 1 == tree->room) {
      tree->room *= 2;
      tree->nodes = memory_reallocate(tree->nodes, tree->room, sizeof(TreeNode));
   }
   uint32_t number = ++tree->count;
   tree->nodes[number] = (TreeNode){.parent = parent, .function = function, .kind = kind};
   *slot = number;
   if (2 * tree->count >= tree->slot_count)
      grow(tree);
   return number;
}

void tree_add_costs(Tree* tree, uint32_t node, const uint64_t costs[TREE_EVENTS])
{
   for (unsigned i = 0; i < TREE_EVENTS; i++)
      tree->nodes[node].costs[i] += costs[i];
}
