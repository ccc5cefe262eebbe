/* SPDX-License-Identifier: GPL-2.0-or-later

   Messages; see message.h.  */

#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many bytes of a character in UTF-8 begin at `at`; 0 if none that may be printed:
   a control character, or no character.  */
static size_t printable_size(const unsigned char* at)
{
   size_t size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
   if (*at < ' ' || *at == 0x7f || *at > 0xf4 || (*at == 0xc2 && at[1] < 0xa0))
      return 0;
   for (size_t i = 1; i < size; i++) {
      if ((at[i] & 0xc0) != 0x80)
         return 0;
   }
   return size;
}

/* Appends `text` to `line`, which has `end` of `room` bytes, as far as it fits.  Texts
   come from other programs and their clients: what would control a terminal is shown as
   \xHH.  Returns the new end.  */
static size_t append_printable(char* line, size_t end, size_t room, const char* text)
{
   const unsigned char* at = (const unsigned char*)text;
   while (*at != '\0' && end + 4 < room) {
      size_t size = printable_size(at);
      if (size == 0)
         end += (size_t)snprintf(line + end, room - end, "\\x%02x", *at++);
      for (size_t i = 0; i < size; i++)
         line[end++] = (char)*at++;
   }
   return end;
}

static void say(const char* format, va_list arguments)
{
   char text[4096], line[4 * sizeof text] = "callgrind_sample: ";
   if (vsnprintf(text, sizeof text, format, arguments) < 0)
      return;
   size_t end = append_printable(line, strlen(line), sizeof line - 1, text);
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
