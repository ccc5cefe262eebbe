/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all arcs; see arc.h.  An arc is found by its call site, which remembers the
   one that it took last, or else in one hash table.  */

#include "model/arc.h"

#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static VgHashTable* arcs;
static ULong calls_before_zeroing;

/* With --call-tree: those that know nodes, which pruning makes them forget.  */
static Arc* first_with_nodes;

void arc_init(void) { arcs = VG_(HT_construct)("arc.table"); }

static UWord hash_arc(const Context* caller, const CallSite* site, const Context* callee)
{
   UWord hash = (UWord)caller * 31 + (UWord)site * 17 + (UWord)callee;
   return hash ^ (hash >> 7);
}

static Word compare_arcs(const void* a, const void* b)
{
   const Arc* arc = a;
   const Arc* other = b;
   return arc->caller != other->caller || arc->site != other->site ||
          arc->callee != other->callee;
}

static Arc* make_arc(Context* caller, CallSite* site, Context* callee,
                     const ArcTarget* target, UWord hash)
{
   SizeT size = sizeof(Arc) + cost_stride() * sizeof(ULong);
   if (options.call_tree)
      size += sizeof(ArcNodes);
   Arc* arc = VG_(perm_malloc)(size, vg_alignof(Arc));
   VG_(memset)(arc, 0, size);
   arc->node.key = hash;
   arc->caller = caller;
   arc->site = site;
   arc->callee = callee;
   arc->return_address = site->return_address;
   if (target != NULL)
      arc->target = *target;
   arc->next_of_caller = caller->first_arc;
   caller->first_arc = arc;
   VG_(HT_add_node)(arcs, arc);
   return arc;
}

void arc_remember_nodes(Arc* arc, struct TreeNode* caller, struct TreeNode* callee)
{
   ArcNodes* nodes = arc_nodes(arc);
   if (nodes->caller == NULL) {
      nodes->next = first_with_nodes;
      first_with_nodes = arc;
   }
   nodes->caller = caller;
   nodes->callee = callee;
}

void arc_forget_nodes(void)
{
   for (; first_with_nodes != NULL; first_with_nodes = arc_nodes(first_with_nodes)->next)
      arc_nodes(first_with_nodes)->caller = NULL;
}

Arc* arc_get(Context* caller, CallSite* site, Context* callee, const ArcTarget* target)
{
   Arc* last = site->last_arc;
   if (last != NULL && last->caller == caller && last->callee == callee)
      return last;
   Arc sought;
   sought.node.key = hash_arc(caller, site, callee);
   sought.caller = caller;
   sought.site = site;
   sought.callee = callee;
   Arc* arc = VG_(HT_gen_lookup)(arcs, &sought, compare_arcs);
   if (arc == NULL)
      arc = make_arc(caller, site, callee, target, sought.node.key);
   if (callee != NULL)
      site->last_arc = arc;
   return arc;
}

void arc_zero(UInt thread)
{
   for (Context* context = context_first(); context != NULL; context = context->next) {
      if (thread != 0 && context->thread != thread)
         continue;
      for (Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller) {
         calls_before_zeroing += arc->calls;
         arc->calls = 0;
         cost_zero(arc->inclusive);
      }
   }
}

UInt arc_count(void)
{
   UInt n = 0;
   for (Context* context = context_first(); context != NULL; context = context->next)
      for (Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller)
         n += arc->callee != NULL;
   return n;
}

ULong arc_calls_so_far(void)
{
   ULong calls = calls_before_zeroing;
   for (Context* context = context_first(); context != NULL; context = context->next)
      for (Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller)
         calls += arc->calls;
   return calls;
}

Arc* arc_to_block(Context* caller, CallSite* site, Context* callee, const Block* block)
{
   const ArcTarget target = {block->file_address, block->spans[0].line.line};
   return arc_get(caller, site, callee, &target);
}

Bool arc_all_valid(void)
{
   UInt n_linked = 0;
   for (Context* context = context_first(); context != NULL; context = context->next)
      for (Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller) {
         n_linked++;
         if (arc->caller != context || arc->site == NULL ||
             (arc->callee == NULL && arc->calls != 0)) {
            VG_(umsg)("ct-check: an arc of context %u is broken\n", context->id);
            return False;
         }
      }
   if (n_linked != VG_(HT_count_nodes)(arcs)) {
      VG_(umsg)("ct-check: %u arcs linked, %u in the table\n", n_linked,
                VG_(HT_count_nodes)(arcs));
      return False;
   }
   return True;
}
