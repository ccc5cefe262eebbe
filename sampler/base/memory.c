/* SPDX-License-Identifier: GPL-2.0-or-later

   Memory from the C library, checked; see memory.h.  */

#include "base/memory.h"

#include "base/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void* memory_allocate(unsigned long size)
{
   void* memory = calloc(1, size ? size : 1);
   if (memory == NULL)
      message_refuse("out of memory");
   return memory;
}

void* memory_reallocate(void* memory, unsigned long count, unsigned long size)
{
   if (size != 0 && count > SIZE_MAX / size)
      message_refuse("out of memory");
   unsigned long bytes = count * size;
   void* grown = realloc(memory, bytes ? bytes : 1);
   if (grown == NULL)
      message_refuse("out of memory");
   return grown;
}

char* memory_copy_text(const char* text)
{
   unsigned long size = strlen(text) + 1;
   return memcpy(memory_allocate(size), text, size);
}
