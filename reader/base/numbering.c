/* SPDX-License-Identifier: GPL-2.0-or-later

   A hash table; see numbering.h.  */

#include "base/numbering.h"

#include "base/array.h"
#include "base/give_up.h"

#include <stdlib.h>

#define FIRST_SLOTS 64
#define MOST_KEYS ((uint32_t)1 << 30)

/* Multiplications by odd constants with well mixed bits (the fractions of the golden
   ratio and of the root of 3), folded.  */
static uint32_t hash_of(Key key)
{
   uint64_t hash = key.first * 0x9E3779B97F4A7C15u;
   hash = (hash ^ hash >> 32) + key.second;
   hash *= 0xBB67AE8584CAA73Bu;
   return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t* free_slot(const Numbering* numbering, Key key)
{
   uint32_t at = hash_of(key) & numbering->mask;
   while (numbering->slots[at] != 0)
      at = (at + 1) & numbering->mask;
   return &numbering->slots[at];
}

static void grow(Numbering* numbering)
{
   uint32_t slots = numbering->slots == NULL ? FIRST_SLOTS : (numbering->mask + 1) * 2;
   if (numbering->count >= MOST_KEYS)
      give_up("too much of one kind");
   free(numbering->slots);
   numbering->slots = array_zeroed(slots, sizeof *numbering->slots);
   numbering->mask = slots - 1;
   for (uint32_t n = 0; n < numbering->count; n++)
      *free_slot(numbering, numbering->keys[n]) = n + 1;
}

uint32_t numbering_add(Numbering* numbering, Key key)
{
   if (numbering->slots == NULL)
      grow(numbering);
   uint32_t at = hash_of(key) & numbering->mask;
   uint32_t found;
   while ((found = numbering->slots[at]) != 0) {
      const Key* known = &numbering->keys[found - 1];
      if (known->first == key.first && known->second == key.second)
         return found - 1;
      at = (at + 1) & numbering->mask;
   }
   uint32_t number = numbering->count;
   numbering->keys =
      array_room(numbering->keys, &numbering->capacity, (size_t)number + 1, sizeof key);
   numbering->keys[number] = key;
   numbering->count++;
   numbering->slots[at] = number + 1;
   if (numbering->count > numbering->mask / 2)
      grow(numbering);
   return number;
}

void numbering_clear(Numbering* numbering)
{
   free(numbering->keys);
   free(numbering->slots);
   *numbering = (Numbering){0};
}
