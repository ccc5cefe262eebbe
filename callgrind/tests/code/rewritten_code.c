/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that the program writes, runs and writes anew in the same place, 4 times:
   functions of 5, 9, 5 and 3 instructions, run 10, 20, 30 and 40 times.  The argument
   says how the new code gets there:

      write    over the old one
      map      into a new mapping at the old one's address
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)

typedef void (*Code)(void);

OPAQUE static void run(Code code)
{
   code();
   NO_TAIL_CALL;
}

OPAQUE static unsigned char* map(void)
{
   return mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

int main(int argc, char** argv)
{
   static const int lengths[] = {5, 9, 5, 3};
   const int maps = argc > 1 && strcmp(argv[1], "map") == 0;
   unsigned char* place = map();
   if (place != PLACE) {
      perror("mmap");
      return 1;
   }
   for (int round = 0; round < 4; round++) {
      if (maps && round > 0) {
         munmap(place, 4096);
         map();
      }
      memset(place, 0x90, (size_t)lengths[round] - 1);
      place[lengths[round] - 1] = 0xc3;
      for (int i = 0; i < 10 * (round + 1); i++)
         run((Code)place);
   }
   return 0;
}
