/* SPDX-License-Identifier: GPL-2.0-or-later

   Loops that a compiler makes AVX-512 of: products, comparisons, scattered stores.
   Without a C library, so that all that runs is here.  */

#define SIZE 512

static float values[SIZE], others[SIZE];
static int places[SIZE];

__attribute__((noinline)) static float product(const float* x, const float* y)
{
   float sum = 0;
   for (int i = 0; i < SIZE; i++)
      sum += x[i] * y[i];
   return sum;
}

__attribute__((noinline)) static int above(const float* x, float limit)
{
   int n = 0;
   for (int i = 0; i < SIZE; i++)
      n += x[i] > limit;
   return n;
}

__attribute__((noinline)) static void spread(float* x, const int* at)
{
   for (int i = 0; i < SIZE; i++)
      x[at[i]] = (float)i;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
   float sum = 0;
   int n = 0;
   for (int i = 0; i < SIZE; i++) {
      values[i] = (float)i;
      others[i] = (float)(i & 7);
      places[i] = SIZE - 1 - i;
   }
   for (int i = 0; i < 20; i++) {
      sum += product(values, others);
      n += above(others, 3);
      spread(values, places);
   }
   const long status = ((long)sum + n) & 63;
   __asm__ volatile("syscall" : : "a"(231), "D"(status) : "rcx", "r11", "memory");
   __builtin_unreachable();
}
