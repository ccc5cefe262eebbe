/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that the program writes into memory, at addresses that it chooses, and
   calls: one function of 4 instructions, one of 3 that jumps into the middle of itself,
   and one that calls back into the program.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)

KNOWN_COST(leaf, 10)

typedef void (*Code)(void (*callback)(void));

OPAQUE static void run(Code code)
{
   code(leaf);
   NO_TAIL_CALL;
}

int main(void)
{
   static const unsigned char four[] = {0x90, 0x90, 0x90, 0xc3};
   /* jmp over a nop; nop; ret */
   static const unsigned char jumping[] = {0xeb, 0x01, 0x90, 0x90, 0xc3};
   /* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
   static const unsigned char calling[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
                                           0x48, 0x83, 0xc4, 0x08, 0xc3};
   unsigned char* place = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
   if (place != PLACE) {
      perror("mmap");
      return 1;
   }
   memcpy(place, four, sizeof four);
   memcpy(place + 0x100, jumping, sizeof jumping);
   memcpy(place + 0x200, calling, sizeof calling);
   for (int i = 0; i < 3; i++) {
      run((Code)place);
      run((Code)(place + 0x100));
   }
   run((Code)(place + 0x200));
   return 0;
}
