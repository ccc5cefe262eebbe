/* SPDX-License-Identifier: GPL-2.0-or-later

   The tree file; see tree_file.h.  A line refers only to what is defined above it:
   functions, objects, processes and threads are written before the first tree that
   needs them.  */

#include "profile/tree_file.h"

#include "base/memory.h"
#include "profile/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A source file that has been written.  */
typedef struct SourceName {
   struct SourceName* next;
   const char* path;
   unsigned id;
} SourceName;

/* The file, and how much of each kind has been written.  */
typedef struct {
   FILE* file;
   unsigned objects, sources, functions, processes, threads;
   bool has_waits;
   unsigned trees;
   uint64_t nodes;
   uint64_t sums[TREE_EVENTS];
   SourceName* source_names[1024];
} Writer;

/* Writes a text up to the end of the line, with escapes.  */
static void text(Writer* writer, const char* string)
{
   for (const unsigned char* at = (const unsigned char*)string; *at != '\0'; at++) {
      if (*at == '\\')
         fputs("\\\\", writer->file);
      else if (*at < 32 || *at == 127)
         fprintf(writer->file, "\\x%02x", *at);
      else
         putc(*at, writer->file);
   }
   putc('\n', writer->file);
}

/* --- Definitions: each is written once; its id, or 0 for NULL ----------------------- */

static unsigned define_object(Writer* writer, Object* object)
{
   if (object == NULL)
      return 0;
   if (object->id == 0) {
      object->id = ++writer->objects;
      fprintf(writer->file, "object %u %s ", object->id, object->build_id);
      text(writer, object->path);
   }
   return object->id;
}

static unsigned define_source(Writer* writer, const char* path)
{
   size_t hash = 0;
   if (path == NULL)
      return 0;
   for (const char* at = path; *at != '\0'; at++)
      hash = hash * 31 + (unsigned char)*at;
   SourceName** slot = &writer->source_names[hash % 1024];
   for (SourceName* name = *slot; name != NULL; name = name->next) {
      if (strcmp(name->path, path) == 0)
         return name->id;
   }
   SourceName* name = memory_allocate(sizeof *name);
   name->path = path;
   name->id = ++writer->sources;
   name->next = *slot;
   *slot = name;
   fprintf(writer->file, "source %u ", name->id);
   text(writer, path);
   return name->id;
}

static void define_function(Writer* writer, Function* function)
{
   if (function->id != 0)
      return;
   unsigned object = define_object(writer, function->object);
   unsigned source = define_source(writer, function->source);
   function->id = ++writer->functions;
   fprintf(writer->file, "function %u %u %u %u ", function->id, object, source,
           function->line);
   text(writer, function->name);
   if (function->has_entry)
      fprintf(writer->file, "entry %u 0x%llx\n", function->id,
              (unsigned long long)function->entry);
}

static void define_mappings(Writer* writer, const Process* process)
{
   for (unsigned i = 0; i < process->space->count; i++) {
      const Mapping* mapping = &process->space->mappings[i];
      /* The object of a mapping that no sample has hit was never looked for.  */
      if (mapping->object == NULL || mapping->object->path[0] == '[')
         continue;
      unsigned object = define_object(writer, mapping->object);
      fprintf(writer->file, "map %u %u 0x%llx 0x%llx 0x%llx\n", process->id, object,
              (unsigned long long)mapping->start,
              (unsigned long long)(mapping->end - mapping->start),
              (unsigned long long)mapping->offset);
   }
}

/* A process is defined after its parent.  */
static unsigned define_process(Writer* writer, Process* process)
{
   if (process == NULL)
      return 0;
   if (process->id != 0)
      return process->id;
   unsigned parent = define_process(writer, process->parent);
   process->id = ++writer->processes;
   fprintf(writer->file, "process %u %u %u ", process->id, process->pid, parent);
   text(writer, process->command);
   define_mappings(writer, process);
   return process->id;
}

static void define_thread(Writer* writer, Thread* thread)
{
   if (thread->id != 0)
      return;
   unsigned process = define_process(writer, thread->process);
   thread->id = ++writer->threads;
   fprintf(writer->file, "thread %u %u %u ", thread->id, process, thread->tid);
   text(writer, thread->name);
}

/* --- Trees and parts ---------------------------------------------------------------- */

/* Writes the costs of the events in the order of the header.  */
static void write_costs(const Writer* writer, const uint64_t costs[TREE_EVENTS])
{
   uint64_t all[] = {costs[CostSampled] + costs[CostWaited], costs[CostSampled],
                     costs[CostWaited], costs[CostSamples], costs[CostWaits]};
   uint64_t sampled[] = {costs[CostSampled], costs[CostSamples]};
   const uint64_t* columns = writer->has_waits ? all : sampled;
   unsigned count = writer->has_waits ? 5 : 2;
   while (count > 0 && columns[count - 1] == 0)
      count--;
   for (unsigned i = 0; i < count; i++)
      fprintf(writer->file, " %llu", (unsigned long long)columns[i]);
   putc('\n', writer->file);
}

static void write_tree(Writer* writer, const Tree* tree)
{
   uint64_t sums[TREE_EVENTS] = {0};
   define_thread(writer, tree->thread);
   for (uint32_t i = 1; i <= tree->count; i++)
      define_function(writer, tree->nodes[i].function);
   fprintf(writer->file, "tree %u\n", tree->thread->id);
   for (uint32_t i = 1; i <= tree->count; i++) {
      const TreeNode* node = &tree->nodes[i];
      if (node->kind != NodeCalled)
         putc(node->kind, writer->file);
      fprintf(writer->file, "%u %u 0", node->parent != 0 ? i - node->parent : 0,
              node->function->id);
      write_costs(writer, node->costs);
      for (unsigned j = 0; j < TREE_EVENTS; j++)
         sums[j] += node->costs[j];
   }
   fprintf(writer->file, "total %u 0", tree->count);
   write_costs(writer, sums);
   writer->trees++;
   writer->nodes += tree->count;
   for (unsigned j = 0; j < TREE_EVENTS; j++)
      writer->sums[j] += sums[j];
}

static void write_part(Writer* writer, const Part* part)
{
   fprintf(writer->file, "part %u\n", part->number);
   if (part->trigger != NULL) {
      fputs("trigger ", writer->file);
      text(writer, part->trigger);
   }
   if (part->benchmark != NULL) {
      fputs("benchmark ", writer->file);
      text(writer, part->benchmark);
   }
   for (unsigned i = 0; i < part->note_count; i++) {
      fputs("desc ", writer->file);
      text(writer, part->notes[i]);
   }
   for (const Tree* tree = part->trees; tree != NULL; tree = tree->next)
      write_tree(writer, tree);
}

static void write_events(FILE* file, const TreeFileEvent* event)
{
   const char clock[] = "nanoseconds time on a processor, by a timer of the kernel";
   if (event->has_waits)
      fprintf(file,
              "event wall nanoseconds time that has passed, on a processor and off it\n"
              "event on-cpu %s\n"
              "event off-cpu nanoseconds time without a processor, as measured\n",
              clock);
   else if (event->is_cycles)
      fputs("event cycles cycles processor cycles, by the hardware's counter\n", file);
   else
      fprintf(file, "event cpu-clock %s\n", clock);
   fputs("event samples count how many samples\n", file);
   if (event->has_waits)
      fputs("event waits count how often threads left a processor\n", file);
}

/* What the longest samples stand for is what a reader has to reckon with, for all of
   them.  */
static void write_frequency(FILE* file, const TreeFileEvent* event,
                            const ProfileFigures* figures)
{
   unsigned slowest = 0;
   fprintf(file, "desc Samples per second of CPU time: %u", event->frequency);
   for (unsigned step = 1; step < RATE_STEPS; step++) {
      if (figures->at_step[step] == 0)
         continue;
      fprintf(file, "%s %u for %llu", slowest == 0 ? ";" : " and",
              rate_frequency(event->frequency, step),
              (unsigned long long)figures->at_step[step]);
      slowest = rate_frequency(event->frequency, step);
   }
   if (slowest != 0)
      fprintf(file,
              " of %llu samples, so as not to slow the program by over %u %%\n"
              "desc Longest period: %u",
              (unsigned long long)figures->samples, event->slowdown,
              1000000000 / slowest);
   fputc('\n', file);
}

static void write_all(FILE* file, const Part* parts, const TreeFileEvent* event)
{
   Writer* writer = memory_allocate(sizeof *writer);
   writer->file = file;
   writer->has_waits = event->has_waits;
   ProfileFigures figures = profile_figures();
   fprintf(file, "callgrind-tree 1\ncreator callgrind_sample %s\ncosts sampled\n",
           SAMPLER_VERSION);
   write_events(file, event);
   write_frequency(file, event, &figures);
   fprintf(file, "desc Kernel: %s\n", event->has_kernel ? "sampled" : "not sampled");
   fprintf(file, "desc Lost samples: %llu\n", (unsigned long long)figures.lost);
   for (const Part* part = parts; part != NULL; part = part->next)
      write_part(writer, part);
   fprintf(file, "end %u %llu", writer->trees, (unsigned long long)writer->nodes);
   write_costs(writer, writer->sums);
   for (unsigned i = 0; i < 1024; i++) {
      for (SourceName *name = writer->source_names[i], *next; name != NULL; name = next) {
         next = name->next;
         free(name);
      }
   }
   free(writer);
}

/* --- A file that could not be written before ---------------------------------------- */

static void forget_function(Function* function)
{
   function->id = 0;
   if (function->object != NULL)
      function->object->id = 0;
}

static void forget_thread(Thread* thread)
{
   thread->id = 0;
   for (Process* process = thread->process; process != NULL; process = process->parent) {
      process->id = 0;
      for (unsigned i = 0; i < process->space->count; i++) {
         if (process->space->mappings[i].object != NULL)
            process->space->mappings[i].object->id = 0;
      }
   }
}

/* Nothing has been defined yet.  */
static void forget_definitions(const Part* parts)
{
   for (const Part* part = parts; part != NULL; part = part->next) {
      for (const Tree* tree = part->trees; tree != NULL; tree = tree->next) {
         forget_thread(tree->thread);
         for (uint32_t i = 1; i <= tree->count; i++)
            forget_function(tree->nodes[i].function);
      }
   }
}

int tree_file_write(const char* path, bool is_named, const Part* parts,
                    const TreeFileEvent* event)
{
   int error;
   Output* output = output_open(path, is_named, &error);
   if (output == NULL)
      return error;
   forget_definitions(parts);
   write_all(output_file(output), parts, event);
   return output_close(output);
}
