/* SPDX-License-Identifier: GPL-2.0-or-later

   Names and their numbers; see names.h.  */

#include "tables/names.h"

#include "base/array.h"
#include "base/give_up.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024
#define MOST_NAMES ((uint32_t)1 << 29)

/* FNV-1a, of 64 bits, folded: http://www.isthe.com/chongo/tech/comp/fnv/.  */
static uint32_t hash_of(const char* bytes, size_t size)
{
   uint64_t hash = 0xCBF29CE484222325u;
   for (size_t n = 0; n < size; n++)
      hash = (hash ^ (unsigned char)bytes[n]) * 0x100000001B3u;
   return (uint32_t)(hash ^ hash >> 32);
}

static size_t start_of(const Names* names, uint32_t name)
{
   return name == 0 ? 0 : names->ends[name - 1];
}

static void grow(Names* names)
{
   uint32_t slots = names->slots == NULL ? FIRST_SLOTS : (names->mask + 1) * 2;
   if (names->count >= MOST_NAMES)
      give_up("too many names");
   free(names->slots);
   names->slots = array_zeroed(slots, sizeof *names->slots);
   names->mask = slots - 1;
   for (uint32_t n = 0; n < names->count; n++) {
      size_t start = start_of(names, n);
      uint32_t at = hash_of(names->text + start, names->ends[n] - start) & names->mask;
      while (names->slots[at] != 0)
         at = (at + 1) & names->mask;
      names->slots[at] = n + 1;
   }
}

uint32_t names_add(Names* names, const char* bytes, size_t size)
{
   uint32_t at = hash_of(bytes, size) & names->mask;
   uint32_t found;
   while ((found = names->slots[at]) != 0) {
      size_t start = start_of(names, found - 1);
      if (names->ends[found - 1] - start == size &&
          memcmp(names->text + start, bytes, size) == 0)
         return found - 1;
      at = (at + 1) & names->mask;
   }
   names->text =
      array_room(names->text, &names->text_capacity, names->size + size + 1, 1);
   memcpy(names->text + names->size, bytes, size);
   names->size += size;
   uint32_t name = names->count++;
   names->ends =
      array_room(names->ends, &names->capacity, names->count, sizeof *names->ends);
   names->ends[name] = names->size;
   names->slots[at] = name + 1;
   if (names->count > names->mask / 2)
      grow(names);
   return name;
}

void names_start(Names* names)
{
   *names = (Names){0};
   grow(names);
   names_add(names, "", 0);
   names_add(names, "???", 3);
}
