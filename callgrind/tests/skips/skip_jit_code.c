/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Machine code in memory, which calls work, is called by a library, twice, and by the
   program itself, once.  With an argument, a perf map says that its name is `made`.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Makes a perf map with one line.  */
static void name_code(const unsigned char* place, char* path)
{
   sprintf(path, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(path, "w");
   if (map == NULL)
      return;
   fprintf(map, "%lx %zx made\n", (unsigned long)place, sizeof code);
   fclose(map);
}

int main(int argc, char** argv)
{
   char path[64];
   (void)argv;
   void (*callee)(void) = work;
   unsigned char* place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (place == MAP_FAILED) {
      perror("mmap");
      return 1;
   }
   memcpy(code + CALLEE_AT, &callee, sizeof callee);
   memcpy(place, code, sizeof code);
   if (argc > 1)
      name_code(place, path);
   through_library((Callback)place);
   directly((Callback)place);
   work();
   if (argc > 1)
      (void)unlink(path);
   return 0;
}
