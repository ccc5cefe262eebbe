/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Machine code in memory, which calls work, is called by a library, twice, and by the
   program itself, once.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(work, 10)

/* sub $8,%rsp; mov $..., %rax; call *%rax; add $8,%rsp; ret */
#define CALLEE_AT 6
static unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0xb8, 0,    0,    0, 0,   0,
                               0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};

OPAQUE static void through_library(Callback made)
{
   lib_call(made);
   lib_call(made);
   NO_TAIL_CALL;
}

OPAQUE static void directly(Callback made)
{
   made();
   NO_TAIL_CALL;
}

int main(void)
{
   void (*callee)(void) = work;
   unsigned char* place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (place == MAP_FAILED) {
      perror("mmap");
      return 1;
   }
   memcpy(code + CALLEE_AT, &callee, sizeof callee);
   memcpy(place, code, sizeof code);
   through_library((Callback)place);
   directly((Callback)place);
   work();
   return 0;
}
