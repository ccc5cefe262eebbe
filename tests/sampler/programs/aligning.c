/* SPDX-License-Identifier: GPL-2.0-or-later

   Works below a stub in no file, on x86-64: it aligns the stack, calls, and returns, as
   those of `python3 -X perf`.  No register points to its frame.  */

#include <string.h>
#include <sys/mman.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void work(void)
{
   clock_t end = clock() + CLOCKS_PER_SEC * 3 / 10;
   while (clock() < end) {
      for (int i = 0; i < 20000; i++)
         sink = sink * 1664525u + 1013904223u;
   }
}

__attribute__((noinline)) static void by_stub(void (*stub)(void (*)(void)))
{
   stub(work);
   sink++;
}

int main(void)
{
   /* sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
   static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
                                        0x48, 0x83, 0xc4, 0x08, 0xc3};
   void* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (memory == MAP_FAILED)
      return 1;
   memcpy(memory, code, sizeof code);
   by_stub((void (*)(void (*)(void)))memory);
   return 0;
}
