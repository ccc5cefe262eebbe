/* SPDX-License-Identifier: GPL-2.0-or-later

   See superblock_cycles.h.  Keeps nothing.  */

#include "instrument/shape/superblock_cycles.h"

#include "cycles/processor_facts.h"
#include "guest/memory.h"

#include "pub_tool_aspacemgr.h"

static void set_readable_to_superblock(LoopCode* code)
{
   code->begin = code->end = code->address;
   for (UInt i = 0; i < code->n; i++)
      code->end += code->sizes[i];
}

/* Code that may be read lies in the mapping that the superblock begins in.  */
static void find_readable(LoopCode* code)
{
   const NSegment* segment = VG_(am_find_nsegment)(code->address);
   if (segment == NULL || !segment->hasR) {
      set_readable_to_superblock(code);
      return;
   }
   code->begin = segment->start;
   code->end = segment->end + 1;
}

/* What is found, and of which code.  */
typedef struct {
   LoopCode* code;
   SuperblockCycles* cycles;
} Finding;

static void find_costs(void* data)
{
   const Finding* wanted = data;
   Bool needs_misses = cost_is_counted(EventDr) || cost_is_counted(EventBc);
   loop_cycles(wanted->code, wanted->cycles->costs,
               needs_misses ? wanted->cycles->misses : NULL);
}

void superblock_cycles_find(SuperblockCycles* cycles, const IRSB* in)
{
   LoopCode code = {.sizes = cycles->sizes};
   UInt n = 0;
   for (UInt i = 0; i < (UInt)in->stmts_used && n < BLOCK_MAX_INSTRUCTIONS; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag != Ist_IMark)
         continue;
      if (n == 0)
         code.address = (Addr)statement->Ist.IMark.addr;
      cycles->marks[n] = i;
      cycles->sizes[n++] = (UChar)statement->Ist.IMark.len;
   }
   cycles->n = code.n = n;
   if (n == 0)
      return;
   find_readable(&code);
   Finding wanted = {&code, cycles};
   if (guest_memory_try(find_costs, &wanted))
      return;
   set_readable_to_superblock(&code); /* the mapping has a hole */
   find_costs(&wanted);
}

static UInt number_of(const SuperblockCycles* cycles, UInt mark)
{
   UInt low = 0, high = cycles->n;
   while (high - low > 1) {
      UInt middle = (low + high) / 2;
      if (cycles->marks[middle] <= mark)
         low = middle;
      else
         high = middle;
   }
   return low;
}

UInt superblock_cycles_of(const SuperblockCycles* cycles, UInt mark)
{
   return cycles->n > 0 ? cycles->costs[number_of(cycles, mark)] : 0;
}

static UShort limited(UInt cost) { return (UShort)(cost < 0xffff ? cost : 0xffff); }

static LoopMiss miss_of(const SuperblockCycles* cycles, const Reference* reference,
                        UInt number)
{
   const ProcessorMisses* alone = &processor_facts()->alone;
   if (reference_is_data(reference))
      return number < cycles->n ? cycles->misses[number] : (LoopMiss){0};
   if (reference->kind == ReferenceFetch)
      return (LoopMiss){100u * alone->second, 100u * alone->third, 100u * alone->memory,
                        100u * alone->walk, 0};
   UInt cost = number < cycles->n ? cycles->misses[number].mispredicted : 0;
   return (LoopMiss){.third = cost}; /* LateMispredicted */
}

void superblock_cycles_set_late(const SuperblockCycles* cycles, Reference* reference,
                                UInt first)
{
   LoopMiss miss =
      miss_of(cycles, reference, number_of(cycles, first) + reference->instruction);
   reference->late[LateMiss] = limited(miss.second);
   reference->late[LateLastMiss] = limited(miss.memory);
   reference->late[LateSecondMiss] = limited(miss.third);
   reference->late[LateWalk] = limited(miss.walk);
}
