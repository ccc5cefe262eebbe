/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the nodes of the call tree; see calltree.h.

   A node's children are a list.  Where it gets long, they are found by a table as well:
   an interpreter's loop calls hundreds of functions, nearly all others call few.  */

#include "model/calltree.h"

#include "model/arc.h"
#include "model/child_table.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

CalltreeNow calltree_now;
Bool calltree_has_inlined;

static TreeNode** threads; /* by number; NULL: nothing ran */
static UInt running_thread;
static ULong n_nodes;
static ULong prune_at; /* as many nodes */
static CalltreeVisitKept* visit_kept;

/* Nodes are made in pieces, and used again.  */
#define NODES_IN_CHUNK 4096
static UChar* chunk;
static UInt n_left_in_chunk;
static TreeNode* free_nodes; /* linked by next_sibling */

/* More children than this are looked up in the table.  */
#define LONG_LIST 12

void calltree_init(void)
{
   threads = VG_(calloc)("calltree.threads", VG_N_THREADS, sizeof *threads);
   prune_at = options.call_tree_max_nodes != 0 ? options.call_tree_max_nodes : ~(ULong)0;
}

void calltree_keep(CalltreeVisitKept* visit) { visit_kept = visit; }

ULong calltree_count(void) { return n_nodes; }

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

static void give_back_node(TreeNode* node)
{
   VG_(free)(node->inlined);
   node->next_sibling = free_nodes;
   free_nodes = node;
   n_nodes--;
}

static TreeNode* make_node(TreeNode* parent, UInt function, NodeKind kind)
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

void calltree_set_thread(UInt thread) { running_thread = thread; }

TreeNode* calltree_thread(void)
{
   if (threads[running_thread] == NULL)
      threads[running_thread] = make_node(NULL, 0, NodeThread);
   return threads[running_thread];
}

TreeNode* calltree_of_thread(UInt thread) { return threads[thread]; }

/*--------------------------------------------------------------------*/
/* Children                                                            */

static void make_child_table(TreeNode* parent)
{
   parent->has_child_table = 1;
   for (TreeNode* child = parent->first_child; child != NULL; child = child->next_sibling)
      child_table_add(child);
}

/* In the list; what is found comes to its front.  */
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

static TreeNode* find(TreeNode* parent, UInt function, NodeKind kind)
{
   return parent->has_child_table ? child_table_find(parent, function, kind)
                                  : find_listed(parent, function, kind);
}

/* --call-tree-fold-recursion: the node on the path that is of this function.  */
static TreeNode* find_on_path(TreeNode* node, UInt function)
{
   for (; node != NULL; node = node->parent)
      if (node->function == function && node->kind == NodeCalled)
         return node;
   return NULL;
}

static void prune(TreeNode* in_use);

static TreeNode* child_of(TreeNode* parent, UInt function, NodeKind kind)
{
   TreeNode* child = find(parent, function, kind);
   if (child == NULL) {
      child = make_node(parent, function, kind);
      if (parent->has_child_table)
         child_table_add(child);
   }
   return child;
}

TreeNode* calltree_child(TreeNode* parent, const Function* function, NodeKind kind)
{
   TreeNode* found = find(parent, function->id, kind);
   if (found == NULL && options.call_tree_fold_recursion && kind == NodeCalled)
      found = find_on_path(parent, function->id);
   if (found != NULL)
      return found;
   if (n_nodes >= prune_at)
      prune(parent);
   return child_of(parent, function->id, kind);
}

/*--------------------------------------------------------------------*/
/* Inlined code                                                        */

/* The functions that are inlined into one, by slot.  */
typedef struct {
   const Inlined** slots;
   UInt n;
} InlinedSlots;

static InlinedSlots* slots_of_function; /* by function id */
static UInt n_slot_lists;

/* Costs by slot.  */
typedef struct InlinedCosts {
   UInt n_slots;
   ULong costs[];
} InlinedCosts;

static InlinedCosts* scratch_costs; /* nobody's */

static InlinedSlots* slots_of(UInt function)
{
   if (function >= n_slot_lists) {
      UInt n = n_slot_lists == 0 ? 1024 : n_slot_lists;
      while (n <= function)
         n *= 2;
      slots_of_function =
         VG_(realloc)("calltree.slots", slots_of_function, n * sizeof(InlinedSlots));
      VG_(memset)(slots_of_function + n_slot_lists, 0,
                  (n - n_slot_lists) * sizeof(InlinedSlots));
      n_slot_lists = n;
   }
   return &slots_of_function[function];
}

/* Room for so many slots, new ones zero.  */
static InlinedCosts* grow_costs(InlinedCosts* costs, UInt n_slots)
{
   UInt old = costs != NULL ? costs->n_slots : 0;
   if (n_slots <= old)
      return costs;
   SizeT size = cost_stride() * sizeof(ULong);
   costs = VG_(realloc)("calltree.inlined", costs, sizeof *costs + n_slots * size);
   VG_(memset)(costs->costs + old * cost_stride(), 0, (n_slots - old) * size);
   costs->n_slots = n_slots;
   return costs;
}

UInt calltree_inlined_slot(const Function* function, const Inlined* inlined)
{
   InlinedSlots* slots = slots_of(function->id);
   for (UInt i = 0; i < slots->n; i++)
      if (slots->slots[i] == inlined)
         return i;
   slots->slots =
      VG_(realloc)("calltree.slots", slots->slots, (slots->n + 1) * sizeof *slots->slots);
   slots->slots[slots->n++] = inlined;
   scratch_costs = grow_costs(scratch_costs, slots->n);
   calltree_has_inlined = True;
   return slots->n - 1;
}

void calltree_count_inlined(Bool is_counted)
{
   if (!calltree_has_inlined)
      return;
   TreeNode* node = calltree_now.node;
   calltree_now.inlined = scratch_costs->costs;
   if (!is_counted || node == NULL || node->kind != NodeCalled)
      return;
   UInt n_slots = slots_of(node->function)->n;
   if (n_slots == 0)
      return;
   node->inlined = grow_costs(node->inlined, n_slots);
   calltree_now.inlined = node->inlined->costs;
}

TreeNode* calltree_inlined(TreeNode* node, const Inlined* inlined)
{
   if (inlined == NULL)
      return node;
   return child_of(calltree_inlined(node, inlined->outer), inlined->id, NodeInlined);
}

/* What is not the node's own code's.  A fault may have taken back some of it.  */
static void split(TreeNode* node)
{
   const InlinedSlots* slots = slots_of(node->function);
   for (UInt i = 0; i < node->inlined->n_slots; i++) {
      ULong* cost = node->inlined->costs + i * cost_stride();
      if (cost_is_zero(cost))
         continue;
      TreeNode* inlined = calltree_inlined(node, slots->slots[i]);
      for (UInt e = 0; e < cost_n_events(); e++) {
         ULong moved = cost[e] < node->self[e] ? cost[e] : node->self[e];
         node->self[e] -= moved;
         inlined->self[e] += moved;
      }
      cost_zero(cost);
   }
}

void calltree_split_inlined(void)
{
   if (!calltree_has_inlined)
      return;
   for (UInt i = 0; i < VG_N_THREADS; i++)
      for (TreeNode* node = threads[i]; node != NULL;
           node = calltree_next(threads[i], node))
         if (node->inlined != NULL)
            split(node);
}

/*--------------------------------------------------------------------*/
/* Walking                                                             */

TreeNode* calltree_next(const TreeNode* first, const TreeNode* node)
{
   if (node->first_child != NULL)
      return node->first_child;
   for (; node != first; node = node->parent)
      if (node->next_sibling != NULL)
         return node->next_sibling;
   return NULL;
}

static void zero_from(TreeNode* first)
{
   for (TreeNode* node = first; node != NULL; node = calltree_next(first, node)) {
      node->calls = 0;
      cost_zero(node->self);
      if (node->inlined != NULL)
         VG_(memset)(node->inlined->costs, 0,
                     node->inlined->n_slots * cost_stride() * sizeof(ULong));
   }
}

void calltree_zero(UInt thread)
{
   calltree_book();
   for (UInt i = 0; i < VG_N_THREADS; i++)
      if (threads[i] != NULL && (thread == 0 || thread == i))
         zero_from(threads[i]);
}

/*--------------------------------------------------------------------*/
/* Pruning                                                             */

/* All nodes, parents first, and of each what it and all below have cost.  */
static TreeNode** all;
static ULong* inclusive;
static UInt n_all;

#define KEPT (~(ULong)0)

static void gather(void)
{
   all = VG_(malloc)("calltree.all", n_nodes * sizeof *all);
   inclusive = VG_(malloc)("calltree.inclusive", n_nodes * sizeof *inclusive);
   n_all = 0;
   for (UInt i = 0; i < VG_N_THREADS; i++)
      for (TreeNode* node = threads[i]; node != NULL;
           node = calltree_next(threads[i], node)) {
         node->number = n_all;
         inclusive[n_all] = node->self[CostIr];
         all[n_all++] = node;
      }
   tl_assert(n_all == n_nodes);
}

static void keep(TreeNode* node)
{
   for (; node != NULL && inclusive[node->number] != KEPT; node = node->parent)
      inclusive[node->number] = KEPT;
}

/* From the last to the first: children before parents.  */
static void add_up(void)
{
   for (UInt i = n_all; i-- > 0;) {
      const TreeNode* parent = all[i]->parent;
      if (parent == NULL)
         inclusive[i] = KEPT;
      else if (inclusive[i] != KEPT && inclusive[parent->number] != KEPT)
         inclusive[parent->number] += inclusive[i];
   }
}

/* What half of the nodes that may go cost less than, or a little more of them; a power of
   two.  0 if none may go.  */
static ULong threshold_for_half(void)
{
   UInt n_below[65] = {0}; /* by bits */
   UInt n_may_go = 0;
   for (UInt i = 0; i < n_all; i++) {
      if (inclusive[i] == KEPT || all[i]->kind == NodePruned)
         continue;
      UInt bits = 0;
      while (bits < 63 && inclusive[i] >> bits != 0)
         bits++;
      n_below[bits]++;
      n_may_go++;
   }
   UInt n = 0;
   for (UInt bits = 0; bits < 64; bits++) {
      n += n_below[bits];
      if (n_may_go > 0 && n >= n_may_go / 2 + 1)
         return (ULong)1 << bits;
   }
   return 0;
}

/* Takes the children that go out of the list of one that stays.  */
static void unlink_children(TreeNode* parent, ULong threshold)
{
   TreeNode** link = &parent->first_child;
   while (*link != NULL) {
      TreeNode* child = *link;
      if (child->kind != NodePruned && inclusive[child->number] < threshold)
         *link = child->next_sibling;
      else
         link = &child->next_sibling;
   }
}

static Bool is_pruned(const TreeNode* node, ULong threshold)
{
   return node->kind != NodePruned ? inclusive[node->number] < threshold
                                   : inclusive[node->parent->number] < threshold;
}

/* The costs of all that goes are those of a node below the nearest that stays.  */
static void move_costs(TreeNode* node, ULong threshold)
{
   TreeNode* stays = node->parent;
   while (is_pruned(stays, threshold))
      stays = stays->parent;
   TreeNode* sum = child_of(stays, 0, NodePruned);
   sum->calls += node->calls;
   cost_add(sum->self, node->self);
}

/* The stacks' nodes, `in_use`, and those that lead to them, stay.  So does what costs more than half
   of the others.  */
static void prune(TreeNode* in_use)
{
   calltree_book();
   calltree_split_inlined();
   gather();
   visit_kept(keep);
   keep(in_use);
   keep(calltree_now.node);
   add_up();
   ULong threshold = threshold_for_half();
   for (UInt i = 0; i < n_all && threshold != 0; i++)
      if (!is_pruned(all[i], threshold))
         unlink_children(all[i], threshold);
   for (UInt i = 0; i < n_all && threshold != 0; i++)
      if (all[i]->parent != NULL && is_pruned(all[i], threshold))
         move_costs(all[i], threshold);
   for (UInt i = n_all; i-- > 0 && threshold != 0;)
      if (is_pruned(all[i], threshold) && all[i]->parent->has_child_table)
         child_table_remove(all[i]);
   for (UInt i = n_all; i-- > 0 && threshold != 0;)
      if (is_pruned(all[i], threshold))
         give_back_node(all[i]);
   VG_(free)(all);
   VG_(free)(inclusive);
   arc_forget_nodes();
   /* Where nearly all are on stacks, not at every new node.  */
   ULong soon = n_nodes + options.call_tree_max_nodes / 8 + 1;
   if (soon > prune_at)
      prune_at = soon;
}
