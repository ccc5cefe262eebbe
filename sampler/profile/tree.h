/* SPDX-License-Identifier: GPL-2.0-or-later

   Calling-context trees, one for each thread in each part.  A node is a path of
   calls.  */

#ifndef SAMPLER_TREE_H
#define SAMPLER_TREE_H

#include "profile/names.h"

/* What a node costs.  */
typedef enum {
   CostSampled, /* of the sampled event */
   CostSamples, /* how many samples there were */
   CostWaited,  /* nanoseconds that a thread had no processor */
   CostWaits,   /* how often it left it */
   TREE_EVENTS
} CostKind;

typedef struct {
   uint32_t parent; /* its number; 0: none */
   NodeKind kind;
   Function* function;
   uint64_t costs[TREE_EVENTS];
} TreeNode;

struct Tree {
   Tree* next; /* in the same part */
   Thread* thread;
   TreeNode* nodes; /* by number, from 1 to `count`; a parent's is lower */
   uint32_t count;
   uint32_t room;   /* for nodes, with nodes[0], which is not used */
   uint32_t* slots; /* a hash table of numbers, of a power of two; 0: free */
   uint32_t slot_count;
};

/* An empty tree, to be freed by tree_free().  */
Tree* tree_create(Thread* thread);
void tree_free(Tree* tree);

/* The child of node `parent` (0: of none) for a function; made if it is not there
   yet.  */
uint32_t tree_child(Tree* tree, uint32_t parent, Function* function, NodeKind kind);

/* Adds to the self costs of a node.  */
void tree_add_costs(Tree* tree, uint32_t node, const uint64_t costs[TREE_EVENTS]);

#endif
