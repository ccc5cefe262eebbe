/* SPDX-License-Identifier: GPL-2.0-or-later

   See superblock_cycles.h.  Owns the costs of the superblock.  */

#include "instrument/shape/superblock_cycles.h"

#include "cycles/loop_cycles.h"
#include "cycles/processor_facts.h"
#include "model/block_record.h"

#include "pub_tool_aspacemgr.h"

static UInt marks[BLOCK_MAX_INSTRUCTIONS];
static UChar sizes[BLOCK_MAX_INSTRUCTIONS];
static UInt costs[BLOCK_MAX_INSTRUCTIONS];
static LoopMiss misses[BLOCK_MAX_INSTRUCTIONS];
static UInt n;

/* Code that may be read lies in the mapping that the superblock begins in.  */
static void find_readable(LoopCode* code)
{
   const NSegment* segment = VG_(am_find_nsegment)(code->address);
   Bool is_known = segment != NULL && segment->hasR;
   code->begin = is_known ? segment->start : code->address;
   code->end = is_known ? segment->end + 1 : code->address;
   for (UInt i = 0; i < n && !is_known; i++)
      code->end += sizes[i];
}

void superblock_cycles_find(const IRSB* in)
{
   LoopCode code = {.sizes = sizes};
   n = 0;
   for (UInt i = 0; i < (UInt)in->stmts_used && n < BLOCK_MAX_INSTRUCTIONS; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag != Ist_IMark)
         continue;
      if (n == 0)
         code.address = (Addr)statement->Ist.IMark.addr;
      marks[n] = i;
      sizes[n++] = (UChar)statement->Ist.IMark.len;
   }
   code.n = n;
   if (n == 0)
      return;
   find_readable(&code);
   Bool needs_misses = cost_is_counted(EventDr) || cost_is_counted(EventBc);
   loop_cycles(&code, costs, needs_misses ? misses : NULL);
}

static UInt number_of(UInt mark)
{
   UInt low = 0, high = n;
   while (high - low > 1) {
      UInt middle = (low + high) / 2;
      if (marks[middle] <= mark)
         low = middle;
      else
         high = middle;
   }
   return low;
}

UInt superblock_cycles_of(UInt mark) { return n > 0 ? costs[number_of(mark)] : 0; }

static UShort limited(UInt cost) { return (UShort)(cost < 0xffff ? cost : 0xffff); }

static LoopMiss miss_of(const Reference* reference, UInt number)
{
   const ProcessorMisses* alone = &processor_facts()->alone;
   if (reference_is_data(reference))
      return number < n ? misses[number] : (LoopMiss){0};
   if (reference->kind == ReferenceFetch)
      return (LoopMiss){100u * alone->second, 100u * alone->third, 100u * alone->memory,
                        100u * alone->walk, 0};
   UInt cost = number < n ? misses[number].mispredicted : 0;
   return (LoopMiss){.third = cost}; /* LateMispredicted */
}

void superblock_cycles_set_late(Reference* reference, UInt first)
{
   LoopMiss miss = miss_of(reference, number_of(first) + reference->instruction);
   reference->late[LateMiss] = limited(miss.second);
   reference->late[LateLastMiss] = limited(miss.memory);
   reference->late[LateSecondMiss] = limited(miss.third);
   reference->late[LateWalk] = limited(miss.walk);
}
