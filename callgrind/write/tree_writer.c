/* SPDX-License-Identifier: GPL-2.0-or-later

   See tree_writer.h.

   A node is written if anything was counted in it or below it.  The nodes of a tree are
   written depth first, and numbered in that order.  */

#include "write/tree_writer.h"

#include "model/thread_names.h"
#include "model/tree/calltree.h"
#include "options/options.h"
#include "write/definitions.h"
#include "write/words.h"

#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

static Output* output;

/* The ids in the file of inlined functions, by their ids in the model, and that of all
   that was pruned: 0 if it is not defined yet.  */
static UInt* inlined_ids;
static UInt pruned_id;

/* The sums of a tree, and of the document.  */
static ULong n_nodes, n_calls, sum[COST_MAX_EVENTS];
static ULong n_trees, n_all_nodes, sum_of_all[COST_MAX_EVENTS];

static void costs(const ULong* cost)
{
   ULong listed[COST_MAX_EVENTS];
   UInt n = cost_list(cost, 0, listed);
   for (UInt i = 0; i < n; i++)
      words_number(listed[i]);
   words_end_line();
}

/*--------------------------------------------------------------------*/
/* Header                                                              */

/* An event that is not counted has no index.  */
static Bool is_event(UInt index, Event event) { return index == cost_index(event); }

static const HChar* unit_of(UInt event)
{
   if (is_event(event, EventCt) || is_event(event, EventCl) || is_event(event, EventCy))
      return "centicycles";
   if (is_event(event, EventAllocSize) || is_event(event, EventPeakSize) ||
       is_event(event, EventLeakSize))
      return "bytes";
   if (is_event(event, EventSysCpuTime))
      return "nanoseconds";
   if (!is_event(event, EventSysTime))
      return "count";
   switch (options.collect_systime) {
   case SystimeMsec: return "milliseconds";
   case SystimeUsec: return "microseconds";
   default: return "nanoseconds";
   }
}

static void write_header(void)
{
   words_first("callgrind-tree 1\n");
   definitions_creator();
   words_first("costs counted\n");
   for (UInt i = 0; i < cost_n_events(); i++) {
      UInt e = cost_listed(i);
      words_first("event");
      words_add(cost_event_name(e));
      words_add(unit_of(e));
      words_text(cost_event_meaning(e));
   }
   definitions_process();
}

static void write_part(const TreeHeader* header)
{
   words_first("part");
   words_number(header->part);
   words_first("\ntrigger");
   words_text(header->trigger);
   for (Word i = 0; i < VG_(sizeXA)(header->descriptions); i++) {
      words_first("desc");
      words_text(*(const HChar**)VG_(indexXA)(header->descriptions, i));
   }
}

/*--------------------------------------------------------------------*/
/* Definitions                                                         */

/* Defines a node's function.  An inlined one has the line of its definition.  */
static void define_function(const TreeNode* node)
{
   if (node->kind == NodePruned) {
      if (pruned_id == 0)
         pruned_id = definitions_name(0, 0, 0, "[pruned]");
   } else if (node->kind == NodeInlined) {
      UInt* id = &inlined_ids[node->function];
      if (*id != 0)
         return;
      const Inlined* inlined = inlined_by_id(node->function);
      UInt object = definitions_object(inlined->object);
      UInt source = inlined->file != NULL ? definitions_source(inlined->file) : 0;
      *id = definitions_name(object, source, inlined->line, inlined->name);
   } else
      definitions_function(symbols_function(node->function));
}

static UInt function_in_file(const TreeNode* node)
{
   if (node->kind == NodePruned)
      return pruned_id;
   return node->kind == NodeInlined ? inlined_ids[node->function]
                                    : definitions_id_of(node->function);
}

/*--------------------------------------------------------------------*/
/* Nodes                                                               */

#define TO_BE_WRITTEN (~0u)

/* Marks nodes with a count, and those above them, with TO_BE_WRITTEN; the others get 0.
   False if there are none.  */
static Bool mark(TreeNode* root)
{
   Bool any = False;
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      node->number = 0;
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node)) {
      if (node->calls == 0 && cost_is_zero(node->self))
         continue;
      any = True;
      for (TreeNode* up = node; up != root && up->number == 0; up = up->parent)
         up->number = TO_BE_WRITTEN;
   }
   return any;
}

static const HChar* kind_of(const TreeNode* node)
{
   if (node->kind == NodeInlined)
      return "i";
   if (node->kind == NodeSkipped)
      return "s";
   if (node->kind == NodePruned)
      return "p";
   return symbols_is_jit_function(symbols_function(node->function)) ? "j" : "";
}

static void write_node(TreeNode* node)
{
   node->number = (UInt)++n_nodes;
   output_text(output, kind_of(node));
   output_decimal(output,
                  node->parent->number == 0 ? 0 : node->number - node->parent->number);
   words_number(function_in_file(node));
   words_number(node->calls);
   costs(node->self);
   n_calls += node->calls;
   cost_add(sum, node->self);
}

static void write_tree(UInt thread)
{
   TreeNode* root = calltree_of_thread(thread);
   if (root == NULL || !mark(root))
      return;
   words_first("thread");
   words_number(thread);
   words_first(" 1");
   words_number(thread);
   HChar* name = thread_names_all(thread);
   words_text(name);
   VG_(free)(name);
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      if (node->number == TO_BE_WRITTEN)
         define_function(node);

   words_first("tree");
   words_number(thread);
   words_end_line();
   n_nodes = n_calls = 0;
   cost_zero(sum);
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      if (node->number == TO_BE_WRITTEN)
         write_node(node);
   words_first("total");
   words_number(n_nodes);
   words_number(n_calls);
   costs(sum);
   n_trees++;
   n_all_nodes += n_nodes;
   cost_add(sum_of_all, sum);
}

void tree_writer_write(Output* to, const TreeHeader* header)
{
   output = to;
   words_to(to);
   n_trees = n_all_nodes = 0;
   cost_zero(sum_of_all);
   inlined_ids = VG_(calloc)("tree.inlined", inlined_count() + 1, sizeof(UInt));
   pruned_id = 0;
   definitions_begin(True);
   write_header();
   write_part(header);
   for (UInt thread = 1; thread < VG_N_THREADS; thread++)
      if (header->thread == 0 || header->thread == thread)
         write_tree(thread);
   words_first("end");
   words_number(n_trees);
   words_number(n_all_nodes);
   costs(sum_of_all);
   definitions_end();
   VG_(free)(inlined_ids);
}
