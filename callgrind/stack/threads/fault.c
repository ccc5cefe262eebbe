/* SPDX-License-Identifier: GPL-2.0-or-later

   Rolling back at a fault; see fault.h.

   Which superblock was running is not recorded: that would cost time in every one.  It is
   looked for among those of the running function.  Often there are several that hold the
   instruction: one by which the function is entered, one that begins where a loop does,
   and, after the first fault, one that begins at the instruction itself.  It does not
   matter which one it was.  All of them count the same from the instruction on, since
   their straight runs end at the same exit, and that is all that is rolled back.

   That is different where VEX has cut a superblock off because it is long: they end at
   different places in straight code.  There, what ends is counted as often as what
   begins; only the superblock that was running has been counted once more.  (Skipped code
   and stubs are counted by no superblocks.  There, the one that ends first is taken.)  */

#include "stack/threads/fault.h"

#include "guest/address.h"
#include "model/arc.h"
#include "model/block.h"
#include "model/block_cost.h"
#include "options/options.h"
#include "stack/frames/shadowstack_types.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

/* An instruction that has faulted, in one of the superblocks that hold it.  */
typedef struct {
   const Block* block; /* NULL: none is known */
   UInt instruction;   /* its index */
   UInt run;           /* the straight run that holds it */
   UInt last_run;      /* the last run that has begun: if the instruction has an exit in
                          its middle, it is the one behind */
} Fault;

/* Finds the instruction of `fault->block` at `ip`; False if it has none there.  */
static Bool find_instruction(Fault* fault, Addr ip)
{
   const Block* block = fault->block;
   Addr address = block->address;
   UInt i = 0;
   for (; i < block->n_instructions && address < ip; i++)
      address += block->sizes[i];
   if (i == block->n_instructions || address != ip)
      return False;
   fault->instruction = i;
   fault->run = 0;
   while (block->run_ends[fault->run] <= i)
      fault->run++;
   fault->last_run = fault->run;
   for (UInt e = 0; e < block->n_events; e++)
      if (block->events[e].instruction == i && block->events[e].run > fault->last_run)
         fault->last_run = block->events[e].run;
   return True;
}

/* Adds what one straight run has been counted for, from the instruction on.  */
static void add_not_done(const Fault* fault, UInt run, ULong* cost)
{
   block_add_run_cost(fault->block, run, fault->instruction, cost);
}

/* Is code running whose superblocks are not counted: skipped code, or a stub?  */
static Bool is_uncounted(void)
{
   return shadowstack_now.top->flags & FrameSkipped || shadowstack_stub() != NULL;
}

/* Can it have been in this superblock?  Its runs have been counted then, and since the
   running function was entered.  */
static Bool is_possible(const Fault* fault)
{
   const Frame* top = shadowstack_now.top;
   ULong not_done[COST_MAX_EVENTS] = {0};
   for (UInt run = fault->run; run <= fault->last_run; run++) {
      if (!is_uncounted() && top->context->counters[fault->block->slot + run] == 0)
         return False;
      add_not_done(fault, run, not_done);
   }
   for (UInt e = 0; e < cost_n_events(); e++)
      if (!cost_is_rare(e) && cost_clock[e] - top->entry[e] < not_done[e])
         return False;
   return True;
}

/* How many instructions have been counted from the one that faulted on.  */
static UInt length(const Fault* fault)
{
   return fault->block->run_ends[fault->last_run] - fault->instruction;
}

/* The shortest way on from the instruction at `ip`, in one of the translated superblocks
   of `function`, of those that are longer than `length_before`.  */
static Fault next_longer(const Function* function, Addr ip, UInt length_before)
{
   Fault found = {.block = NULL};
   for (const Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function) {
      Fault fault = {.block = block};
      if (block->is_translated && find_instruction(&fault, ip) &&
          length(&fault) > length_before && is_possible(&fault) &&
          (found.block == NULL || length(&fault) < length(&found)))
         found = fault;
   }
   return found;
}

static Addr end_of(const Block* block)
{
   Addr end = block->address;
   for (UInt i = 0; i < block->n_instructions; i++)
      end += block->sizes[i];
   return end;
}

/* How often superblocks that begin at an address have been entered from the one before,
   less how often they have been counted.  That is not always the same: an execution that
   a fault has cut off in its first run is not counted, and one by which the program goes
   on at a fault does not come from the superblock before.  */
typedef struct {
   VgHashNode node; /* key: the address */
   Word not_counted;
} Entries;

static VgHashTable* entries; /* of those addresses where they differ; NULL: none */

static void add_not_counted(Addr address, Word difference)
{
   if (entries == NULL)
      entries = VG_(HT_construct)("fault.entries");
   Entries* found = VG_(HT_lookup)(entries, address);
   if (found == NULL) {
      found = VG_(calloc)("fault.entries", 1, sizeof *found);
      found->node.key = address;
      VG_(HT_add_node)(entries, found);
   }
   found->not_counted += difference;
}

void fault_forget(void)
{
   if (entries != NULL)
      VG_(HT_destruct)(entries, VG_(free));
   entries = NULL;
}

/* Straight code goes on behind the superblock of `fault`, in another one.  Has one that
   ends there not been followed yet by the one that begins there?  */
static Bool is_under_way(const Fault* fault)
{
   if (is_uncounted())
      return True;
   const Function* function = fault->block->function;
   Addr end = end_of(fault->block);
   const Entries* odd = entries != NULL ? VG_(HT_lookup)(entries, end) : NULL;
   Word begun = odd != NULL ? odd->not_counted : 0, ended = 0;
   for (const Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function) {
      if (block->address == end)
         begun += (Word)context_sum_at(function, block->slot);
      if (end_of(block) == end)
         ended += (Word)context_sum_at(function, block->slot + block->n_runs - 1);
   }
   return ended > begun;
}

/* The instruction at `ip` in one of the superblocks of `function`.  */
static Fault find_fault(const Function* function, Addr ip)
{
   Fault found = next_longer(function, ip, 0);
   while (found.block != NULL) {
      Fault longer = next_longer(function, ip, length(&found));
      if (longer.block == NULL || is_under_way(&found))
         break;
      found = longer;
   }
   return found;
}

/* No stub is longer, in bytes, than the first of arm64's PLT.  */
#define MAX_STUB 32

/* The stub whose code is at `ip`; NULL if there is none.  A stub is named by where its
   superblock begins (address_function_of()), which after a fault is in its middle.  */
static Function* stub_at(Addr ip)
{
   for (UInt before = 0; before < MAX_STUB && before <= ip; before++) {
      Fault fault = {.block = block_at(ip - before)};
      if (fault.block != NULL && fault.block->is_translated &&
          fault.block->function->kind == FunctionPlt && find_instruction(&fault, ip))
         return fault.block->function;
   }
   return NULL;
}

/* The function whose code faults at `ip`; NULL if that is not certain.  */
static Function* function_at(Addr ip)
{
   /* A stub that was called, or passed by a jump, has no frame.  What else faults while
      one of these is under way is its target, where there is no code.  */
   if (shadowstack_stub() != NULL)
      return stub_at(ip);
   Function* function = shadowstack_function(shadowstack_now.top);
   if (function == NULL || shadowstack_now.at.current != symbols_runs_as(function)->id)
      return NULL;
   if (symbols_runs_as(function) == function)
      return function;
   /* All skipped code runs in one frame.  */
   Place place = address_place_of(ip);
   Function* skipped = address_function_of(ip, &place);
   if (skipped != NULL && skipped->kind == FunctionPlt)
      skipped = stub_at(ip);
   return skipped != NULL ? skipped : function;
}

/* What is inlined has been counted by itself for the call tree.  */
static void roll_back_inlined(const Fault* fault, UInt run)
{
   const Block* block = fault->block;
   for (UInt span = 0; span < block->n_spans; span++) {
      const Inlined* inlined = block_line_of(&block->spans[span]).inlined;
      if (inlined == NULL || !block_is_first_span_of_inlined(block, span))
         continue;
      ULong not_done[COST_MAX_EVENTS] = {0};
      block_add_inlined_cost(block, run, fault->instruction, inlined, not_done);
      ULong* cost = calltree_now.inlined +
                    calltree_inlined_slot(block->function, inlined) * cost_stride();
      for (UInt e = 0; e < cost_n_events(); e++)
         cost[e] -= not_done[e];
   }
}

void fault_rollback(Addr ip)
{
   Function* function = function_at(ip);
   if (function == NULL || !shadowstack_now.stack->is_collecting)
      return;
   Fault fault = find_fault(function, ip);
   if (fault.block == NULL)
      return;
   add_not_counted(ip, -1);
   if (fault.run == 0)
      add_not_counted(fault.block->address, 1);
   ULong not_done[COST_MAX_EVENTS] = {0};
   for (UInt run = fault.run; run <= fault.last_run; run++) {
      add_not_done(&fault, run, not_done);
      if (!is_uncounted())
         context_cut_run(shadowstack_now.top->context, fault.block, run,
                         fault.instruction);
      if (options.call_tree)
         roll_back_inlined(&fault, run);
   }
   Arc* stub = shadowstack_stub_passed();
   for (UInt e = 0; e < cost_n_events(); e++) {
      cost_clock[e] -= not_done[e];
      if (stub != NULL) /* which has been booked, too */
         stub->inclusive[e] -= not_done[e];
   }
}
