/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   100 rounds between START and STOP.  In each, measured calls leaf 5 times, and code that
   the program has written: of 4 and of 9 instructions in turn, in the same place; in
   every tenth round the place has been unmapped and mapped again before.  While nothing
   is measured, all of this is called as well.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "callgrind.h"

#include "known_cost.h"

#define ROUNDS 100
#define PLACE ((unsigned char*)0x1230000000)

typedef void (*Code)(void);

KNOWN_COST(leaf, 10)

OPAQUE static unsigned char* map(void)
{
   return mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

OPAQUE static void write_code(int length)
{
   memset(PLACE, 0x90, (size_t)length - 1);
   PLACE[length - 1] = 0xc3;
}

OPAQUE static void measured(void)
{
   for (int i = 0; i < 5; i++)
      leaf();
   ((Code)PLACE)();
   NO_TAIL_CALL;
}

int main(void)
{
   if (map() != PLACE) {
      perror("mmap");
      return 1;
   }
   for (int i = 0; i < ROUNDS; i++) {
      if (i % 10 == 9) {
         munmap(PLACE, 4096);
         map();
      }
      write_code(i % 2 == 0 ? 4 : 9);
      measured();
      CALLGRIND_START_INSTRUMENTATION;
      measured();
      CALLGRIND_STOP_INSTRUMENTATION;
   }
   return 0;
}
