/* SPDX-License-Identifier: GPL-2.0-or-later

   Words of a line: numbers and what separates them.  Each function takes the place of a
   word, and returns that of the next one, or of the line feed.  What is not quite plain
   is given up: signs and digits that the format does not have, numbers that 64 bits do
   not hold.  */

#ifndef READER_WORDS_H
#define READER_WORDS_H

#include "base/give_up.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers below 10 to this power fit into 62 bits, and so does a sum of two.  */
#define MOST_DIGITS 18
#define MOST_HEX_DIGITS 15
#define LARGEST_LINE ((int64_t)1 << 60)

static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static inline bool starts_cost_line(char c)
{
   return is_digit(c) || c == '+' || c == '-' || c == '*';
}

static inline const char* skip_blanks(const char* at)
{
   while (is_blank(*at))
      at++;
   return at;
}

/* Behind a word: a blank or the end of the line.  */
static inline const char* end_word(const char* at)
{
   if (*at == '\n')
      return at;
   if (!is_blank(*at))
      give_up("a word that is not plain");
   return skip_blanks(at);
}

/* Of a number in hexadecimal digits, behind its 0x.  */
const char* read_hexadecimal(const char* at, int64_t* value);

/* A number without a sign.  */
static inline const char* read_number(const char* at, int64_t* value)
{
   const char* start = at;
   int64_t sum = 0;
   while (is_digit(*at))
      sum = (int64_t)((uint64_t)sum * 10 + (uint64_t)(*at++ - '0'));
   if (at == start || at - start > MOST_DIGITS)
      give_up("not a number of up to 18 digits");
   if (at - start == 1 && sum == 0 && (*at == 'x' || *at == 'X'))
      return read_hexadecimal(at + 1, value);
   *value = sum;
   return end_word(at);
}

/* A number that may be below 0.  */
static inline const char* read_signed(const char* at, int64_t* value)
{
   if (*at != '-')
      return read_number(at, value);
   at = read_number(at + 1, value);
   *value = -*value;
   return at;
}

/* The line of a position: a number, or +N, -N or * from `*line`, which becomes it.  */
static inline const char* read_line_number(const char* at, int64_t* line)
{
   int64_t distance;
   switch (*at) {
   case '*': return end_word(at + 1);
   case '+':
      at = read_number(at + 1, &distance);
      *line += distance;
      break;
   case '-':
      at = read_number(at + 1, &distance);
      *line -= distance;
      break;
   default: at = read_number(at, line);
   }
   if (*line > LARGEST_LINE || *line < -LARGEST_LINE)
      give_up("a line that is too far away");
   return at;
}

/* An address of a position, which is only looked at.  */
const char* skip_address(const char* at);

#endif
