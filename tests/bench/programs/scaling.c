/* SPDX-License-Identifier: GPL-2.0-or-later

   What a profiler may come to do in time by the square of its number:

      scaling recursion N    a recursion of depth N, twice, with a call on each level
      scaling rewrite N      N functions of JIT code, one after another in one place
      scaling retire N       N functions of JIT code, side by side; then all are rewritten
      scaling lines N        the same, not rewritten; each is named in a line as it comes
      scaling contexts N     one function, rewritten N times, each time for another caller
      scaling held N         the same, while code of that function has a frame, and other
                             code of it is called from one place all the time
      scaling unfinished N   N functions; the perf map has 64 N bytes and no end of line
      scaling header N       N functions; a jitdump of 64 N bytes claims a longer header
      scaling record N       N functions; a record of it claims to be longer
      scaling move N         N functions, each moved to another place by the jitdump
      scaling pages N        N names, each for the same 60 pages
      scaling unmapped N     N functions, each in a page of its own, which is unmapped

   What programs do with stacks is in scaling_stacks.c.

   The output tells only that all was executed.  */

#include "scaling.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_SIZE 64
#define PAGE_SIZE 4096

typedef unsigned Made(void);

static unsigned char* code; /* where JIT code is written */
unsigned long sum;
static FILE* map;  /* /tmp/perf-PID.map; unbuffered */
static FILE* dump; /* jit-PID.dump, likewise */

/* --- Recursion ------------------------------------------------------------------- */

__attribute__((noinline)) unsigned leaf(unsigned n)
{
   __asm__ volatile("");
   return n & 1;
}

__attribute__((noinline)) static unsigned descend(unsigned n)
{
   unsigned below = n > 1 ? descend(n - 1) : 0;
   return below + leaf(n);
}

/* --- JIT code -------------------------------------------------------------------- */

static void make_room(size_t size)
{
   code = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (code == MAP_FAILED)
      exit(1);
}

/* mov $n,%eax; ret */
static void write_code(unsigned char* at, unsigned n)
{
   at[0] = 0xb8;
   memcpy(at + 1, &n, sizeof n);
   at[5] = 0xc3;
}

static void call_code(unsigned char* at) { sum += ((Made*)(uintptr_t)at)(); }

static void open_map(void)
{
   char path[64];
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   map = fopen(path, "w");
   if (map == NULL)
      exit(1);
   setvbuf(map, NULL, _IONBF, 0);
}

static void name_code(const unsigned char* at, const char* kind, unsigned n)
{
   fprintf(map, "%lx %x %s_%u\n", (unsigned long)at, CODE_SIZE, kind, n);
}

static void rewrite(unsigned n)
{
   open_map();
   make_room(PAGE_SIZE);
   for (unsigned i = 0; i < n; i++) {
      write_code(code, i);
      name_code(code, "made", i);
      call_code(code);
   }
}

static void call_all(unsigned n, const char* kind)
{
   for (unsigned i = 0; i < n; i++) {
      write_code(code + i * CODE_SIZE, i + (unsigned char)kind[0]);
      if (map != NULL)
         name_code(code + i * CODE_SIZE, kind, i);
      call_code(code + i * CODE_SIZE);
   }
}

static void retire(unsigned n)
{
   open_map();
   make_room((size_t)n * CODE_SIZE);
   call_all(n, "first");
   call_all(n, "second");
}

/* sub $8,%rsp; mov $target,%rax; call *%rax; add $8,%rsp; ret */
static void write_caller(unsigned char* at, const unsigned char* target)
{
   static const unsigned char code_of[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,
                                           0,    0,    0,    0,    0,    0,    0,
                                           0xff, 0xd0, 0x48, 0x83, 0xc4, 8,    0xc3};
   uint64_t address = (uintptr_t)target;
   memcpy(at, code_of, sizeof code_of);
   memcpy(at + 6, &address, sizeof address);
}

#define HOLDING 16 /* where in CODE_SIZE it is that calls back */
#define BESIDE 48

static unsigned n_callers;
static int is_held;

static void rewrite_for_callers(void)
{
   for (unsigned i = 0; i < n_callers; i++) {
      unsigned char* caller = code + (size_t)(i + 1) * CODE_SIZE;
      /* By turns with a nop in front: otherwise it is the same code, with other
         numbers.  */
      code[0] = 0x90;
      write_code(code + i % 2, i);
      write_caller(caller, code);
      call_code(caller);
      if (is_held)
         call_code(code + BESIDE);
   }
}

static void contexts(unsigned n)
{
   make_room((size_t)(n + 1) * CODE_SIZE);
   n_callers = n;
   rewrite_for_callers();
}

static void held(unsigned n)
{
   /* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
   static const unsigned char holding[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd7,
                                           0x48, 0x83, 0xc4, 8, 0xc3};
   open_map();
   make_room((size_t)(n + 1) * CODE_SIZE);
   name_code(code, "held", 0);
   memcpy(code + HOLDING, holding, sizeof holding);
   write_code(code + BESIDE, n);
   n_callers = n;
   is_held = 1;
   ((void (*)(void (*)(void)))(uintptr_t)(code + HOLDING))(rewrite_for_callers);
}

static void lines(unsigned n)
{
   open_map();
   make_room((size_t)n * CODE_SIZE);
   call_all(n, "made");
}

static void put_bytes(FILE* file, size_t n)
{
   static char bytes[PAGE_SIZE];
   memset(bytes, 'x', sizeof bytes);
   for (size_t put = 0; put < n; put += sizeof bytes)
      fwrite(bytes, 1, n - put < sizeof bytes ? n - put : sizeof bytes, file);
}

static void unfinished(unsigned n)
{
   open_map();
   put_bytes(map, (size_t)n * 64);
   fclose(map);
   map = NULL;
   make_room((size_t)n * CODE_SIZE);
   call_all(n, "made");
}

/* --- jitdump --------------------------------------------------------------------- */

static void put_words(const uint32_t* words, size_t n) { fwrite(words, 4, n, dump); }

/* Opens the dump in the current folder, and maps it, so that profilers see it.  */
static void open_dump(uint32_t header_size)
{
   char path[64];
   const uint32_t header[] = {0x4a695444,         1, header_size, 62, 0,
                              (uint32_t)getpid(), 0, 0,           0,  0};
   snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
   dump = fopen(path, "w+");
   if (dump == NULL)
      exit(1);
   setvbuf(dump, NULL, _IONBF, 0);
   put_words(header, 10);
   if (mmap(NULL, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) ==
       MAP_FAILED)
      exit(1);
}

static void close_dump(void)
{
   char path[64];
   snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
   fclose(dump);
   unlink(path);
}

static void put_record(uint32_t kind, uint32_t size, const uint64_t* words, size_t n)
{
   const uint32_t start[] = {kind, size, 0, 0, (uint32_t)getpid(), (uint32_t)getpid()};
   put_words(start, 6);
   fwrite(words, 8, n, dump);
}

static void header(unsigned n)
{
   open_dump(0x7fffffff);
   put_bytes(dump, (size_t)n * 64);
   make_room((size_t)n * CODE_SIZE);
   call_all(n, "made");
   close_dump();
}

static void record(unsigned n)
{
   const uint64_t words[4] = {0};
   open_dump(40);
   put_record(0, 50u << 20, words, 4);
   put_bytes(dump, (size_t)n * 64);
   make_room((size_t)n * CODE_SIZE);
   call_all(n, "made");
   close_dump();
}

static void move(unsigned n)
{
   open_dump(40);
   make_room((size_t)n * 2 * CODE_SIZE);
   for (unsigned i = 0; i < n; i++) {
      unsigned char* from = code + i * CODE_SIZE;
      unsigned char* to = from + (size_t)n * CODE_SIZE;
      uint64_t loaded[] = {(uintptr_t)from, (uintptr_t)from, 0, i};
      uint64_t moved[] = {(uintptr_t)to, (uintptr_t)from, (uintptr_t)to, CODE_SIZE, i};
      char name[16] = {0};
      snprintf(name, sizeof name, "made_%u", i);
      loaded[2] = CODE_SIZE;
      put_record(0, 24 + sizeof loaded + sizeof name, loaded, 4);
      fwrite(name, 1, sizeof name, dump);
      put_record(1, 24 + sizeof moved, moved, 5);
      write_code(to, i);
      call_code(to);
   }
   close_dump();
}

static void pages(unsigned n)
{
   open_map();
   make_room(60 * PAGE_SIZE);
   for (unsigned i = 0; i < n; i++)
      fprintf(map, "%lx %x made_%u\n", (unsigned long)code, 60 * PAGE_SIZE, i);
   write_code(code, n);
   call_code(code);
}

static void unmapped(unsigned n)
{
   open_map();
   for (unsigned i = 0; i < n; i++) {
      /* Each is asked for elsewhere than the one before.  */
      unsigned char* wish =
         (unsigned char*)(uintptr_t)(0x100000000 + i * 2ul * PAGE_SIZE);
      code = mmap(wish, PAGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (code == MAP_FAILED)
         exit(1);
      write_code(code, i);
      name_code(code, "made", i);
      call_code(code);
      munmap(code, PAGE_SIZE);
   }
}

/* --------------------------------------------------------------------------------- */

static void recursion(unsigned n) { sum = descend(n) + descend(n); }

static const Kind code_kinds[] = {
   {"recursion", recursion},
   {"rewrite", rewrite},
   {"retire", retire},
   {"lines", lines},
   {"unfinished", unfinished},
   {"header", header},
   {"record", record},
   {"move", move},
   {"pages", pages},
   {"contexts", contexts},
   {"held", held},
   {"unmapped", unmapped},
   {NULL, NULL},
};

static const Kind* kind_of(const Kind* kinds, const char* name)
{
   while (kinds->name != NULL && strcmp(kinds->name, name) != 0)
      kinds++;
   return kinds->name != NULL ? kinds : NULL;
}

int main(int n, char** words)
{
   char path[64];
   if (n != 3)
      return 2;
   const Kind* kind = kind_of(code_kinds, words[1]);
   if (kind == NULL)
      kind = kind_of(stack_kinds, words[1]);
   if (kind == NULL)
      return 2;
   kind->run((unsigned)atoi(words[2]));
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   unlink(path);
   printf("%s %s: %lu\n", words[1], words[2], sum);
   return 0;
}
