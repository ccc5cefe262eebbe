/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of JIT code in the tool and in the sampler, without files or with them:

      jit_names random SEED      random names and moves; compares with a naive model
      jit_names lines N          N names in other places, each looked up as it comes
      jit_names replaced N       the same, all of them in one place
      jit_names pages N          N names for the same 60 pages
      jit_names moved N          N pieces of code, each moved and looked up
      jit_names sampled N        as `lines`, in the sampler's table
      jit_names sampled-moved N  as `moved`, there
      jit_names file PATH N      a file that grows N times, by 64 bytes, and a name looked
                                 for after each; PATH has what it begins with

   Prints a line of what was found.  */

#include "code/jit_table.h"
#include "guest/jit/jit_names.h"
#include "guest/jit/tail_reader.h"
#include "jit/jitdump.h"
#include "jit/perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* memory_allocate(size_t size);
void* memory_reallocate(void* old, size_t count, size_t size);
void* memory_allocate(size_t size) { return calloc(1, size != 0 ? size : 1); }
void* memory_reallocate(void* old, size_t count, size_t size)
{
   return realloc(old, count * size);
}

#define START 0x10000
#define SIZE 64

/* --- Against a naive model ---------------------------------------------------------- */

#define PLACES 256
static int model[PLACES]; /* the name's number; 0: none */
static int starts[PLACES];

static void name_in_model(unsigned start, unsigned size, int name)
{
   for (unsigned i = start; i < start + size && i < PLACES; i++) {
      model[i] = name;
      starts[i] = (int)start;
   }
}

static int differs(unsigned at)
{
   const HChar* found = jit_names_at(at);
   if (model[at] == 0 || found == NULL)
      return (model[at] != 0) != (found != NULL);
   return atoi(found) != model[at] ||
          jit_names_begin_at(at) != (starts[at] == (int)at);
}

static int do_random(unsigned seed)
{
   srand(seed);
   for (int i = 1; i <= 300; i++) {
      char name[16];
      unsigned start = (unsigned)rand() % PLACES, size = 1u + (unsigned)rand() % 40;
      if (start + size > PLACES)
         size = PLACES - start;
      unsigned from = (unsigned)rand() % PLACES;
      int number = rand() % 4 == 0 ? model[from] : i;
      if (number == i)
         jit_names_add(start, size, name, (SizeT)snprintf(name, sizeof name, "%d", i));
      else
         jit_names_sink.moved(NULL, from, start, size, 0);
      if (number != 0)
         name_in_model(start, size, number);
      for (unsigned at = 0; at < PLACES; at++)
         if (differs(at)) {
            printf("differs at %u, after %d names\n", at, i);
            return 1;
         }
   }
   printf("equal\n");
   return 0;
}

/* --- Many names --------------------------------------------------------------------- */

typedef struct {
   void (*add)(unsigned long start, unsigned long size, const char* name);
   void (*move)(unsigned long from, unsigned long to, unsigned long size);
   const char* (*find)(unsigned long address);
} Names;

static void add_in_tool(unsigned long start, unsigned long size, const char* name)
{
   jit_names_add(start, size, name, strlen(name));
}
static void move_in_tool(unsigned long from, unsigned long to, unsigned long size)
{
   jit_names_sink.moved(NULL, from, to, size, 0);
}
static const char* find_in_tool(unsigned long address) { return jit_names_at(address); }

static JitTable* table;
static void add_in_table(unsigned long start, unsigned long size, const char* name)
{
   jit_table_add(table, start, size, 1, name, strlen(name));
}
static void move_in_table(unsigned long from, unsigned long to, unsigned long size)
{
   jit_table_move(table, from, to, size, 1);
}
static const char* find_in_table(unsigned long address)
{
   return jit_table_find(table, address, 1);
}

static const Names tool = {add_in_tool, move_in_tool, find_in_tool};
static const Names sampler = {add_in_table, move_in_table, find_in_table};

static unsigned n_right;

static void expect(const Names* names, unsigned long address, const char* name)
{
   const char* found = names->find(address);
   n_right += found != NULL && strcmp(found, name) == 0;
}

static void many(const Names* names, const char* kind, unsigned n)
{
   int is_moved = strstr(kind, "moved") != NULL, is_pages = strcmp(kind, "pages") == 0;
   int is_replaced = is_pages || strcmp(kind, "replaced") == 0;
   for (unsigned i = 0; i < n; i++) {
      char name[32];
      unsigned long size = is_pages ? 60 * 4096 : SIZE;
      unsigned long start = START + (is_replaced ? 0 : (i * 7919ul % n) * SIZE);
      unsigned long to = start + (unsigned long)n * SIZE;
      snprintf(name, sizeof name, "name_%u", i);
      names->add(start, size, name);
      if (is_moved)
         names->move(start, to, size);
      expect(names, (is_moved ? to : start) + 3, name);
   }
   printf("%u of %u are right\n", n_right, n);
}

/* --- A file that grows -------------------------------------------------------------- */

static PerfMap map;
static Jitdump dump;
static int is_dump;
static unsigned char room[256];

static void begin(void)
{
   if (is_dump)
      jitdump_begin(&dump, room, sizeof room);
   else
      perf_map_begin(&map, (char*)room, sizeof room);
}

static void take(const UChar* bytes, SizeT size, Bool is_start)
{
   if (is_start)
      begin();
   if (is_dump)
      jitdump_take(&dump, bytes, size, &jit_names_sink);
   else
      perf_map_take(&map, bytes, size, &jit_names_sink);
}

static void grow(const char* path, unsigned n)
{
   static char bytes[SIZE];
   TailReader reader = {0};
   int fd = open(path, O_WRONLY | O_APPEND);
   is_dump = strstr(path, "dump") != NULL;
   memset(bytes, 'x', sizeof bytes);
   tail_reader_begin(&reader, path, False);
   for (unsigned i = 0; i < n; i++) {
      if (write(fd, bytes, sizeof bytes) != sizeof bytes)
         exit(1);
      tail_reader_read(&reader, take);
      n_right += jit_names_at(START) != NULL;
   }
   printf("%u of %u, %llu bytes taken\n", n_right, n, (unsigned long long)reader.offset);
}

int main(int count, char** words)
{
   if (count < 3)
      return 2;
   unsigned n = (unsigned)atoi(words[count - 1]);
   jit_names_init();
   table = jit_table_create();
   if (strcmp(words[1], "random") == 0)
      return do_random(n);
   if (strcmp(words[1], "file") == 0)
      grow(words[2], n);
   else if (strncmp(words[1], "sampled", 7) == 0)
      many(&sampler, words[1], n);
   else
      many(&tool, words[1], n);
   return 0;
}
