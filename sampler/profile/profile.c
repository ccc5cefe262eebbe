/* SPDX-License-Identifier: GPL-2.0-or-later

   Parts and samples; see profile.h.

   A benchmark's name comes before its samples or after them; this depends on the
   client.  A name that comes while sampling is on belongs to the current samples.  One
   that comes while it is off belongs to the samples before if they have no name yet,
   else to the next.  */

#include "profile/profile.h"

#include "base/memory.h"
#include "perf/copies.h"
#include "profile/waits.h"

#include <stdio.h>
#include <stdlib.h>

static Part* first_part;
static Part* last_part;
static Part* current; /* the last one; NULL between parts */
static unsigned part_count;
static bool sampling_on;
static uint64_t on_since; /* with sampling_on */
static ProfileFigures figures;
static char* next_benchmark;
static uint32_t max_nodes = 1u << 20; /* of a tree, before it is resolved */

static unsigned full_frequency; /* 0: there is one rate */

void profile_set_rates(unsigned frequency) { full_frequency = frequency; }
void profile_set_max_nodes(uint32_t count_of_nodes) { max_nodes = count_of_nodes; }

/* The main thread reads the figures meanwhile.  */
static void count(uint64_t* figure, uint64_t more)
{
   __atomic_add_fetch(figure, more, __ATOMIC_RELAXED);
}

static Part* current_part(void)
{
   if (current == NULL) {
      current = memory_allocate(sizeof *current);
      current->number = ++part_count;
      current->benchmark = next_benchmark;
      next_benchmark = NULL;
      if (last_part != NULL)
         last_part->next = current;
      else
         first_part = current;
      last_part = current;
   }
   return current;
}

static void add_note(Part* part, const char* text)
{
   part->notes = memory_reallocate(part->notes, part->note_count + 1, sizeof(char*));
   part->notes[part->note_count++] = memory_copy_text(text);
}

/* Ends the current part: later samples belong to another.  */
static void end_part(const char* trigger)
{
   if (current == NULL)
      return;
   current->trigger = memory_copy_text(trigger);
   current = NULL;
   for (Thread* thread = process_threads(); thread != NULL; thread = thread->previous)
      thread->tree = NULL;
}

/* A tree in which the functions of `old` stand that its pending ones stood for.  Frees
   `old`.  */
static Tree* resolved(Tree* old)
{
   Tree* tree = tree_create(old->thread);
   uint32_t* numbers = memory_allocate((old->count + 1ul) * sizeof(uint32_t));
   for (uint32_t i = 1; i <= old->count; i++) {
      const TreeNode* node = &old->nodes[i];
      const NamedFrame* frames;
      unsigned frame_count =
         names_resolve((NamedFrame){node->function, node->kind}, &frames);
      uint32_t number = numbers[node->parent];
      for (unsigned j = 0; j < frame_count; j++)
         number = tree_child(tree, number, frames[j].function, frames[j].kind);
      numbers[i] = number;
      tree_add_costs(tree, number, node->costs);
   }
   free(numbers);
   tree->next = old->next;
   tree_free(old);
   return tree;
}

/* Resolves a large tree: until then each address has a node of its own.  */
static void make_room(Part* part, Thread* thread)
{
   Tree** place = &part->trees;
   while (*place != thread->tree)
      place = &(*place)->next;
   *place = thread->tree = resolved(thread->tree);
   if (max_nodes < 2 * thread->tree->count)
      max_nodes = 2 * thread->tree->count;
}

static Tree* tree_of(Thread* thread)
{
   Part* part = current_part();
   if (thread->tree == NULL) {
      thread->tree = tree_create(thread);
      thread->tree->next = part->trees;
      part->trees = thread->tree;
   } else if (thread->tree->count > max_nodes) {
      make_room(part, thread);
   }
   return thread->tree;
}

/* --- Samples ------------------------------------------------------------------------ */

/* The path of a sample while it is built: the node that it has reached.  */
typedef struct {
   Tree* tree;
   uint32_t node;
} Path;

static void descend(Path* path, Function* function, NodeKind kind)
{
   path->node = tree_child(path->tree, path->node, function, kind);
}

static void add_user_frames(Path* path, Process* process, const UnwindResult* stack,
                            uint64_t time)
{
   if (stack->end != UnwindWhole)
      descend(path, names_of_missing(stack->end == UnwindTooDeep), NodeMissing);
   for (unsigned i = stack->count; i-- > 0;) {
      const NamedFrame* frames;
      if (stack->frames[i].object != NULL && stack->frames[i].object->skipped)
         continue;
      unsigned count = names_of_place(process, &stack->frames[i], time, &frames);
      for (unsigned j = 0; j < count; j++)
         descend(path, frames[j].function, frames[j].kind);
   }
}

/* Unwinds the user's stack of a sample; with what /proc says if the records do not
   suffice.  */
static void unwind_process(Process* process, const Sample* sample, uint64_t time,
                           UnwindResult* stack)
{
   CodePlace place;
   if (!process_find(process, sample->registers[REGISTER_PC], &place))
      process_backfill(process, time);
   unwind_sample(sample, process_find, process, stack);
   /* The code of a caller may be unknown, too.  */
   if (stack->end == UnwindNoRule && !process->backfilled) {
      process_backfill(process, time);
      unwind_sample(sample, process_find, process, stack);
   }
}

static void add_kernel_frames(Path* path, const Sample* sample, unsigned left_out)
{
   for (unsigned i = sample->chain_count; i-- > left_out;)
      descend(path, names_of_kernel(sample->chain[i]), NodeKernel);
}

/* The path to where a thread was, up to the kernel's functions.  */
static Path user_path(Thread* thread, const Record* record)
{
   static UnwindResult stack;
   const Sample* sample = &record->as.sample;
   stack.count = 0;
   stack.end = UnwindWhole;
   if (sample->stack_size == 0 && sample->chain_count != 0) {
      /* The kernel starts a program or ends one: there is no user code.  */
   } else if (sample->has_registers) {
      unwind_process(thread->process, sample, record->time, &stack);
      copies_note(stack.used, sample->stack_asked,
                  stack.end == UnwindTooDeep && stack.count < UNWIND_MAX_FRAMES);
   } else if (sample->is_32_bit || record->kind == RecordWait) {
      stack.end = UnwindNoRule;
   }
   if (stack.end != UnwindWhole)
      count(&figures.truncated, 1);
   Path path = {.tree = tree_of(thread)};
   add_user_frames(&path, thread->process, &stack, record->time);
   return path;
}

static void add_costs(Path* path, CostKind kind, uint64_t cost, CostKind number)
{
   uint64_t costs[TREE_EVENTS] = {0};
   if (path->node == 0)
      descend(path, names_of_skipped(), NodeSkipped);
   costs[kind] = cost;
   costs[number] = 1;
   tree_add_costs(path->tree, path->node, costs);
}

static void take_sample(const Record* record)
{
   const Sample* sample = &record->as.sample;
   Path path = user_path(process_thread(record->pid, record->tid), record);
   add_kernel_frames(&path, sample, 0);
   add_costs(&path, CostSampled, sample->period, CostSamples);
   current_part()->samples++;
   count(&figures.samples, 1);
   if (full_frequency != 0) {
      unsigned step = rate_step_of_period(full_frequency, sample->period);
      count(&figures.at_step[step], 1);
   }
}

/* --- Waits -------------------------------------------------------------------------- */

/* How many of the innermost functions are the scheduler's, the same for all waits:
   schedule(), or what calls __schedule() in its place.  How the kernel was compiled
   decides whether __schedule() itself is told.  */
static unsigned scheduler_frames(const Sample* sample)
{
   static unsigned count;
   if (count == 0 && sample->chain_count != 0)
      count = names_is_kernel(sample->chain[0], "__schedule") ? 2 : 1;
   return count;
}

/* Adds what a thread has waited, while sampling was on, up to a time.  */
static void add_wait(Thread* thread, uint64_t until)
{
   uint64_t length = waits_length(thread, on_since, until);
   const Record* left = thread->wait.left;
   if (!sampling_on || length == 0)
      return;
   Path path = user_path(thread, left);
   /* How it came from an interrupt to the scheduler says nothing.  */
   if (thread->wait.could_run)
      descend(&path, names_of_no_processor(), NodeKernel);
   else
      add_kernel_frames(&path, &left->as.sample, scheduler_frames(&left->as.sample));
   add_costs(&path, CostWaited, length, CostWaits);
   waits_counted(thread, until);
   current_part()->samples++;
   count(&figures.waits, 1);
}

/* Adds what all threads that wait have waited, before sampling is switched off.  */
static void add_waits(uint64_t until)
{
   for (Thread* thread = process_threads(); thread != NULL; thread = thread->previous)
      add_wait(thread, until);
}

/* Takes over the record of a thread that leaves its processor or has one again.  */
static void take_wait(Record* record)
{
   Thread* thread = process_thread(record->pid, record->tid);
   switch (record->kind) {
   case RecordWait: waits_begin(thread, record); return;
   case RecordLeave: waits_leave(thread, record); break;
   default:
      add_wait(thread, record->time);
      waits_end(thread);
      break;
   }
   free(record);
}

/* Counts the samples whose own function has no name.  If nothing at all is known of the
   code, it is "[unknown callers]".  */
static void count_nameless(const Tree* tree)
{
   for (uint32_t i = 1; i <= tree->count; i++) {
      const TreeNode* node = &tree->nodes[i];
      if (!node->function->is_named || node->kind == NodeMissing)
         count(&figures.unnamed, node->costs[CostSamples] + node->costs[CostWaits]);
   }
}

/* --- Marks -------------------------------------------------------------------------- */

static void name_benchmark(const Record* record)
{
   const char* uri = record->as.mark.text;
   char note[64];
   process_backfill_pid(record->pid, record->time);
   if (!sampling_on && (current == NULL || current->benchmark != NULL)) {
      free(next_benchmark);
      next_benchmark = memory_copy_text(uri);
      return;
   }
   Part* part = current_part();
   free(part->benchmark);
   part->benchmark = memory_copy_text(uri);
   snprintf(note, sizeof note, "Benchmark pid: %u", record->pid);
   add_note(part, note);
   if (!sampling_on)
      end_part("Benchmark");
}

/* Adds a marker to the part that was sampled at its time.  Mostly that part has
   ended.  */
static void note_moment(const Record* record)
{
   uint64_t moment = record->as.mark.moment;
   Part* part = last_part;
   char note[128];
   for (Part* other = first_part; other != NULL; other = other->next) {
      if (other->began <= moment && (other->ended == 0 || moment <= other->ended))
         part = other;
   }
   snprintf(note, sizeof note, "Marker: %s at %llu, pid %u", record->as.mark.text,
            (unsigned long long)moment, record->pid);
   add_note(part != NULL ? part : current_part(), note);
}

static void take_mark(const Record* record)
{
   switch (record->as.mark.kind) {
   case MarkOn:
      /* The samples before are a part of their own, even without a name.  */
      if (!sampling_on && current != NULL && current->samples != 0)
         end_part("Sampling stopped");
      if (!sampling_on)
         on_since = record->time;
      sampling_on = true;
      if (current_part()->began == 0)
         current_part()->began = record->time;
      break;
   case MarkOff:
      add_waits(record->time);
      sampling_on = false;
      if (current != NULL)
         current->ended = record->time;
      if (current != NULL && current->benchmark != NULL)
         end_part("Benchmark");
      break;
   case MarkBenchmark: name_benchmark(record); break;
   case MarkNote: add_note(current_part(), record->as.mark.text); break;
   case MarkMoment: note_moment(record); break;
   case MarkAttached: process_backfill_pid(record->pid, record->time); break;
   case MarkEnd: add_waits(record->time); break;
   }
}

void profile_take(Record* record)
{
   switch (record->kind) {
   case RecordSample: take_sample(record); break;
   case RecordWait:
   case RecordLeave:
   case RecordResume: take_wait(record); return;
   case RecordExit:
      waits_end(process_thread(record->pid, record->tid));
      process_apply(record);
      break;
   case RecordLost: count(&figures.lost, record->as.lost.count); break;
   case RecordMark: take_mark(record); break;
   default: process_apply(record); break;
   }
   free(record);
}

void profile_finish(void)
{
   end_part("Program termination");
   names_end();
   for (Part* part = first_part; part != NULL; part = part->next) {
      for (Tree** tree = &part->trees; *tree != NULL; tree = &(*tree)->next) {
         *tree = resolved(*tree);
         count_nameless(*tree);
      }
   }
}

const Part* profile_parts(void) { return first_part; }

ProfileFigures profile_figures(void)
{
   ProfileFigures result = {
      .samples = __atomic_load_n(&figures.samples, __ATOMIC_RELAXED),
      .waits = __atomic_load_n(&figures.waits, __ATOMIC_RELAXED),
      .lost = __atomic_load_n(&figures.lost, __ATOMIC_RELAXED),
      .truncated = __atomic_load_n(&figures.truncated, __ATOMIC_RELAXED),
      .unnamed = __atomic_load_n(&figures.unnamed, __ATOMIC_RELAXED),
   };
   for (unsigned step = 0; step < RATE_STEPS; step++)
      result.at_step[step] = __atomic_load_n(&figures.at_step[step], __ATOMIC_RELAXED);
   return result;
}
