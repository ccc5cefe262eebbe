/* SPDX-License-Identifier: GPL-2.0-or-later

   Messages, and memory that is there or ends the program; see message.h.  */

#include "message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char* format, va_list arguments)
{
   char line[4096];
   const char name[] = "callgrind_sample: ";
   memcpy(line, name, sizeof name);
   int length =
      vsnprintf(line + sizeof name - 1, sizeof line - sizeof name - 1, format, arguments);
   if (length < 0)
      return;
   size_t end = strlen(line);
   line[end] = '\n';
   /* One write: lines of two threads do not mix.  Who does not listen is not told.  */
   if (write(STDERR_FILENO, line, end + 1) < 0)
      return;
}

void message(const char* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(format, arguments);
   va_end(arguments);
}

void refuse(const char* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(format, arguments);
   va_end(arguments);
   exit(STATUS_REFUSED);
}

void* allocate(unsigned long size)
{
   void* memory = calloc(1, size ? size : 1);
   if (memory == NULL)
      refuse("out of memory");
   return memory;
}

void* reallocate(void* memory, unsigned long count, unsigned long size)
{
   if (size != 0 && count > SIZE_MAX / size)
      refuse("out of memory");
   unsigned long bytes = count * size;
   void* grown = realloc(memory, bytes ? bytes : 1);
   if (grown == NULL)
      refuse("out of memory");
   return grown;
}

char* copy_text(const char* text)
{
   unsigned long size = strlen(text) + 1;
   return memcpy(allocate(size), text, size);
}
