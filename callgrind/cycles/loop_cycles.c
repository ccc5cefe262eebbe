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
static PipelineAddress addresses[MAX_LOOP]; /* when it last ran */
static Bool is_regular[MAX_LOOP];           /* its addresses are at a constant distance */
static Long strides[MAX_LOOP];              /* which is this */

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
static void add_ways_behind(const LoopCode* code, const Instruction* instruction,
                            Addr next, UInt length, UInt from)
{
   switch (instruction->flow) {
   case FlowBranch:
      add_way(code, next + instruction->target,
              length + (instruction->target > 0 ? UNLIKELY_LENGTH : 0),
              from); /* fall through */
   case FlowCall:
   case FlowCallAny: add_way(code, next, length, from); break;
   case FlowJump: add_way(code, next + instruction->target, length, from); break;
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
      Instruction instruction;
      if (address == code->address)
         return True;
      if (address >= code->end ||
          !instruction_read((const UChar*)address, (UInt)(code->end - address),
                            &instruction))
         return False;
      n_read++;
      length++;
      address += instruction.size;
      if (instruction.flow != FlowGoesOn) {
         add_ways_behind(code, &instruction, address, length, number);
         return False;
      }
   }
   return False;
}

/* The last way back to the superblock; n_ways if none is found.  */
static UInt find_way_back(const LoopCode* code, const PipelineInstruction* last)
{
   n_ways = n_read = 0;
   if (last->of.flow == FlowGoesOn)
      add_way(code, last->next, 0, MAX_WAYS);
   else
      add_ways_behind(code, &last->of, last->next, 0, MAX_WAYS);
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
      if (instruction->of.flow != FlowGoesOn)
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
      before->is_taken = before->next != address ||
                         (before->of.flow == FlowCall || before->of.flow == FlowCallAny);
      if (!append_code(code, address))
         return False;
   }
   loop[n_loop - 1].is_taken = loop[n_loop - 1].next != code->address;
   return True;
}

/* A loop that is repeated from a buffer: its branches need not be fetched.  A branch to
   where is not known is none of it.  */
static void set_repeated(void)
{
   const ProcessorFacts* facts = processor_facts();
   UInt micro_operations = 0;
   for (UInt i = 0; i < n_loop; i++) {
      micro_operations += loop[i].micro_operations;
      if (loop[i].of.flow == FlowCallAny || loop[i].of.flow == FlowLeaves)
         return;
   }
   for (UInt i = 0; i < n_loop && micro_operations <= facts->loop_buffer; i++)
      loop[i].redirection = PIPELINE_TICKS / facts->looped;
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
      loop[n_loop - 1].is_taken = loop[n_loop - 1].of.kind != KindRepetition;
   }
   for (UInt i = 1; i < n_loop; i++)
      prepare_fused(&loop[i - 1], &loop[i]);
   if (has_way_back && processor_facts()->looped != 0)
      set_repeated();
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

/* What goes wrong each time, with one instruction: its load is late, or it is a branch
   that has been mispredicted.  */
typedef struct {
   UInt number;
   Tick late;
   Tick penalty; /* 0: it is no such branch */
} Mishap;

static void note_address(const Pipeline* pipeline, UInt i)
{
   PipelineAddress address = pipeline_address(pipeline, &loop[i]);
   is_regular[i] = address.roots == addresses[i].roots;
   strides[i] = address.offset - addresses[i].offset;
   addresses[i] = address;
}

/* Executes the loop; adds to spent[i] what each of the superblock's `n` instructions has
   taken, if that is not NULL.  Returns the ticks of all together.  */
static Tick execute(UInt n, Tick* spent, Mishap mishap)
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
         note_address(&pipeline, i);
         pipeline_execute(&pipeline, &loop[i], i == mishap.number ? mishap.late : 0);
         if (i == mishap.number && mishap.penalty != 0)
            pipeline_start_anew(&pipeline, mishap.penalty);
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

#define LINE 64
#define PAGE 4096
#define CYCLES(N) ((N) * (Tick)PIPELINE_TICKS)

static UInt difference(UInt more, UInt less) { return more > less ? more - less : 0; }

/* How much longer the loop takes, in hundredths of a cycle.  */
static UInt longer(Mishap mishap, Tick all)
{
   Tick now = execute(0, NULL, mishap);
   return now > all ? hundredths(now - all, times_measured()) : 0;
}

/* What misses keep busy while they are fetched ahead, or while others are under way, is
   not seen as far as the code takes longer from one of them to the next.  */
static LoopMiss exposed(const ProcessorMisses* busy, UInt by_line, UInt by_page)
{
   UInt second = 100u * busy->second, third = second + 100u * busy->third,
        memory = third + 100u * busy->memory;
   LoopMiss miss = {.second = difference(second, by_line),
                    .walk = difference(100u * busy->walk, by_page)};
   miss.third = difference(third, by_line) - miss.second;
   miss.memory = difference(memory, by_line) - miss.second - miss.third;
   return miss;
}

/* How many turns are between accesses of other blocks of `size` bytes.  */
static UInt turns_by(UInt number, UInt size)
{
   Long stride = strides[number] < 0 ? -strides[number] : strides[number];
   return is_regular[number] && stride != 0 && stride < size ? size / (UInt)stride : 1;
}

/* Line after line: the second level fetches them ahead.  */
static Bool is_streamed(UInt number)
{
   return is_regular[number] && strides[number] <= LINE && strides[number] >= -LINE &&
          processor_facts()->streamed.memory != 0;
}

static UInt largest(UInt a, UInt b) { return a > b ? a : b; }

/* A load whose addresses follow each other is fetched ahead; a store need not be waited
   for.  What any other load costs is what the loop takes longer if it is late each time:
   as much of it as the loop does not hide.  */
static LoopMiss miss_of_access(UInt number, Tick all)
{
   const ProcessorFacts* facts = processor_facts();
   const ProcessorMisses* alone = &facts->alone;
   UInt turn = hundredths(all, times_measured());
   LoopMiss miss = exposed(is_streamed(number) ? &facts->streamed : &facts->at_least,
                           turn * turns_by(number, LINE), turn * turns_by(number, PAGE));
   if (!loop[number].of.loads || is_regular[number])
      return miss;
   UInt latency = alone->second;
   UInt second = longer((Mishap){number, CYCLES(latency), 0}, all);
   UInt third = longer((Mishap){number, CYCLES(latency += alone->third), 0}, all);
   UInt memory = longer((Mishap){number, CYCLES(latency += alone->memory), 0}, all);
   UInt walk = longer((Mishap){number, CYCLES(alone->walk), 0}, all);
   miss.second = largest(miss.second, second);
   miss.third = largest(miss.third, difference(third, miss.second));
   miss.memory = largest(miss.memory, difference(memory, miss.second + miss.third));
   miss.walk = largest(miss.walk, walk);
   return miss;
}

/* What begins anew does so when the branch is known to have gone elsewhere.  So it also
   costs what the branch has waited for, as far as the loop does not take as long.  */
static LoopMiss miss_of(UInt number, Tick all)
{
   const Instruction* of = &loop[number].of;
   LoopMiss miss = {0};
   if (of->loads || of->stores)
      miss = miss_of_access(number, all);
   if (of->flow == FlowBranch || of->flow == FlowLeaves || of->flow == FlowReturn ||
       of->flow == FlowCallAny)
      miss.mispredicted =
         longer((Mishap){number, 0, CYCLES(processor_facts()->mispredicted)}, all);
   return miss;
}

Bool loop_cycles(const LoopCode* code, UInt* costs, LoopMiss* misses)
{
   static Tick spent[MAX_LOOP];
   if (code->n == 0 || code->n > MAX_LOOP || !find_loop(code)) {
      for (UInt i = 0; i < code->n; i++) {
         costs[i] = 100;
         if (misses != NULL)
            misses[i] = (LoopMiss){0};
      }
      return False;
   }
   for (UInt i = 0; i < code->n; i++)
      spent[i] = 0;
   Tick all = execute(code->n, spent, (Mishap){MAX_LOOP, 0, 0});
   give_costs(spent, code->n, costs);
   for (UInt i = 0; i < code->n && misses != NULL; i++)
      misses[i] = miss_of(i, all);
   return True;
}
