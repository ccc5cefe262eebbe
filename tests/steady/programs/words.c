/* SPDX-License-Identifier: GPL-2.0-or-later

   Counts words of a made text: memory from malloc(), libc's functions on strings and
   memory, qsort(), and a table that is hashed with a random key.  Asks for what differs
   between machines: processors, memory, random numbers, the limit of the stack, CPUID by
   way of libc's choice of functions.  */

#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#define BUCKETS 512
#define WORDS 6000

typedef struct Word {
   struct Word* next;
   unsigned count;
   char text[24];
} Word;

static Word* buckets[BUCKETS];
static uint64_t key;
static unsigned n_words;

static unsigned hash(const char* text)
{
   uint64_t value = key;
   for (; *text != '\0'; text++)
      value = (value ^ (unsigned char)*text) * 1099511628211u;
   return (unsigned)(value >> 40) % BUCKETS;
}

static void count_word(const char* text)
{
   Word** at = &buckets[hash(text)];
   for (Word* word = *at; word != NULL; word = word->next)
      if (strcmp(word->text, text) == 0) {
         word->count++;
         return;
      }
   Word* word = malloc(sizeof *word + strlen(text));
   strcpy(word->text, text);
   word->count = 1;
   word->next = *at;
   *at = word;
   n_words++;
}

static int by_count(const void* left, const void* right)
{
   const Word* const* a = left;
   const Word* const* b = right;
   return (*a)->count != (*b)->count ? (int)(*b)->count - (int)(*a)->count
                                     : strcmp((*a)->text, (*b)->text);
}

/* Work that grows with what the machine says of itself.  */
static unsigned work_by_machine(void)
{
   cpu_set_t set;
   struct rlimit limit;
   unsigned sum = 0;
   unsigned turns = 100 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
   sched_getaffinity(0, sizeof set, &set);
   turns += 100 * (unsigned)CPU_COUNT(&set);
   turns += (unsigned)(sysconf(_SC_PHYS_PAGES) >> 12);
   getrlimit(RLIMIT_STACK, &limit);
   turns += (unsigned)(limit.rlim_cur >> 20) & 255;
   for (unsigned turn = 0; turn < turns; turn++)
      sum += sum << 5 ^ turn;
   return sum;
}

int main(void)
{
   char text[32], copy[4096];
   unsigned state = 1;
   if (getrandom(&key, sizeof key, 0) != sizeof key)
      return 1;
   for (unsigned i = 0; i < WORDS; i++) {
      state = state * 1103515245 + 12345;
      snprintf(text, sizeof text, "word%u", state >> 16 & 1023);
      count_word(text);
      memset(copy, (int)i, sizeof copy / 8);
      memcpy(copy + sizeof copy / 2, copy, sizeof copy / 4);
   }
   Word** all = malloc(n_words * sizeof *all);
   unsigned n = 0;
   for (unsigned i = 0; i < BUCKETS; i++)
      for (Word* word = buckets[i]; word != NULL; word = word->next)
         all[n++] = word;
   qsort(all, n, sizeof *all, by_count);
   return all[0]->count == 0 || work_by_machine() == 42;
}
