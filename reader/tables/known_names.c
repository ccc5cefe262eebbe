/* SPDX-License-Identifier: GPL-2.0-or-later

   Names by their numbers in the file; see known_names.h.  */

#include "tables/known_names.h"

#include "base/array.h"
#include "base/give_up.h"
#include "base/white.h"

/* Nine, so that no number is too large.  */
#define MOST_DIGITS 9

/* The number behind a parenthesis.  `*at` goes behind the other one.  It is written in
   one way only, so that equal numbers are equal texts.  */
static uint32_t read_identifier(const char** at, const char* end)
{
   const char* digit = *at;
   uint32_t identifier = 0;
   while (digit < end && *digit >= '0' && *digit <= '9' && digit - *at < MOST_DIGITS)
      identifier = identifier * 10 + (uint32_t)(*digit++ - '0');
   if (digit == end || *digit != ')' || (**at == '0' && digit - *at > 1))
      give_up("a name with an unusual number");
   *at = digit + 1;
   return identifier;
}

uint32_t known_name(KnownNames* known, Names* names, const char* start, const char* end)
{
   strip_white(&start, &end);
   if (start == end)
      return NAME_UNKNOWN;
   /* A real name never starts with "(" and a digit. */
   if (*start != '(' || end - start < 2 || start[1] < '0' || start[1] > '9')
      return names_add(names, start, (size_t)(end - start));
   start++;
   uint32_t identifier = read_identifier(&start, end);
   while (start < end && is_white(*start))
      start++;
   uint32_t before = known->numbers.count;
   uint32_t place = numbering_add(&known->numbers, (Key){identifier, 0});
   if (start == end) {
      if (place == before)
         give_up("a name's number before its name");
      return known->names[place];
   }
   known->names =
      array_room(known->names, &known->capacity, (size_t)place + 1, sizeof *known->names);
   known->names[place] = names_add(names, start, (size_t)(end - start));
   return known->names[place];
}
