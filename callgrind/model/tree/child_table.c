/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the set; see child_table.h.

   A hash table with open addressing: an array of nodes, each at the place that its
   hash gives, or at the next one that was free.  At most three quarters of the places
   are taken, so a node needs 11 to 21 bytes here.  An entry of its own for each would
   need some 60, more than the node itself.  */

#include "model/tree/child_table.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

#define FIRST_SIZE 256

static TreeNode** places; /* NULL: free */
static UWord n_places;    /* a power of two */
static UWord n_taken;

static UWord place_of(const TreeNode* parent, UInt function, NodeKind kind)
{
   UWord key = (UWord)parent / sizeof(UWord) + ((UWord)function * 8 + kind) * 0x9e3779b1u;
   key *= (UWord)0x9e3779b97f4a7c15ULL;
   return (key ^ key >> (sizeof key * 4)) & (n_places - 1);
}

static UWord place_of_node(const TreeNode* node)
{
   return place_of(node->parent, node->function, (NodeKind)node->kind);
}

static void put(TreeNode* child)
{
   UWord place = place_of_node(child);
   while (places[place] != NULL)
      place = (place + 1) & (n_places - 1);
   places[place] = child;
}

static void grow(void)
{
   TreeNode** old = places;
   UWord n_old = n_places;
   n_places = n_old == 0 ? FIRST_SIZE : n_old * 2;
   places = VG_(calloc)("child_table.places", n_places, sizeof *places);
   for (UWord i = 0; i < n_old; i++)
      if (old[i] != NULL)
         put(old[i]);
   VG_(free)(old);
}

void child_table_add(TreeNode* child)
{
   if (n_taken >= n_places / 4 * 3)
      grow();
   put(child);
   n_taken++;
}

TreeNode* child_table_find(const TreeNode* parent, UInt function, NodeKind kind)
{
   if (n_taken == 0)
      return NULL;
   UWord place = place_of(parent, function, kind);
   for (TreeNode* node; (node = places[place]) != NULL;
        place = (place + 1) & (n_places - 1))
      if (node->parent == parent && node->function == function && node->kind == kind)
         return node;
   return NULL;
}

void child_table_remove(const TreeNode* child)
{
   UWord hole = place_of_node(child);
   while (places[hole] != child) {
      tl_assert(places[hole] != NULL);
      hole = (hole + 1) & (n_places - 1);
   }
   /* Nodes behind it move into the hole if their hash allows it, so that each is
      still found before the first free place.  */
   for (UWord next = (hole + 1) & (n_places - 1); places[next] != NULL;
        next = (next + 1) & (n_places - 1)) {
      UWord wanted = place_of_node(places[next]);
      if (((next - wanted) & (n_places - 1)) >= ((next - hole) & (n_places - 1))) {
         places[hole] = places[next];
         hole = next;
      }
   }
   places[hole] = NULL;
   n_taken--;
}
