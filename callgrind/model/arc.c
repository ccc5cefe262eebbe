/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all arcs; see arc.h.  An arc is found by its call site, which remembers the
   one that it took last, or else in one hash table.  */

#include "model/arc.h"

#include "base/table.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

Arc arc_none;

static Table arcs;
static ULong calls_before_zeroing;

/* With --call-tree: those that know nodes, which pruning makes them forget.  */
static Arc* first_with_nodes;

static ULong hash_arc(const Context* caller, const CallSite* site, const Context* callee)
{
   ULong hash = (UWord)caller * 31ULL + (UWord)site * 17ULL + (UWord)callee;
   return hash ^ (hash >> 7);
}

static Bool is_same_arc(const void* a, const void* b)
{
   const Arc* arc = a;
   const Arc* other = b;
   return arc->caller == other->caller && arc->site == other->site &&
          arc->callee == other->callee;
}

static Arc* make_arc(Context* caller, CallSite* site, Context* callee,
                     const ArcTarget* target, ULong hash)
{
   SizeT size = offsetof(Arc, inclusive) + cost_stride() * sizeof(ULong);
   if (options.call_tree)
      size += sizeof(ArcNodes);
   Arc* arc = host_lines_make(size);
   arc->caller = caller;
   arc->site = site;
   arc->callee = callee;
   arc->callee_id = callee == NULL ? 0 : callee->function_id;
   arc->return_address = site->return_address;
   if (target != NULL)
      arc->target = *target;
   arc->next_of_caller = caller->first_arc;
   caller->first_arc = arc;
   table_add(&arcs, hash, arc);
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
   if (last->caller == caller && last->callee == callee)
      return last;
   const Arc sought = {.caller = caller, .site = site, .callee = callee};
   ULong hash = hash_arc(caller, site, callee);
   Arc* arc = table_find(&arcs, hash, is_same_arc, &sought);
   if (arc == NULL)
      arc = make_arc(caller, site, callee, target, hash);
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
         arc->open_calls = 0;
         cost_zero(arc->inclusive);
      }
   }
}

void arc_count_open(Arc* arc, UInt thread)
{
   if (arc->callee != NULL && (thread == 0 || arc->caller->thread == thread))
      arc->open_calls++;
}

ULong arc_shown_calls(const Arc* arc)
{
   if (arc->calls != 0 || cost_is_zero(arc->inclusive))
      return arc->calls;
   return arc->open_calls != 0 ? arc->open_calls : 1;
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
   if (n_linked != arcs.n) {
      VG_(umsg)("ct-check: %u arcs linked, %u in the table\n", n_linked, arcs.n);
      return False;
   }
   return True;
}
