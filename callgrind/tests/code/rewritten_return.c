/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that calls back into the program, which writes the code anew that the call
   returns to, and discards no more than that.  It is called 7 times, of 5 instructions at
   first, and of 9 from the 4th return on.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "callgrind.h"

#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)
#define LONGEST 32 /* bytes of what follows the call */

typedef void (*Code)(void (*callback)(void));

static unsigned char* behind_call;

/* What follows the call: so many instructions that do nothing, and the return.  */
static void write_end(int nops)
{
#ifdef __aarch64__
   unsigned* code = (unsigned*)behind_call;
   for (int i = 0; i < nops; i++)
      *code++ = 0xd503201f;
   *code++ = 0xa8c17bfd; /* ldp x29, x30, [sp], #16 */
   *code++ = 0xd65f03c0; /* ret */
   __builtin___clear_cache((char*)behind_call, (char*)code);
#else
   memset(behind_call, 0x90, (size_t)nops);
   memcpy(behind_call + nops, "\x48\x83\xc4\x08\xc3", 5); /* add $8, %rsp; ret */
#endif
}

static void write_code(unsigned char* at)
{
#ifdef __aarch64__
   const unsigned begin[] = {0xa9bf7bfd,
                             0xd63f0000}; /* stp x29, x30, [sp, #-16]!; blr x0 */
#else
   const char begin[] = {0x48, (char)0x83, (char)0xec, 8, (char)0xff, (char)0xd7};
   /* sub $8, %rsp; call *%rdi */
#endif
   memcpy(at, begin, sizeof begin);
   behind_call = at + sizeof begin;
   write_end(1);
#ifdef __aarch64__
   __builtin___clear_cache((char*)at, (char*)behind_call);
#endif
}

KNOWN_COST(leaf, 10)

OPAQUE static void rewriter(void)
{
   static int calls;
   leaf();
   if (++calls == 4) {
      write_end(5);
      VALGRIND_DISCARD_TRANSLATIONS(behind_call, LONGEST);
   }
}

OPAQUE static void run(Code code)
{
   code(rewriter);
   NO_TAIL_CALL;
}

int main(void)
{
   unsigned char* place = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   if (place != PLACE) {
      perror("mmap");
      return 1;
   }
   write_code(place);
   for (int i = 0; i < 7; i++)
      run((Code)place);
   return 0;
}
