/* SPDX-License-Identifier: GPL-2.0-or-later
   What the row `gcc` compiles, so many times over: the bench repeats this file, each time
   with another number in place of N. It is never run.

   Some of what keeps a compiler busy: structures, loops, a switch, doubles, strings. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry_N {
   struct Entry_N* next;
   double          weight;
   unsigned int    uses;
   char            name[24];
} Entry_N;

typedef struct {
   Entry_N*     buckets[32];
   unsigned int count;
   double       sum;
} Table_N;

static unsigned int hash_of_N(const char* name)
{
   unsigned int hash = 2166136261u + N;
   while (*name != '\0')
      hash = (hash ^ (unsigned char)*name++) * 16777619u;
   return hash % 32;
}

static Entry_N* find_N(Table_N* table, const char* name)
{
   Entry_N** link = &table->buckets[hash_of_N(name)];
   for (; *link != NULL; link = &(*link)->next) {
      if (strcmp((*link)->name, name) == 0)
         return *link;
   }
   Entry_N* fresh = calloc(1, sizeof *fresh);
   if (fresh != NULL) {
      snprintf(fresh->name, sizeof fresh->name, "%s", name);
      table->count++;
      *link = fresh;
   }
   return fresh;
}

static double value_of_N(const char** text)
{
   double value = strtod(*text, (char**)text);
   for (;;) {
      while (isspace((unsigned char)**text))
         (*text)++;
      switch (**text) {
      case '+': ++*text; value += strtod(*text, (char**)text); break;
      case '-': ++*text; value -= strtod(*text, (char**)text); break;
      case '*': ++*text; value *= strtod(*text, (char**)text); break;
      case '/': {
         ++*text;
         double divisor = strtod(*text, (char**)text);
         value          = divisor == 0 ? 0 : value / divisor;
         break;
      }
      default: return value;
      }
   }
}

static void multiply_N(double a[8][8], double b[8][8], double c[8][8])
{
   for (int i = 0; i < 8; i++) {
      for (int j = 0; j < 8; j++) {
         double sum = 0;
         for (int k = 0; k < 8; k++)
            sum += a[i][k] * b[k][j] + N;
         c[i][j] = sum;
      }
   }
}

int work_N(Table_N* table, const char* text)
{
   double matrices[3][8][8] = { 0 };
   for (int line = 0; *text != '\0'; line++) {
      char   name[24] = "";
      size_t length   = strcspn(text, "= \n");
      memcpy(name, text, length < 23 ? length : 23);
      text += length;
      text += strspn(text, "= ");
      Entry_N* entry = find_N(table, name);
      if (entry == NULL)
         return -1;
      entry->uses++;
      entry->weight = value_of_N(&text);
      table->sum += entry->weight;
      matrices[line % 2][line / 8 % 8][line % 8] = entry->weight;
      text += strspn(text, "\n");
   }
   multiply_N(matrices[0], matrices[1], matrices[2]);
   for (unsigned int i = 0; i < 32; i++) {
      for (const Entry_N* entry = table->buckets[i]; entry != NULL; entry = entry->next)
         printf("%-24s %u %g\n", entry->name, entry->uses, entry->weight);
   }
   return matrices[2][7][7] > table->sum ? 1 : 0;
}
