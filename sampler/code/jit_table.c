/* SPDX-License-Identifier: GPL-2.0-or-later

   Two ways into the same names; see jit_table.h.  To find a name, entries are sorted by
   address, when the first one is asked for after some were added.  Not all of them each
   time: what was added since is a run of its own.  Runs are merged so that each is less
   than half as long as the one before it, and there are few to search:

      entries   | run, sorted by start  | run    | added since |

   To move code, the latest name at each start is in a hash table, which is made when code
   is moved for the first time: perf maps never do so.  */

#include "code/jit_table.h"

#include "base/first_above.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 4096
#define MAX_ENTRIES (8u << 20)
#define MAX_STEPS_BACK 4096 /* entries of a run that are looked at for one address */
#define MAX_RUNS 32         /* more than a table of MAX_ENTRIES can have */

typedef struct {
   uint64_t start, end, time;
   size_t order; /* in which entries were added */
   char* name;
} Entry;

typedef struct {
   uint64_t start;
   const char* name; /* NULL: the slot is free */
} StartSlot;

struct JitTable {
   Entry* entries;
   size_t count, room;
   uint64_t longest; /* size of an entry */
   size_t run_ends[MAX_RUNS];
   unsigned run_count;
   StartSlot* starts; /* a hash table, of a power of two; NULL until code is moved */
   size_t start_count, start_room;
};

JitTable* jit_table_create(void) { return memory_allocate(sizeof(JitTable)); }

/* --- Names by start ----------------------------------------------------------------- */

static StartSlot* slot_of(const JitTable* table, uint64_t start)
{
   size_t mask = table->start_room - 1;
   size_t at = (size_t)(start * 0x9e3779b97f4a7c15ull >> 32) & mask;
   while (table->starts[at].name != NULL && table->starts[at].start != start)
      at = (at + 1) & mask;
   return &table->starts[at];
}

static void grow_starts(JitTable* table)
{
   StartSlot* old = table->starts;
   size_t room = table->start_room;
   table->start_room = room != 0 ? 2 * room : 1024;
   table->starts = memory_allocate(table->start_room * sizeof(StartSlot));
   for (size_t i = 0; i < room; i++) {
      if (old[i].name != NULL)
         *slot_of(table, old[i].start) = old[i];
   }
   free(old);
}

static void set_start(JitTable* table, uint64_t start, const char* name)
{
   if (2 * table->start_count >= table->start_room)
      grow_starts(table);
   StartSlot* slot = slot_of(table, start);
   if (slot->name == NULL)
      table->start_count++;
   *slot = (StartSlot){start, name};
}

/* --- Changes ------------------------------------------------------------------------ */

void jit_table_add(JitTable* table, uint64_t start, uint64_t size, uint64_t time,
                   const char* name, size_t length)
{
   if (size == 0 || start + size < start || length == 0 || table->count >= MAX_ENTRIES)
      return;
   if (table->count == table->room) {
      table->room = table->room ? 2 * table->room : 256;
      table->entries = memory_reallocate(table->entries, table->room, sizeof(Entry));
   }
   if (length > LONGEST_NAME)
      length = LONGEST_NAME;
   char* copy = memory_allocate(length + 1);
   memcpy(copy, name, length);
   table->entries[table->count] = (Entry){start, start + size, time, table->count, copy};
   table->count++;
   if (size > table->longest)
      table->longest = size;
   if (table->starts != NULL)
      set_start(table, start, copy);
}

void jit_table_move(JitTable* table, uint64_t from, uint64_t to, uint64_t size,
                    uint64_t time)
{
   if (table->starts == NULL) {
      grow_starts(table);
      /* In runs or not, entries with the same start are in the order they were added.  */
      for (size_t i = 0; i < table->count; i++)
         set_start(table, table->entries[i].start, table->entries[i].name);
   }
   const char* name = slot_of(table, from)->name;
   if (name != NULL)
      jit_table_add(table, to, size, time, name, strlen(name));
}

/* --- Names by address --------------------------------------------------------------- */

static int by_start(const void* left, const void* right)
{
   const Entry *a = left, *b = right;
   if (a->start != b->start)
      return a->start < b->start ? -1 : 1;
   return a->order < b->order ? -1 : a->order > b->order;
}

static size_t run_begin(const JitTable* table, unsigned run)
{
   return run == 0 ? 0 : table->run_ends[run - 1];
}

/* Makes one of the last two runs.  */
static void merge_last(JitTable* table)
{
   unsigned last = table->run_count - 1;
   size_t begin = run_begin(table, last - 1), middle = run_begin(table, last);
   size_t end = table->run_ends[last], first_count = middle - begin;
   Entry* to = table->entries + begin;
   const Entry* second = table->entries + middle;
   Entry* first = memory_allocate(first_count * sizeof(Entry));
   memcpy(first, to, first_count * sizeof(Entry));
   for (size_t i = 0; i < first_count;)
      *to++ = second < table->entries + end && by_start(second, &first[i]) < 0
                 ? *second++
                 : first[i++];
   free(first);
   table->run_ends[last - 1] = end;
   table->run_count--;
}

/* Makes a run of what was added since the last time.  */
static void sort_added(JitTable* table)
{
   size_t begin = run_begin(table, table->run_count);
   if (begin == table->count)
      return;
   qsort(table->entries + begin, table->count - begin, sizeof(Entry), by_start);
   table->run_ends[table->run_count++] = table->count;
   while (table->run_count > 1) {
      size_t middle = run_begin(table, table->run_count - 1);
      if (middle - run_begin(table, table->run_count - 2) > 2 * (table->count - middle))
         break;
      merge_last(table);
   }
}

/* What is known of an address so far.  */
typedef struct {
   const Entry* best;  /* the last one added that was there at the time */
   const Entry* later; /* read after the sample, but perhaps written before */
} Found;

static void find_in_run(const JitTable* table, unsigned run, uint64_t address,
                        uint64_t time, Found* found)
{
   const Entry* entries = table->entries + run_begin(table, run);
   size_t next = first_above(entries, table->run_ends[run] - run_begin(table, run),
                             sizeof(Entry), offsetof(Entry, start), address);
   for (size_t i = next, steps = 0; i-- > 0 && steps < MAX_STEPS_BACK; steps++) {
      const Entry* entry = &entries[i];
      if (address - entry->start >= table->longest)
         break;
      if (entry->end <= address)
         continue;
      if (entry->time <= time) {
         if (found->best == NULL || entry->order > found->best->order)
            found->best = entry;
      } else if (found->later == NULL || entry->order < found->later->order)
         found->later = entry;
   }
}

const char* jit_table_find(JitTable* table, uint64_t address, uint64_t time)
{
   Found found = {NULL, NULL};
   sort_added(table);
   for (unsigned run = 0; run < table->run_count; run++)
      find_in_run(table, run, address, time, &found);
   const Entry* best = found.best != NULL ? found.best : found.later;
   return best != NULL ? best->name : NULL;
}
