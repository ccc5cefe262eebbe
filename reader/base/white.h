/* SPDX-License-Identifier: GPL-2.0-or-later

   White space around texts: what WHITE of callgrind/report/profile_file/lexer.py has.  */

#ifndef READER_WHITE_H
#define READER_WHITE_H

#include <stdbool.h>

static inline bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Moves the ends of a text inwards.  */
static inline void strip_white(const char** start, const char** end)
{
   while (*start < *end && is_white(**start))
      ++*start;
   while (*start < *end && is_white((*end)[-1]))
      --*end;
}

#endif
