/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Every kind of call that a C program makes, in one small deterministic run: direct
   and mutual recursion, a callback from the C library, function pointers, tail calls,
   longjmp, string functions, formatted output.
*/

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define ELEMENTS 200

static NOINLINE int fibonacci(int n)
{
   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE int is_odd(int n);

static NOINLINE int is_even(int n)
{
   return n == 0 ? 1 : is_odd(n - 1);
}

static NOINLINE int is_odd(int n)
{
   return n == 0 ? 0 : is_even(n - 1);
}

/* Three functions in a circle, entered at two of them. */
static NOINLINE int circle_b(int n);
static NOINLINE int circle_c(int n);

static NOINLINE int circle_a(int n)
{
   return n <= 0 ? 1 : circle_b(n - 1) + 1;
}

static NOINLINE int circle_b(int n)
{
   return n <= 0 ? 2 : circle_c(n - 1) + circle_a(n - 3);
}

static NOINLINE int circle_c(int n)
{
   return n <= 0 ? 3 : circle_a(n - 1) + 2;
}

static int compare_numbers(const void *left, const void *right)
{
   const int a = *(const int *)left, b = *(const int *)right;
   return (a > b) - (a < b);
}

static NOINLINE int twice(int n) { return 2 * n; }
static NOINLINE int square(int n) { return n * n; }
static NOINLINE int negate(int n) { return -n; }

static NOINLINE int apply_all(int n)
{
   static int (*const functions[])(int) = {twice, square, negate};
   int sum = 0;
   for (unsigned i = 0; i < 30; i++)
      sum += functions[i % 3](n + (int)i);
   return sum;
}

/* At -O2 the calls below become jumps. */
static NOINLINE int tail_last(int n) { return n ^ 0x55; }
static NOINLINE int tail_middle(int n) { return tail_last(n + 1); }
static NOINLINE int tail_first(int n) { return tail_middle(n * 3); }

static jmp_buf escape;

static NOINLINE int descend(int n)
{
   if (n == 0)
      longjmp(escape, 1);
   if (n < 0)
      return 0;
   return descend(n - 1) + 1;   /* the addition keeps the call from becoming a jump */
}

static NOINLINE int leap(void)
{
   volatile int leaps = 0;
   if (setjmp(escape) != 0)
      leaps++;
   if (leaps < 1)
      leaps += descend(5);
   return leaps;
}

static NOINLINE size_t words(void)
{
   char text[128];
   size_t length = 0;
   for (int i = 0; i < 20; i++) {
      snprintf(text, sizeof text, "%d:%s:%08x", i, "callgrind", i * 77);
      char *middle = strchr(text, ':');
      length += strlen(text) + (size_t)(strstr(text, "grind") - text);
      memmove(text, middle, strlen(middle) + 1);
      length += (size_t)strcmp(text, ":callgrind") % 7;
   }
   return length;
}

int main(void)
{
   int numbers[ELEMENTS];
   for (int i = 0; i < ELEMENTS; i++)
      numbers[i] = (i * 7919) % 1013;
   qsort(numbers, ELEMENTS, sizeof numbers[0], compare_numbers);
   printf("%d %d\n", numbers[0], numbers[ELEMENTS - 1]);
   printf("%d %d %d\n", fibonacci(13), is_even(21), is_odd(4));
   printf("%d %d\n", circle_a(17), circle_c(12));
   printf("%d %d %d\n", apply_all(11), tail_first(5), leap());
   printf("%zu\n", words());
   return EXIT_SUCCESS;
}
