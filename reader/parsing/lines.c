/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads standard input into one buffer, whose last piece of a line is moved to the front.

   Owns: the buffer.  */

#include "parsing/lines.h"

#include "base/array.h"
#include "base/give_up.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE ((size_t)1 << 20)
#define LONGEST_LINE ((size_t)1 << 26)

static char* buffer;
static size_t capacity;
static char *next, *end; /* what has been read and not been asked for */
static size_t bytes_read;
static unsigned long last_number;

/* Reads more; false at the end of the file.  */
static bool fill(void (*progress)(size_t bytes))
{
   size_t kept = (size_t)(end - next);
   if (kept > LONGEST_LINE)
      give_up("a line of more than 64 MB");
   if (kept > 0)
      memmove(buffer, next, kept);
   buffer = array_room(buffer, &capacity, kept + READ_SIZE, 1);
   ssize_t size;
   do {
      size = read(STDIN_FILENO, buffer + kept, READ_SIZE);
   } while (size < 0 && errno == EINTR);
   if (size < 0)
      give_up(strerror(errno));
   next = buffer;
   end = buffer + kept + size;
   bytes_read += (size_t)size;
   progress(bytes_read);
   return size > 0;
}

bool lines_next(Line* line, void (*progress)(size_t bytes))
{
   size_t searched = 0;
   char* feed;
   while (next == end || (feed = memchr(next + searched, '\n',
                                        (size_t)(end - next) - searched)) == NULL) {
      searched = (size_t)(end - next);
      if (fill(progress))
         continue;
      if (next == end)
         return false;
      give_up("ends in the middle of a line");
   }
   *line = (Line){next, feed, ++last_number};
   give_up_line(last_number);
   next = feed + 1;
   return true;
}
