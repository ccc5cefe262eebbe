/* SPDX-License-Identifier: GPL-2.0-or-later

   What a program is told of AVX-512, by CPUID and by XGETBV, which both a compiler's
   library and the C library ask; and what it then does with it.  */

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
   unsigned a, b, c, d, low, high;
   static char text[300], copy[300];
   __cpuid_count(7, 0, a, b, c, d);
   printf("AVX-512: %08x\n", b & 0xd0030000);
   __cpuid_count(0xd, 0, a, b, c, d);
   printf("components %x in %u bytes\n", a, b);
   __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
   printf("enabled: %x, all of them: %d\n", low, (low & 0xe6) == 0xe6);
   __builtin_cpu_init();
   printf("usable: %d\n", __builtin_cpu_supports("avx512bw") != 0);
   memset(text, 'a', sizeof text - 1);
   memcpy(copy, text, sizeof text);
   printf("%zu, %d\n", strlen(copy), strcmp(copy, text));
   return 0;
}

#else

int main(void) { return 0; }

#endif
