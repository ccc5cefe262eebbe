/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that the program writes 2,000 times in one place, by turns 2 and 3
   instructions, and calls each time from another place, where it has written a caller of
   5 instructions and the call.
*/

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PLACE ((unsigned char*)0x1230000000)
#define N 2000
#define SIZE 64

typedef void (*Code)(void);

/* nop; nop; ret */
static const unsigned char callee[] = {0x90, 0x90, 0xc3};

/* sub $8,%rsp; mov $callee,%rax; call *%rax; add $8,%rsp; ret */
static const unsigned char caller[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,
                                       0,    0,    0,    0,    0,    0,    0,
                                       0xff, 0xd0, 0x48, 0x83, 0xc4, 8,    0xc3};

int main(void)
{
   unsigned char* place =
      mmap(PLACE, (N + 1) * SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   if (place != PLACE) {
      fprintf(stderr, "no memory there\n");
      return 1;
   }
   for (int i = 0; i < N; i++) {
      unsigned char* at = place + (i + 1) * SIZE;
      uint64_t target = (uintptr_t)place;
      memcpy(place, callee + i % 2, sizeof callee - (size_t)(i % 2));
      memcpy(at, caller, sizeof caller);
      memcpy(at + 6, &target, sizeof target);
      ((Code)(uintptr_t)at)();
   }
   return 0;
}
