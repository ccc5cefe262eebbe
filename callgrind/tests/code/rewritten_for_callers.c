/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that the program writes 2,000 times in one place, by turns 2 and 3
   instructions, and calls each time from another place, where it has written a caller of
   5 instructions and the call.

   With an argument, the perf map says that the place is one function with two other
   pieces of code: all of this is called by the one, which so has a frame all the time,
   and the other one is called each time, too, always from one place.
*/

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACE ((unsigned char*)0x1230000000)
#define N 2000
#define SIZE 64

#define HOLDING (PLACE + 16)
#define BESIDE (PLACE + 48)

typedef void (*Code)(void);

/* nop; nop; ret */
static const unsigned char callee[] = {0x90, 0x90, 0xc3};

/* sub $8,%rsp; mov $callee,%rax; call *%rax; add $8,%rsp; ret */
static const unsigned char caller[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,
                                       0,    0,    0,    0,    0,    0,    0,
                                       0xff, 0xd0, 0x48, 0x83, 0xc4, 8,    0xc3};

/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
static const unsigned char holding[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd7,
                                        0x48, 0x83, 0xc4, 8, 0xc3};

static int is_held;

static void rewrite_all(void)
{
   for (int i = 0; i < N; i++) {
      unsigned char* at = PLACE + (i + 1) * SIZE;
      uint64_t target = (uintptr_t)PLACE;
      memcpy(PLACE, callee + i % 2, sizeof callee - (size_t)(i % 2));
      memcpy(at, caller, sizeof caller);
      memcpy(at + 6, &target, sizeof target);
      ((Code)(uintptr_t)at)();
      if (is_held)
         ((Code)(uintptr_t)BESIDE)();
   }
}

static void name_place(void)
{
   char name[64];
   snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(name, "w");
   if (map == NULL)
      return;
   fprintf(map, "%lx %x place\n", (unsigned long)(uintptr_t)PLACE, SIZE);
   fclose(map);
}

int main(int argc, char** argv)
{
   (void)argv;
   unsigned char* place =
      mmap(PLACE, (N + 1) * SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   if (place != PLACE) {
      fprintf(stderr, "no memory there\n");
      return 1;
   }
   is_held = argc > 1;
   if (!is_held) {
      rewrite_all();
      return 0;
   }
   name_place();
   memcpy(HOLDING, holding, sizeof holding);
   memcpy(BESIDE, callee, sizeof callee);
   ((void (*)(void (*)(void)))(uintptr_t)HOLDING)(rewrite_all);
   return 0;
}
