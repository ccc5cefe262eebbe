/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Instructions that move much memory at once, of which the core makes calls: the state of
   the floating point unit and of the vector registers, saved and restored.
*/

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define AREAS 4

static unsigned char areas[AREAS][4096] __attribute__((aligned(4096)));

static NOINLINE void save_fx(void* area)
{
   __asm__ volatile("fxsave (%0)\n\tfxrstor (%0)" : : "r"(area) : "memory");
   __asm__ volatile("fxsave64 (%0)\n\tfxrstor64 (%0)" : : "r"(area) : "memory");
}

static NOINLINE void save_x(void* area, unsigned components)
{
   __asm__ volatile("xsave (%0)\n\txrstor (%0)"
                    : : "r"(area), "a"(components), "d"(0) : "memory");
}

static NOINLINE void save_x87(void* area)
{
   __asm__ volatile("fnsave (%0)\n\tfrstor (%0)" : : "r"(area) : "memory");
   __asm__ volatile("fnstenv (%0)\n\tfldenv (%0)" : : "r"(area) : "memory");
}

static NOINLINE void save_control(void* area)
{
   __asm__ volatile("fnstcw (%0)\n\tfldcw (%0)\n\tstmxcsr (%0)\n\tldmxcsr (%0)\n\t"
                    "fnstsw 8(%0)"
                    : : "r"(area) : "memory");
}

static NOINLINE void move_numbers(void* area)
{
   __asm__ volatile("fld1\n\tfstpl (%0)\n\tfildll (%0)\n\tfistpll (%0)\n\t"
                    "flds (%0)\n\tfstps (%0)\n\tfld1\n\tfisttpl (%0)"
                    : : "r"(area) : "memory", "st");
}

static int has_xsave(void)
{
   unsigned a, b, c, d;
   return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

int main(void)
{
   unsigned saved = 0;
   for (unsigned i = 0; i < AREAS * 3; i++) {
      unsigned char* area = areas[i % AREAS];
      save_fx(area);
      save_fx(area + 1024 + 48); /* aligned to 16 bytes only */
      save_x87(area + 2048 + 53);
      save_control(area + 2048 + 61);
      move_numbers(area + 2048 + 58);
      if (has_xsave()) {
         for (unsigned components = 0; components < 8; components++)
            save_x(area + 3072, components);
         saved++;
      }
   }
   printf("%u\n", AREAS * 3 - saved);
   return EXIT_SUCCESS;
}
