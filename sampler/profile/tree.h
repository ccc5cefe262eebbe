/* SPDX-License-Identifier: GPL-2.0-or-later

   Calling-context trees: one for each thread in each part.  A node is a path.  */

#ifndef SAMPLER_TREE_H
#define SAMPLER_TREE_H

#include "profile/names.h"

#define TREE_EVENTS 2 /* the sampled one, and how many samples there were */

typedef struct {
   uint32_t parent; /* its number; 0: none.  Nodes have the numbers 1, 2, 3 ... */
   char kind;
   Function* function;
   uint64_t costs[TREE_EVENTS];
} TreeNode;

struct Tree {
   Tree* next; /* of the part */
   Thread* thread;
   TreeNode* nodes; /* nodes[0] is not used */
   uint32_t count;  /* of nodes */
   uint32_t room;
   uint32_t* slots; /* a hash table of numbers, of a power of two; 0 is free */
   uint32_t slot_count;
};

Tree* tree_create(Thread* thread);
void tree_free(Tree* tree);

/* The node below `parent` (0: at the root), made if it is not there yet.  */
uint32_t tree_child(Tree* tree, uint32_t parent, Function* function, char kind);

void tree_add_costs(Tree* tree, uint32_t node, const uint64_t costs[TREE_EVENTS]);

#endif
