/* SPDX-License-Identifier: GPL-2.0-or-later

   /proc/kallsyms; see kernel_names.h.  Read once, when the first name is asked for.  */

#include "kernel_names.h"

#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
   uint64_t address;
   size_t name; /* where it stands in `text` */
} Symbol;

static bool is_read;
static Symbol* symbols;
static size_t count;
static char* text;

static int by_address(const void* left, const void* right)
{
   const Symbol *a = left, *b = right;
   if (a->address != b->address)
      return a->address < b->address ? -1 : 1;
   return a->name < b->name ? -1 : a->name > b->name;
}

static size_t read_all(void)
{
   FILE* file = fopen("/proc/kallsyms", "r");
   size_t size = 0, room = 1 << 20, got = 0;
   if (file == NULL)
      return 0;
   text = reallocate(NULL, room, 1);
   while ((got = fread(text + size, 1, room - size - 1, file)) > 0) {
      size += got;
      if (room - size < 2)
         text = reallocate(text, room *= 2, 1);
   }
   fclose(file);
   text[size] = '\0';
   return size;
}

/* Lines are "ADDRESS TYPE NAME", and a module's have its name behind.  */
static void read_symbols(void)
{
   size_t size = read_all(), room = 0;
   is_read = true;
   for (size_t at = 0; at < size;) {
      char* line = text + at;
      char* end = memchr(line, '\n', size - at);
      if (end == NULL)
         break;
      *end = '\0';
      at += (size_t)(end - line) + 1;
      char* next;
      uint64_t address = strtoull(line, &next, 16);
      if (address == 0 || next[0] != ' ' || next[1] == '\0' || next[2] != ' ' ||
          strchr("tTwW", next[1]) == NULL)
         continue;
      if (count == room)
         symbols = reallocate(symbols, room = room ? 2 * room : 65536, sizeof(Symbol));
      char* name = next + 3;
      name[strcspn(name, "\t ")] = '\0';
      symbols[count++] = (Symbol){address, (size_t)(name - text)};
   }
   if (count != 0)
      qsort(symbols, count, sizeof(Symbol), by_address);
}

const char* kernel_names_find(uint64_t address)
{
   if (!is_read)
      read_symbols();
   size_t low = 0, high = count;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (symbols[middle].address <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low != 0 ? text + symbols[low - 1].name : NULL;
}
