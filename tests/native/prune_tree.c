/* SPDX-License-Identifier: GPL-2.0-or-later

   Makes call trees that have to be pruned (callgrind/model/tree/calltree.h), at most
   LIMIT nodes of them:

      prune_tree recursion LIMIT N   two recursions of depth N; each level calls something
      prune_tree folded LIMIT N      N functions in turn, below a stack of N frames
      prune_tree arcs LIMIT N        N paths, and N arcs, of which a few are taken

   Prints how many nodes there are at the end, and the sum of their costs.  */

#include "model/arc.h"
#include "model/tree/calltree.h"
#include "options/options.h"

#include "pub_tool_threadstate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Options options = {.call_tree = True};
ULong cost_clock[COST_MAX_EVENTS];
UInt cost_event_count = 1, cost_frequent_count = 1, cost_paired_count;
UInt VG_N_THREADS = 4;

Bool calltree_has_inlined;
ULong* calltree_inlined_costs(TreeNode* node) { return (void)node, NULL; }
ULong* calltree_inlined_scratch(void) { return NULL; }
void calltree_inlined_split(TreeNode* node) { (void)node; }
void calltree_inlined_zero(TreeNode* node) { (void)node; }

static Context caller; /* the only one that arcs begin in */
Context* context_first(void) { return &caller; }

/*--------------------------------------------------------------------*/

static TreeNode** frames;
static UInt n_frames;

static void visit_frames(void (*keep)(TreeNode* node))
{
   for (UInt i = n_frames; i-- > 0;)
      keep(frames[i]);
}

static TreeNode* top(void)
{
   return n_frames > 0 ? frames[n_frames - 1] : calltree_thread();
}

static void run_top(void)
{
   calltree_run(top());
   cost_clock[0]++;
}

static TreeNode* node_of(UInt function)
{
   const Function called = {.id = function};
   return calltree_child(top(), &called, NodeCalled);
}

static void call(UInt function)
{
   TreeNode* node = node_of(function);
   frames[n_frames++] = node;
   run_top();
}

static void leave(void)
{
   n_frames--;
   run_top();
}

static void recursion(UInt n)
{
   for (UInt time = 0; time < 2; time++) {
      for (UInt i = 0; i < n; i++) {
         call(1);
         call(2 + i % 7);
         leave();
      }
      while (n_frames > 0)
         leave();
   }
}

static void folded(UInt n)
{
   options.call_tree_fold_recursion = True;
   for (UInt i = 0; i < n; i++)
      call(1);
   for (UInt i = 0; i < n; i++) {
      call(2 + i);
      leave();
   }
}

static void arcs(UInt n)
{
   CallSite site = {.last_arc = &arc_none};
   Context* callees = calloc(n, sizeof *callees);
   const ArcTarget target = {1, 1};
   for (UInt i = 0; i < n; i++)
      arc_get(&caller, &site, &callees[i], &target);
   for (UInt i = 0; i < n; i++) {
      Arc* arc = arc_get(&caller, &site, &callees[i % 10], &target);
      TreeNode* node = node_of(2 + i);
      arc_remember_nodes(arc, top(), node);
   }
}

int main(int n_words, char** words)
{
   if (n_words != 4)
      return 2;
   options.call_tree_max_nodes = (UInt)atoi(words[2]);
   UInt n = (UInt)atoi(words[3]);
   frames = calloc(2 * (SizeT)n + 2, sizeof *frames);
   calltree_init();
   calltree_keep(visit_frames);
   run_top();
   if (strcmp(words[1], "recursion") == 0)
      recursion(n);
   else if (strcmp(words[1], "folded") == 0)
      folded(n);
   else
      arcs(n);
   calltree_book();
   ULong sum = 0;
   TreeNode* root = calltree_thread();
   for (TreeNode* node = root; node != NULL; node = tree_node_next(root, node))
      sum += node->self[CostIr];
   printf("%llu nodes, cost %llu of %llu\n", calltree_count(), sum, cost_clock[0]);
   return 0;
}
