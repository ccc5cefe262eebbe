/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code of which the program rewrites bytes that only share a word with what has
   run: 4 times, each time before 10 calls.  What follows the call in it begins and ends
   in the middle of a word.  The argument says which bytes:

      before   the target of the call: functions of 2 and of 3 instructions, in turns
      behind   the first byte behind the code, which is never executed

   Measurement is switched on, off and on before: from then on translations are kept.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "callgrind.h"

#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)
#define FIRST 0x100
#define SECOND 0x200

/* nop; nop; nop; sub $8,%rsp; call FIRST; add $8,%rsp; ret */
static const unsigned char calling[] = {0x90, 0x90, 0x90, 0x48, 0x83, 0xec, 8, 0xe8, 0,
                                        0,    0,    0,    0x48, 0x83, 0xc4, 8, 0xc3};
enum { TARGET = 8, RETURN = 12 };

typedef void (*Code)(void);

OPAQUE static void run(Code code)
{
   code();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   static const unsigned char first[] = {0x90, 0xc3}, second[] = {0x90, 0x90, 0xc3};
   const int is_behind = argc > 1 && strcmp(argv[1], "behind") == 0;
   unsigned char* place = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   if (place != PLACE) {
      perror("mmap");
      return 1;
   }
   memcpy(place, calling, sizeof calling);
   memcpy(place + FIRST, first, sizeof first);
   memcpy(place + SECOND, second, sizeof second);
   CALLGRIND_START_INSTRUMENTATION;
   CALLGRIND_STOP_INSTRUMENTATION;
   CALLGRIND_START_INSTRUMENTATION;
   for (int round = 0; round < 4; round++) {
      int target = (is_behind || round % 2 == 0 ? FIRST : SECOND) - RETURN;
      memcpy(place + TARGET, &target, sizeof target);
      if (is_behind)
         place[sizeof calling] = (unsigned char)round;
      for (int i = 0; i < 10; i++)
         run((Code)place);
   }
   return 0;
}
