/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the slots of inlined functions; see calltree_inlined.h.  */

#include "model/tree/calltree_inlined.h"

#include "model/cost.h"
#include "model/function_table.h"
#include "model/tree/tree_children.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* The functions that are inlined into one, by slot.  */
typedef struct {
   const Inlined** slots;
   UInt n;
} InlinedSlots;

static FunctionTable table = {"calltree.slots", sizeof(InlinedSlots), NULL, 0};

/* Costs by slot.  */
typedef struct InlinedCosts {
   UInt n_slots;
   ULong costs[];
} InlinedCosts;

static InlinedCosts* scratch_costs; /* nobody's */

Bool calltree_has_inlined;

static InlinedSlots* slots_of(UInt function)
{
   return function_table_at(&table, function);
}

/* Makes room for so many slots; new ones are zero.  */
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

ULong* calltree_inlined_costs(TreeNode* node)
{
   UInt n_slots = slots_of(node->function)->n;
   if (n_slots == 0)
      return NULL;
   node->inlined = grow_costs(node->inlined, n_slots);
   return node->inlined->costs;
}

ULong* calltree_inlined_scratch(void) { return scratch_costs->costs; }

TreeNode* calltree_inlined(TreeNode* node, const Inlined* inlined)
{
   if (inlined == NULL)
      return node;
   return tree_children_get(calltree_inlined(node, inlined->outer), inlined->id,
                            NodeInlined);
}

void calltree_inlined_split(TreeNode* node)
{
   if (node->inlined == NULL)
      return;
   const InlinedSlots* slots = slots_of(node->function);
   for (UInt i = 0; i < node->inlined->n_slots; i++) {
      ULong* cost = node->inlined->costs + i * cost_stride();
      if (cost_is_zero(cost))
         continue;
      TreeNode* inlined = calltree_inlined(node, slots->slots[i]);
      for (UInt e = 0; e < cost_n_events(); e++) {
         /* Never more than there is, whatever has been rolled back.  */
         ULong moved = cost[e] < node->self[e] ? cost[e] : node->self[e];
         node->self[e] -= moved;
         inlined->self[e] += moved;
      }
      cost_zero(cost);
   }
}

void calltree_inlined_zero(TreeNode* node)
{
   if (node->inlined != NULL)
      VG_(memset)(node->inlined->costs, 0,
                  node->inlined->n_slots * cost_stride() * sizeof(ULong));
}
