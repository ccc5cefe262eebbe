/* SPDX-License-Identifier: GPL-2.0-or-later
   What the rows of gcc's compiler proper compile, so many times over: the bench repeats
   this file, each time with another number in place of N. It is never run.

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

static Entry_N* find_N(Table_N* table, const char* name)
{
   unsigned int hash = 2166136261u + N;
   for (const char* at = name; *at != '\0'; at++)
      hash = (hash ^ (unsigned char)*at) * 16777619u;
   Entry_N** link = &table->buckets[hash % 32];
   while (*link != NULL && strcmp((*link)->name, name) != 0)
      link = &(*link)->next;
   if (*link == NULL && (*link = calloc(1, sizeof **link)) != NULL) {
      snprintf((*link)->name, sizeof (*link)->name, "%s", name);
      table->count++;
   }
   return *link;
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

int work_N(Table_N* table, const char* text)
{
   double matrix[8][8] = { 0 }, product[8][8] = { 0 };
   for (int line = 0; *text != '\0'; line++) {
      char   name[24] = "";
      size_t length   = strcspn(text, "= \n");
      memcpy(name, text, length < 23 ? length : 23);
      text += length + strspn(text + length, "= ");
      Entry_N* entry = find_N(table, name);
      if (entry == NULL)
         return -1;
      entry->uses++;
      entry->weight = value_of_N(&text);
      table->sum += matrix[line / 8 % 8][line % 8] = entry->weight;
      text += strspn(text, "\n");
   }
   for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
         for (int k = 0; k < 8; k++)
            product[i][j] += matrix[i][k] * matrix[k][j] + N;
   for (unsigned int i = 0; i < 32; i++)
      for (const Entry_N* entry = table->buckets[i]; entry != NULL; entry = entry->next)
         printf("%-24s %u %g\n", entry->name, entry->uses, entry->weight);
   return product[7][7] > table->sum ? 1 : 0;
}
