/* SPDX-License-Identifier: GPL-2.0-or-later

   The program of the timeline's picture in docs/flame-graphs.md: reads, has two threads
   sort what was read, and writes.  */

#include <pthread.h>
#include <stdlib.h>

#include <callgrind.h>

#define KEPT __attribute__((noinline))
#define NUMBERS 3000
#define THREADS 2

static unsigned numbers[THREADS][NUMBERS];

KEPT static void read_block(unsigned* block)
{
   unsigned number = 1;
   for (int i = 0; i < 10 * NUMBERS; i++) {
      number = number * 1664525u + 1013904223u;
      block[i % NUMBERS] = number >> 8;
   }
}

static void swap(unsigned* one, unsigned* other)
{
   unsigned kept = *one;
   *one = *other;
   *other = kept;
}

/* Those that are less than the last come first; says where the last is put.  */
KEPT static unsigned part_of(unsigned* first, unsigned n)
{
   unsigned less = 0;
   for (unsigned i = 0; i + 1 < n; i++)
      if (first[i] < first[n - 1])
         swap(&first[less++], &first[i]);
   swap(&first[less], &first[n - 1]);
   return less;
}

KEPT static void sort(unsigned* first, unsigned n)
{
   if (n < 2)
      return;
   unsigned less = part_of(first, n);
   sort(first, less);
   sort(first + less + 1, n - less - 1);
}

KEPT static void* sorter(void* block)
{
   sort(block, NUMBERS);
   return NULL;
}

KEPT static unsigned write_blocks(void)
{
   unsigned sum = 0;
   for (int round = 0; round < 10; round++)
      for (int i = 0; i < NUMBERS; i++)
         sum = sum * 31 + numbers[round % THREADS][i];
   return sum;
}

int main(void)
{
   pthread_t threads[THREADS];
   for (int i = 0; i < THREADS; i++) {
      read_block(numbers[i]);
      CALLGRIND_TIMELINE_MARK("read");
      pthread_create(&threads[i], NULL, sorter, numbers[i]);
   }
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
   CALLGRIND_TIMELINE_MARK("sorted");
   return write_blocks() == 0;
}
