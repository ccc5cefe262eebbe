/* SPDX-License-Identifier: GPL-2.0-or-later

   The program of the pictures in docs/flame-graphs.md: counts words, and lists them by
   how often they come.  With -DQUICK_HASH its hash is another one, to compare with.
   Works on a text of its own making, so that each run counts the same.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline))
#define BUCKETS 1024

typedef struct Word {
   struct Word* next;
   int count;
   char text[12];
} Word;

static Word* buckets[BUCKETS];
static Word* words[20000];
static int n_words;

KEPT static unsigned hash_of(const char* text)
{
   unsigned hash = 0;
   for (; *text != '\0'; text++)
#ifdef QUICK_HASH
      hash ^= (unsigned char)*text; /* one instruction less, and too few values */
#else
      hash = hash * 31 + (unsigned char)*text;
#endif
   return hash % BUCKETS;
}

KEPT static int is_same(const Word* word, const char* text)
{
   return strcmp(word->text, text) == 0;
}

KEPT static Word* new_word(const char* text)
{
   Word* word = calloc(1, sizeof *word);
   strncpy(word->text, text, sizeof word->text - 1);
   words[n_words++] = word;
   return word;
}

KEPT static Word* find_word(const char* text)
{
   Word** place = &buckets[hash_of(text)];
   while (*place != NULL && !is_same(*place, text))
      place = &(*place)->next;
   if (*place == NULL)
      *place = new_word(text);
   return *place;
}

KEPT static void make_word(char* text, unsigned seed)
{
   unsigned value = seed * seed % 1031;
   for (int i = 0; i < 7; i++, value = value * 7 + 11)
      text[i] = (char)('a' + value % 26);
   text[7] = '\0';
}

KEPT static void read_text(int n)
{
   char text[8];
   for (int i = 0; i < n; i++) {
      make_word(text, (unsigned)i);
      find_word(text)->count++;
   }
}

KEPT static int by_count(const void* a, const void* b)
{
   const Word *c = *(Word* const*)a, *d = *(Word* const*)b;
   return c->count != d->count ? d->count - c->count : strcmp(c->text, d->text);
}

KEPT static void sort_words(void)
{
   qsort(words, (size_t)n_words, sizeof *words, by_count);
}

KEPT static void write_words(int most)
{
   for (int i = 0; i < most && i < n_words; i++)
      printf("%6d %s\n", words[i]->count, words[i]->text);
}

int main(void)
{
   read_text(20000);
   sort_words();
   write_words(400);
   return 0;
}
