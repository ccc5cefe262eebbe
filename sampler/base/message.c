/* SPDX-License-Identifier: GPL-2.0-or-later

   Messages; see message.h.  */

#include "base/message.h"

#include <stdarg.h>
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
   /* One write, so that lines of two threads do not mix.  If nobody reads it, nothing can
      be done.  */
   if (write(STDERR_FILENO, line, end + 1) < 0)
      return;
}

void message_print(const char* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(format, arguments);
   va_end(arguments);
}

void message_refuse(const char* format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(format, arguments);
   va_end(arguments);
   exit(MESSAGE_STATUS_REFUSED);
}
