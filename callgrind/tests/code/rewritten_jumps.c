/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   A loop in machine code that the program writes, runs and writes anew in the same place:
   10, 20, 30 and 40 times round.  Its jump stands at other addresses or goes elsewhere,
   but the last is the first again.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)

typedef void (*Code)(int times);

OPAQUE static void run(Code code, int times)
{
   code(times);
   NO_TAIL_CALL;
}

int main(void)
{
   static const unsigned char loops[4][6] = {
      {0xff, 0xcf, 0x75, 0xfc, 0xc3},       /* dec %edi; jne +0; ret */
      {0xff, 0xcf, 0x90, 0x75, 0xfb, 0xc3}, /* dec %edi; nop; jne +0; ret */
      {0x90, 0xff, 0xcf, 0x75, 0xfc, 0xc3}, /* nop; dec %edi; jne +1; ret */
      {0xff, 0xcf, 0x75, 0xfc, 0xc3},
   };
   unsigned char* place = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
   if (place != PLACE) {
      perror("mmap");
      return 1;
   }
   for (int i = 0; i < 4; i++) {
      memcpy(place, loops[i], sizeof loops[i]);
      run((Code)place, 10 * (i + 1));
   }
   return 0;
}
