/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program whose misses depend on where its stack and its heap lie: arrays on the stack,
 * a table and lists on the heap, strings of the environment.  EXTRA makes `step` cost
 * more: with 1 it takes 8 rounds more of 1,500.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EXTRA
#define EXTRA 0
#endif

#define NOINLINE __attribute__((noinline))

extern char **environ;

static unsigned seed = 1;

static NOINLINE unsigned draw(void)
{
   return seed = seed * 1103515245u + 12345u;
}

/* About one per cent of all instructions. */
static NOINLINE unsigned step(void)
{
   volatile unsigned sum = 0;
   for (int i = 0; i < 1500 + EXTRA * 8; i++)
      sum += i;
   return sum;
}

static NOINLINE unsigned on_stack(int depth)
{
   unsigned words[96];
   for (int i = 0; i < 96; i++)
      words[i] = draw();
   for (int i = 1; i < 96; i++)
      for (int k = i; k > 0 && words[k - 1] > words[k]; k--) {
         unsigned swapped = words[k];
         words[k] = words[k - 1];
         words[k - 1] = swapped;
      }
   return words[7] + (depth ? on_stack(depth - 1) : 0);
}

static NOINLINE unsigned in_table(unsigned *table, int rounds)
{
   unsigned sum = 0;
   for (int i = 0; i < rounds; i++)
      sum += table[draw() % 4096]++;
   return sum;
}

struct node {
   struct node *next;
   unsigned value;
};

static NOINLINE unsigned along_list(const struct node *first)
{
   unsigned sum = 0;
   for (int round = 0; round < 20; round++)
      for (const struct node *node = first; node; node = node->next)
         sum += node->value;
   return sum;
}

static NOINLINE unsigned of_environment(void)
{
   unsigned sum = 0;
   for (int round = 0; round < 10; round++)
      for (char **each = environ; *each; each++)
         sum += strlen(*each);
   return sum;
}

int main(void)
{
   unsigned *table = calloc(4096, sizeof *table);
   struct node *first = NULL;
   for (int i = 0; i < 400; i++) {
      struct node *node = malloc(sizeof *node + draw() % 64);
      node->next = first;
      node->value = draw();
      first = node;
   }
   unsigned sum = step() + on_stack(12) + in_table(table, 20000) + along_list(first);
   printf("%u\n", sum + of_environment());
   return 0;
}
