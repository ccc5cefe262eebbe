/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Between STOP and START the program does away with more code than the tool remembers
   one by one: it unmaps 70 pages of it, far apart, and discards code of its own.  In 20
   rounds measured calls leaf 5 times, and once the code of each page, which is of 4
   instructions in even rounds and of 9 in odd ones.  What is unmapped was called with
   measurement on or off, or not at all.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "callgrind.h"

#include "known_cost.h"

#define ROUNDS 20
#define PAGES 70
#define PLACE ((unsigned char*)0x1230000000)
#define DISTANCE 0x400000

typedef void (*Code)(void);

KNOWN_COST(leaf, 10)

static unsigned char* page(int number) { return PLACE + (long)number * DISTANCE; }

/* So many instructions: the last one returns, the others do nothing.  */
static void write_code(unsigned char* at, int length)
{
#ifdef __aarch64__
   unsigned* code = (unsigned*)at;
   for (int i = 0; i < length - 1; i++)
      code[i] = 0xd503201f;
   code[length - 1] = 0xd65f03c0;
   __builtin___clear_cache((char*)at, (char*)(code + length));
#else
   memset(at, 0x90, (size_t)length - 1);
   at[length - 1] = 0xc3;
#endif
}

OPAQUE static void map(int length)
{
   for (int i = 0; i < PAGES; i++) {
      unsigned char* at = mmap(page(i), 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      if (at != page(i)) {
         perror("mmap");
         exit(1);
      }
      write_code(at, length);
   }
}

OPAQUE static void unmap(void)
{
   for (int i = 0; i < PAGES; i++)
      munmap(page(i), 4096);
   VALGRIND_DISCARD_TRANSLATIONS(leaf, 1);
}

OPAQUE static void measured(void)
{
   for (int i = 0; i < 5; i++)
      leaf();
   for (int i = 0; i < PAGES; i++)
      ((Code)page(i))();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < ROUNDS; i++) {
      map(i % 2 == 0 ? 4 : 9);
      if (i % 3 != 0)
         measured();
      CALLGRIND_START_INSTRUMENTATION;
      measured();
      if (i % 4 == 0)
         unmap();
      CALLGRIND_STOP_INSTRUMENTATION;
      if (i % 4 != 0)
         unmap();
   }
   return 0;
}
