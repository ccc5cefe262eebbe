/* SPDX-License-Identifier: GPL-2.0-or-later

   The lines of standard input, one after the other.  */

#ifndef READER_LINES_H
#define READER_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* `end` is its line feed.  It is there until the next line is asked for.  */
typedef struct {
   const char *start, *end;
   unsigned long number; /* from 1 */
} Line;

/* Sets `line` to the next one; false at the end of the file.  A last line without a line
   feed is given up.  `progress` is called now and then with the bytes read so far.  */
bool lines_next(Line* line, void (*progress)(size_t bytes));

#endif
