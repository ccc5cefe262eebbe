/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program of the tiny_*.out profiles: no C library, so that they stay small. */
__attribute__((noinline)) static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
/* The core reads the symbols of an object only when it maps writable data too. */
int rounds = 3;
int zeros[1024];
int main_part(void);
int main_part(void) {
   int sum = 0;
   for (int i = 0; i < rounds; i++)
      sum += factorial(i + 3) + even(i);
   return sum;
}
void _start(void);
void _start(void) {
   int r = main_part();
   __asm__ volatile("syscall" :: "a"(60), "D"(r & 0) : "rcx", "r11");
   for (;;) { }
}
