/* SPDX-License-Identifier: GPL-2.0-or-later

   Runs whole traces through the simulators, for tests in Python: a call for each access
   would take too long there.  Built as a shared library, see native.py.  */

#include "sim/branchsim.h"
#include "sim/cacheuse.h"
#include "sim/icache.h"
#include "sim/firstlevel.h"
#include "sim/host_caches.h"
#include "sim/lastlevel.h"
#include "sim/prefetch.h"
#include "sim/writeback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
   uint64_t address;
   uint32_t size;
   uint8_t first; /* 0 or 1: which of the two first levels it goes to */
   uint8_t is_write, is_collected;
} TracedAccess;

typedef enum { Plain, Writeback, Prefetch, Use, WatchedWriteback } Model;

/* Bits of an answer: the check said that the access is an MRU hit, or that its line of
   code is there; and what is wrong with that.  */
enum { MruHitMissed = 0x10, MruHitChanged = 0x20, MruHitSaid = 0x40 };

/* Lines of code are known beforehand; here they are looked up by address.  */
#define MAX_LINES 4096
typedef struct {
   bool is_known;
   uintptr_t address;
   ICacheLine line;
} KnownLine;

/* Where the countdown that lines of code are used by begins, again and again.  */
#define COUNTDOWN 40

/* All levels of all models; a test uses those of one.  With `is_code`, the first level
   number 0 is `code` instead of plain[0].  */
typedef struct {
   Model model;
   int is_code;
   ICache code;
   void* code_memory;
   size_t code_bytes;
   uint32_t countdown;
   uintptr_t code_end; /* of the last access to it */
   KnownLine* lines;
   size_t n_lines;
   FirstLevel plain[2];
   void* plain_memory[2];
   void* plain_copy;
   size_t plain_bytes[2];
   LastLevel last;
   void* last_memory;
   WritebackLevel writeback;
   Prefetcher prefetcher;
   UsedLevel used[3];
   void* memory[4];
} Machine;

/* By access: AcCost1, SpLoss1, AcCost2, SpLoss2 of the lines that it brought in.  */
static uint64_t (*wastes)[4];

static void note_waste(CacheLoader loader, bool is_last_level, CacheWaste waste)
{
   wastes[loader - 1][is_last_level ? 2 : 0] += waste.access_cost;
   wastes[loader - 1][is_last_level ? 3 : 1] += waste.spatial_loss;
}

static Machine* make(Model model, int is_code, const CacheGeometry shapes[3])
{
   Machine* machine = calloc(1, sizeof *machine);
   machine->model = model;
   machine->is_code = is_code;
   machine->code_bytes = icache_bytes(&shapes[0]);
   machine->code_memory = calloc(1, machine->code_bytes);
   icache_set_up(&machine->code, &shapes[0], machine->code_memory);
   machine->lines = calloc(MAX_LINES, sizeof *machine->lines);
   size_t largest = machine->code_bytes;
   for (int i = 0; i < 2; i++) {
      machine->plain_bytes[i] = firstlevel_bytes(&shapes[i]);
      largest = machine->plain_bytes[i] > largest ? machine->plain_bytes[i] : largest;
      machine->plain_memory[i] = calloc(1, machine->plain_bytes[i]);
      firstlevel_set_up(&machine->plain[i], &shapes[i], machine->plain_memory[i]);
   }
   machine->last_memory = calloc(1, lastlevel_bytes(&shapes[2]));
   lastlevel_set_up(&machine->last, &shapes[2], machine->last_memory);
   for (int i = 0; i < 3; i++) {
      machine->memory[i] = calloc(1, cacheuse_bytes(&shapes[i]));
      cacheuse_set_up(&machine->used[i], &shapes[i], machine->memory[i]);
   }
   machine->plain_copy = malloc(largest);
   machine->memory[3] = calloc(1, writeback_bytes(&shapes[2]));
   writeback_set_up(&machine->writeback, &shapes[2], machine->memory[3]);
   return machine;
}

static void drop(Machine* machine)
{
   for (int i = 0; i < 2; i++)
      free(machine->plain_memory[i]);
   free(machine->last_memory);
   for (int i = 0; i < 4; i++)
      free(machine->memory[i]);
   free(machine->code_memory);
   free(machine->lines);
   free(machine->plain_copy);
   free(machine);
}

static void empty(Machine* machine)
{
   icache_empty(&machine->code);
   for (int i = 0; i < 2; i++)
      firstlevel_empty(&machine->plain[i]);
   for (int i = 0; i < 3; i++)
      cacheuse_empty(&machine->used[i]);
   lastlevel_empty(&machine->last);
   writeback_empty(&machine->writeback);
   prefetch_empty(&machine->prefetcher);
}

static ICacheLine* icache_line_at(Machine* machine, uintptr_t address)
{
   size_t i = address / machine->code.line_size % MAX_LINES;
   while (machine->lines[i].is_known && machine->lines[i].address != address)
      i = (i + 1) % MAX_LINES;
   if (!machine->lines[i].is_known) {
      if (++machine->n_lines == MAX_LINES)
         abort();
      machine->lines[i] =
         (KnownLine){true, address, icache_new_line(&machine->code, address, address)};
   }
   return &machine->lines[i].line;
}

static uintptr_t line_of(const Machine* machine, uintptr_t address)
{
   return address & -(uintptr_t)machine->code.line_size;
}

/* Counts down, but for some accesses that go on behind the one before: a superblock may
   make several.  */
static void count_down(Machine* machine, uintptr_t address, uint32_t size)
{
   bool goes_on = address >= machine->code_end && address - machine->code_end < 512;
   machine->code_end = address + size;
   if (goes_on && size % 4 == 0)
      return;
   if (machine->countdown == 0) {
      icache_age_lines(&machine->code);
      machine->countdown = COUNTDOWN;
   }
   machine->countdown--;
}

static bool use_code_line(Machine* machine, uintptr_t address)
{
   ICacheLine* line = icache_line_at(machine, address);
   line->countdown = machine->countdown;
   return icache_touch(&machine->code, line);
}

/* The access touches the first level, in the steps in which the tool does it.  True: it
   was a hit.  */
static bool touch_first(Machine* machine, int level, uintptr_t address, uint32_t size)
{
   FirstLevel* plain = &machine->plain[level];
   if (level != 0 || !machine->is_code)
      return firstlevel_touch(plain, plain->shape, address, size,
                              lastlevel_set_of(&machine->last, address));
   count_down(machine, address, size);
   uintptr_t line = line_of(machine, address);
   uintptr_t last = line_of(machine, address + size - 1);
   bool is_hit = use_code_line(machine, line);
   while (line != last) {
      line += machine->code.line_size;
      if (!use_code_line(machine, line))
         is_hit = false;
   }
   return is_hit;
}

static bool always_calls(const Machine* machine, const TracedAccess* access)
{
   return machine->model == Use ||
          (access->is_write &&
           (machine->model == Writeback || machine->model == WatchedWriteback));
}

static CacheOutcome run(Machine* machine, const TracedAccess* access, CacheLoader loader)
{
   uintptr_t address = (uintptr_t)access->address;
   uint32_t size = access->size;
   if (machine->model == Use)
      return cacheuse_access(&machine->used[access->first], &machine->used[2], address,
                             size, loader, access->is_collected ? note_waste : NULL);
   bool is_hit = touch_first(machine, access->first, address, size);
   if (!is_hit && machine->model == WatchedWriteback)
      writeback_watch(&machine->writeback, &machine->prefetcher, address);
   if (always_calls(machine, access)) {
      CacheOutcome outcome =
         writeback_access_last(&machine->writeback, address, size, true);
      return is_hit ? CacheHit : outcome;
   }
   if (is_hit)
      return CacheHit;
   if (machine->model == Writeback || machine->model == WatchedWriteback)
      return writeback_access_last(&machine->writeback, address, size, false);
   if (machine->model == Prefetch)
      return prefetch_access_last(&machine->last, &machine->prefetcher, address, size);
   return lastlevel_access(&machine->last, address, size);
}

/* As run(), for an access to a line of code that is there.  */
static int run_code_there(Machine* machine, const TracedAccess* access,
                          CacheLoader loader)
{
   memcpy(machine->plain_copy, machine->code_memory, machine->code_bytes);
   int answer = (int)run(machine, access, loader) | MruHitSaid;
   if ((answer & 0xf) != CacheHit)
      answer |= MruHitMissed;
   if (memcmp(machine->plain_copy, machine->code_memory, machine->code_bytes) != 0)
      answer |= MruHitChanged;
   return answer;
}

static bool is_code_there(Machine* machine, uintptr_t address, uint32_t size)
{
   uintptr_t line = line_of(machine, address);
   return line == line_of(machine, address + size - 1) &&
          icache_line_at(machine, line)->state == ICACHE_LINE_PRESENT;
}

/* As run(), but if the check for an MRU hit decides, it is checked itself.  */
static int run_checked(Machine* machine, const TracedAccess* access, CacheLoader loader)
{
   int level = access->first;
   uintptr_t address = (uintptr_t)access->address;
   if (always_calls(machine, access))
      return (int)run(machine, access, loader);
   if (level == 0 && machine->is_code)
      return is_code_there(machine, address, access->size)
                ? run_code_there(machine, access, loader)
                : (int)run(machine, access, loader);
   const FirstLevel* plain = &machine->plain[level];
   if (!firstlevel_is_mru_hit(plain, plain->shape, address, access->size))
      return (int)run(machine, access, loader);
   memcpy(machine->plain_copy, machine->plain_memory[level], machine->plain_bytes[level]);
   int answer = (int)run(machine, access, loader);
   if (answer != CacheHit)
      answer |= MruHitMissed;
   if (memcmp(machine->plain_copy, machine->plain_memory[level],
              machine->plain_bytes[level]) != 0)
      answer |= MruHitChanged;
   return answer | MruHitSaid;
}

/* Fills answers[] with a CacheOutcome, and bits from above, for each access, and adds to
   waste[].  The caches are emptied before the accesses at the positions empty_at[], which
   ascend and end with one that is not reached.  The shapes are of both first levels and
   the last one; with `is_code` the first one is a cache for code.  */
void replay_caches(Model model, int is_code, const CacheGeometry shapes[3], size_t n,
                   const TracedAccess accesses[], const size_t empty_at[],
                   uint8_t answers[], uint64_t waste[][4])
{
   wastes = waste;
   Machine* machine = make(model, is_code, shapes);
   for (size_t i = 0; i < n; i++) {
      if (i == *empty_at) {
         empty(machine);
         empty_at++;
      }
      answers[i] = (uint8_t)run_checked(machine, &accesses[i], i + 1);
   }
   for (int i = 0; i < 2; i++)
      cacheuse_retire_first(&machine->used[i], &machine->used[2], note_waste);
   cacheuse_retire_last(&machine->used[2], note_waste);
   drop(machine);
}

typedef struct {
   uint64_t address, target;
   uint32_t is_indirect, taken;
} TracedBranch;

/* Fills answers[] with whether each branch was mispredicted.  The predictor is emptied
   before the branch at the position `empty_at`.  */
void replay_branches(size_t n, const TracedBranch branches[], size_t empty_at,
                     uint8_t answers[])
{
   BranchPredictor* predictor =
      aligned_alloc(_Alignof(BranchPredictor), sizeof *predictor);
   branchsim_empty(predictor);
   for (size_t i = 0; i < n; i++) {
      const TracedBranch* branch = &branches[i];
      uintptr_t address = (uintptr_t)branch->address;
      if (i == empty_at)
         branchsim_empty(predictor);
      uint8_t* row = branchsim_row(predictor, address);
      answers[i] = branch->is_indirect
                      ? branchsim_indirect(predictor, address, (uintptr_t)branch->target)
                      : branchsim_conditional(predictor, row, branch->taken != 0);
   }
   free(predictor);
}

typedef struct {
   uint32_t leaf, subleaf;
   CpuidAnswer answer;
} MadeUpAnswer;

static const MadeUpAnswer* made_up;
static size_t made_up_count;

/* Leaves that are not listed are all zero.  */
static CpuidAnswer ask_made_up(uint32_t leaf, uint32_t subleaf)
{
   for (size_t i = 0; i < made_up_count; i++)
      if (made_up[i].leaf == leaf && made_up[i].subleaf == subleaf)
         return made_up[i].answer;
   return (CpuidAnswer){0, 0, 0, 0};
}

/* The caches of a made-up processor; with NULL those of this one.  */
void replay_host_caches(const MadeUpAnswer answers[], size_t n, HostCaches* found)
{
   made_up = answers;
   made_up_count = n;
   host_caches_find(answers == NULL ? host_caches_cpuid : ask_made_up, found);
}

static const char* folder_of_caches;

static bool read_file(uint32_t index, const char* name, char* text, size_t size)
{
   char path[4096];
   snprintf(path, sizeof path, "%s/index%u/%s", folder_of_caches, index, name);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return false;
   size_t got = fread(text, 1, size, file);
   fclose(file);
   if (got == size)
      return false;
   text[got] = 0;
   return true;
}

/* The caches that the files in a folder describe.  */
void replay_host_cache_files(const char* folder, HostCaches* found)
{
   folder_of_caches = folder;
   host_caches_find_in_files(read_file, found);
}
