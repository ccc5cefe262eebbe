/* SPDX-License-Identifier: GPL-2.0-or-later

   Arrays that grow; see array.h.  */

#include "base/array.h"

#include "base/give_up.h"

#include <stdint.h>
#include <stdlib.h>

#define SMALLEST 16

void* array_room(void* elements, size_t* capacity, size_t needed, size_t size)
{
   if (needed <= *capacity)
      return elements;
   size_t wanted = *capacity + *capacity / 2;
   if (wanted < needed)
      wanted = needed;
   if (wanted < SMALLEST)
      wanted = SMALLEST;
   if (wanted > SIZE_MAX / size)
      give_up("out of memory");
   void* grown = realloc(elements, wanted * size);
   if (grown == NULL)
      give_up("out of memory");
   *capacity = wanted;
   return grown;
}

void* array_zeroed(size_t count, size_t size)
{
   void* made = calloc(count > 0 ? count : 1, size);
   if (made == NULL)
      give_up("out of memory");
   return made;
}
