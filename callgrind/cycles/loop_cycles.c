/* SPDX-License-Identifier: GPL-2.0-or-later

   See loop_cycles.h.  Owns the loop that is looked at.  */

#include "cycles/loop_cycles.h"

#include "cycles/pipeline.h"
#include "cycles/prepare.h"
#include "cycles/processor_facts.h"

/* No longer loop is followed; no more code than this is read to find one.  */
#define MAX_LOOP 400
#define MAX_READ 1200
#define MAX_WAYS 128

/* A branch forward is rather not taken: then the way counts as so much longer.  */
#define UNLIKELY_LENGTH 16

/* What is executed before the loop is taken to be steady, in reorder buffers; and how
   much is measured then.  */
#define BUFFERS_BEFORE 2
#define MEASURED_INSTRUCTIONS 160
#define MEASURED_TIMES 12

static PipelineInstruction loop[MAX_LOOP];
static UInt n_loop;
static Bool has_way_back;
static ULong addressed_by[MAX_LOOP]; /* pipeline_address_roots() when it last ran */
static Bool is_regular[MAX_LOOP];    /* its addresses are at a constant distance */

/*--------------------------------------------------------------------*/
/* The way back                                                        */

/* A way from the superblock's end: to `address`, after `length` instructions.  */
typedef struct {
   Addr address;
   UShort length;
   UShort from;  /* the way that it goes on */
   Bool is_done; /* what it leads to has been read */
} Way;

static Way ways[MAX_WAYS];
static UInt n_ways;
static UInt n_read;

static void add_way(const LoopCode* code, Addr address, UInt length, UInt from)
{
   if (address < code->begin || address >= code->end || length > 2 * MAX_LOOP)
      return;
   for (UInt i = 0; i < n_ways; i++)
      if (ways[i].address == address) {
         if (!ways[i].is_done && ways[i].length > length) {
            ways[i].length = (UShort)length;
            ways[i].from = (UShort)from;
         }
         return;
      }
   if (n_ways < MAX_WAYS)
      ways[n_ways++] = (Way){address, (UShort)length, (UShort)from, False};
}

static UInt shortest_way(void)
{
   UInt best = n_ways;
   for (UInt i = 0; i < n_ways; i++)
      if (!ways[i].is_done && (best == n_ways || ways[i].length < ways[best].length))
         best = i;
   return best;
}

/* Where the instruction leads to.  */
static void add_ways_behind(const LoopCode* code, const X86Operands* operands, Addr next,
                            UInt length, UInt from)
{
   switch (operands->flow) {
   case X86Branch:
      add_way(code, next + operands->target,
              length + (operands->target > 0 ? UNLIKELY_LENGTH : 0),
              from); /* fall through */
   case X86Call:
   case X86CallAny: add_way(code, next, length, from); break;
   case X86Jump: add_way(code, next + operands->target, length, from); break;
   default: break;
   }
}

/* Reads the code that a way leads to, up to where it branches.  True if that is the
   superblock.  */
static Bool read_on(const LoopCode* code, UInt number)
{
   Addr address = ways[number].address;
   UInt length = ways[number].length;
   while (n_read < MAX_READ && length < 2 * MAX_LOOP) {
      X86Instruction fields;
      X86Operands operands;
      if (address == code->address)
         return True;
      if (address >= code->end ||
          !x86_decode((const UChar*)address, (UInt)(code->end - address), &fields))
         return False;
      n_read++;
      length++;
      x86_operands(&fields, &operands);
      address += fields.size;
      if (operands.flow != X86GoesOn) {
         add_ways_behind(code, &operands, address, length, number);
         return False;
      }
   }
   return False;
}

/* The last way back to the superblock; n_ways if none is found.  */
static UInt find_way_back(const LoopCode* code, const PipelineInstruction* last)
{
   n_ways = n_read = 0;
   if (last->operands.flow == X86GoesOn)
      add_way(code, last->next, 0, MAX_WAYS);
   else
      add_ways_behind(code, &last->operands, last->next, 0, MAX_WAYS);
   for (;;) {
      UInt next = shortest_way();
      if (next == n_ways)
         return n_ways;
      ways[next].is_done = True;
      if (read_on(code, next))
         return next;
   }
}

/* Appends the code from `address` up to where it branches, or to the superblock.  */
static Bool append_code(const LoopCode* code, Addr address)
{
   while (address != code->address) {
      PipelineInstruction* instruction = &loop[n_loop];
      if (n_loop == MAX_LOOP || address >= code->end ||
          !prepare_instruction(form_model_in_use(), address, (UInt)(code->end - address),
                               instruction))
         return False;
      n_loop++;
      address = instruction->next;
      if (instruction->operands.flow != X86GoesOn)
         break;
   }
   return True;
}

static Bool append_way_back(const LoopCode* code, UInt last)
{
   UShort chain[MAX_WAYS];
   UInt n = 0;
   for (UInt way = last; way < MAX_WAYS; way = ways[way].from)
      chain[n++] = (UShort)way;
   while (n > 0) {
      Addr address = ways[chain[--n]].address;
      PipelineInstruction* before = &loop[n_loop - 1];
      before->is_taken = before->next != address || (before->operands.flow == X86Call ||
                                                     before->operands.flow == X86CallAny);
      if (!append_code(code, address))
         return False;
   }
   loop[n_loop - 1].is_taken = loop[n_loop - 1].next != code->address;
   return True;
}

static Bool find_loop(const LoopCode* code)
{
   Addr address = code->address;
   n_loop = 0;
   for (UInt i = 0; i < code->n; i++) {
      if (n_loop == MAX_LOOP || !prepare_instruction(form_model_in_use(), address,
                                                     code->sizes[i], &loop[n_loop]))
         return False;
      address += code->sizes[i];
      loop[n_loop++].next = address;
   }
   UInt way = find_way_back(code, &loop[n_loop - 1]);
   has_way_back = way < n_ways && append_way_back(code, way);
   if (!has_way_back) {
      n_loop = code->n;
      loop[n_loop - 1].is_taken = True;
   }
   for (UInt i = 1; i < n_loop; i++)
      prepare_fused(&loop[i - 1], &loop[i]);
   return True;
}

/*--------------------------------------------------------------------*/
/* Execution                                                           */

static UInt times_before(const FormModel* model)
{
   UInt micro_operations = 0;
   for (UInt i = 0; i < n_loop; i++)
      micro_operations += loop[i].micro_operations;
   return micro_operations == 0
             ? 1
             : BUFFERS_BEFORE * model->reorder_buffer / micro_operations + 2;
}

static UInt times_measured(void)
{
   UInt times = MEASURED_INSTRUCTIONS / n_loop + 1;
   return times < MEASURED_TIMES ? times : MEASURED_TIMES;
}

/* Executes the loop; adds to spent[i] what each of the superblock's `n` instructions has
   taken, if that is not NULL.  Returns the ticks of all together, by which instruction
   `late_one` is late each time.  */
static Tick execute(UInt n, Tick* spent, UInt late_one, Tick late)
{
   static Pipeline pipeline;
   const FormModel* model = form_model_in_use();
   UInt before = times_before(model), measured = times_measured();
   Tick all = 0;
   pipeline_begin(&pipeline, model);
   for (UInt time = 0; time < before + measured; time++) {
      if (!has_way_back)
         pipeline_forget(&pipeline);
      for (UInt i = 0; i < n_loop; i++) {
         Tick last = pipeline.retired;
         ULong roots = pipeline_address_roots(&pipeline, &loop[i]);
         is_regular[i] = roots == addressed_by[i];
         addressed_by[i] = roots;
         pipeline_execute(&pipeline, &loop[i], i == late_one ? late : 0);
         if (time < before)
            continue;
         all += pipeline.retired - last;
         if (spent != NULL && i < n)
            spent[i] += pipeline.retired - last;
      }
   }
   return all;
}

static UInt hundredths(Tick ticks, UInt times)
{
   return (UInt)((ticks * 100 / times + PIPELINE_TICKS / 2) / PIPELINE_TICKS);
}

/* Costs are rounded so that their sum is right.  */
static void give_costs(const Tick* spent, UInt n, UInt* costs)
{
   Tick sum = 0;
   UInt given = 0;
   for (UInt i = 0; i < n; i++) {
      sum += spent[i];
      UInt now = hundredths(sum, times_measured());
      costs[i] = now - given;
      given = now;
   }
}

/*--------------------------------------------------------------------*/
/* Misses                                                              */

/* How much longer the loop takes, and at least so much.  */
static UInt longer(UInt number, Tick all, UInt cycles, UInt at_least)
{
   Tick now = execute(0, NULL, number, cycles * (Tick)PIPELINE_TICKS);
   UInt cost = now > all ? hundredths(now - all, times_measured()) : 0;
   return cost > 100 * at_least ? cost : 100 * at_least;
}

static UInt difference(UInt more, UInt less) { return more > less ? more - less : 0; }

/* A load whose addresses follow each other is fetched ahead; a store need not be waited
   for.  What any other load costs is what the loop takes longer if it is late each time:
   as much of it as the loop does not hide.  */
static LoopMiss miss_of(UInt number, Tick all)
{
   const ProcessorFacts* facts = processor_facts();
   const ProcessorMisses *alone = &facts->alone, *least = &facts->at_least;
   if (!loop[number].operands.loads || is_regular[number])
      return (LoopMiss){100 * least->second, 100 * least->third, 100 * least->memory,
                        100 * least->walk};
   UInt second = longer(number, all, alone->second, least->second);
   UInt third =
      longer(number, all, alone->second + alone->third, least->second + least->third);
   UInt memory = longer(number, all, alone->second + alone->third + alone->memory,
                        least->second + least->third + least->memory);
   UInt walk = longer(number, all, alone->walk, least->walk);
   return (LoopMiss){second, difference(third, second), difference(memory, third), walk};
}

Bool loop_cycles(const LoopCode* code, UInt* costs, LoopMiss* misses)
{
   static Tick spent[MAX_LOOP];
   if (code->n == 0 || code->n > MAX_LOOP || !find_loop(code)) {
      for (UInt i = 0; i < code->n; i++) {
         costs[i] = 100;
         if (misses != NULL)
            misses[i] = (LoopMiss){0, 0, 0, 0};
      }
      return False;
   }
   for (UInt i = 0; i < code->n; i++)
      spent[i] = 0;
   Tick all = execute(code->n, spent, MAX_LOOP, 0);
   give_costs(spent, code->n, costs);
   for (UInt i = 0; i < code->n && misses != NULL; i++)
      misses[i] = loop[i].operands.loads || loop[i].operands.stores
                     ? miss_of(i, all)
                     : (LoopMiss){0, 0, 0, 0};
   return True;
}
