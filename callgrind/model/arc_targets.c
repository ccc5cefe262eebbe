/* SPDX-License-Identifier: GPL-2.0-or-later

   See arc_targets.h.  A hash table of lists by target, whose links are in the arcs.  It
   grows with the number of arcs in it, so the lists of different targets stay short.  */

#include "model/arc_targets.h"

#include "model/function_table.h"

#include "pub_tool_mallocfree.h"

/* In front of the table: arcs by caller, site and target, for sites that call now one
   function, now another.  An arc that has forgotten its target may still be here: what it
   remembers is compared.  */
#define RECENT_ARCS 4096
static Arc* recent[RECENT_ARCS];

#define FIRST_SIZE 1024
static Arc** lists;   /* by hash of the target */
static UWord n_lists; /* a power of two */
static UWord n_arcs;

/* How many of them lead to each function.  */
static FunctionTable by_function = {"arc_targets.functions", sizeof(UInt), NULL, 0};

/*--------------------------------------------------------------------*/
/* Lists                                                               */

static Arc** list_of(Addr target)
{
   ULong hash = target * 0x9e3779b97f4a7c15ULL;
   return &lists[(UWord)(hash >> 32) & (n_lists - 1)];
}

static void link_arc(Arc* arc)
{
   Arc** list = list_of(arc->last_target);
   arc->next_of_target = *list;
   arc->link_of_target = list;
   if (*list != NULL)
      (*list)->link_of_target = &arc->next_of_target;
   *list = arc;
}

static void unlink_arc(const Arc* arc)
{
   *arc->link_of_target = arc->next_of_target;
   if (arc->next_of_target != NULL)
      arc->next_of_target->link_of_target = arc->link_of_target;
}

static void grow(void)
{
   Arc** old = lists;
   UWord n_old = n_lists;
   n_lists = n_old == 0 ? FIRST_SIZE : n_old * 2;
   lists = VG_(calloc)("arc_targets.lists", n_lists, sizeof *lists);
   for (UWord i = 0; i < n_old; i++)
      for (Arc *arc = old[i], *next; arc != NULL; arc = next) {
         next = arc->next_of_target;
         link_arc(arc);
      }
   VG_(free)(old);
}

/* Adds `change` to the number of arcs that lead where this one does.  */
static void count(const Arc* arc, Int change)
{
   if (arc->callee != NULL)
      *(UInt*)function_table_at(&by_function, arc->callee->function_id) += (UInt)change;
}

static void forget(Arc* arc)
{
   unlink_arc(arc);
   arc->last_target = 0;
   arc->host_target = NULL;
   n_arcs--;
   count(arc, -1);
}

static void set_target(Arc* arc, Addr target)
{
   if (arc->last_target == target)
      return;
   if (arc->last_target != 0)
      forget(arc);
   if (n_arcs >= n_lists)
      grow();
   arc->last_target = target;
   arc->host_target = NULL;
   link_arc(arc);
   n_arcs++;
   count(arc, 1);
}

/*--------------------------------------------------------------------*/

static Arc** recent_bucket(const Context* caller, const CallSite* site, Addr target)
{
   UWord hash = (UWord)caller / sizeof(Context) + (UWord)site / 16 + target * 31;
   return &recent[(hash ^ hash >> 12) % RECENT_ARCS];
}

Arc* arc_recall(const Context* caller, const CallSite* site, Addr target)
{
   Arc* arc = *recent_bucket(caller, site, target);
   return arc != NULL && arc->last_target == target && arc->site == site &&
                arc->caller == caller
             ? arc
             : NULL;
}

void arc_remember(Arc* arc, Addr target)
{
   set_target(arc, target);
   *recent_bucket(arc->caller, arc->site, target) = arc;
}

void arc_remember_stub(Arc* arc, const Block* stub)
{
   set_target(arc, stub->key);
   arc->callee_id = stub->function->id;
}

void arc_forget_target(Addr target)
{
   if (n_arcs == 0)
      return;
   for (Arc *arc = *list_of(target), *next; arc != NULL; arc = next) {
      next = arc->next_of_target;
      if (arc->last_target == target)
         forget(arc);
   }
}

void arc_forget_host_targets(Addr target)
{
   if (n_arcs == 0)
      return;
   for (Arc* arc = *list_of(target); arc != NULL; arc = arc->next_of_target)
      if (arc->last_target == target)
         arc->host_target = NULL;
}

UInt arc_n_remembered(const Function* function)
{
   return *(UInt*)function_table_at(&by_function, function->id);
}

void arc_forget_targets(void)
{
   for (UWord i = 0; i < n_lists; i++)
      while (lists[i] != NULL)
         forget(lists[i]);
}
