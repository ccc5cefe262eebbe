/* SPDX-License-Identifier: GPL-2.0-or-later

   See perf_map.h.  */

#include "jit/perf_map.h"

#include <stdbool.h>

void perf_map_begin(PerfMap* map, char* line, size_t room)
{
   map->line = line;
   map->room = room;
   map->length = 0;
}

static int value_of_digit(char letter)
{
   if (letter >= '0' && letter <= '9')
      return letter - '0';
   letter = (char)(letter | 0x20);
   return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Reads a number and the blank that follows it, and moves *at behind both.  False if
   there is none, or if it needs more than 64 bits.  */
static bool take_number(const char** at, const char* end, uint64_t* number)
{
   const char* p = *at;
   if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
      p += 2;
   const char* first = p;
   *number = 0;
   for (; p < end && value_of_digit(*p) >= 0; p++) {
      if (*number >> 60 != 0)
         return false;
      *number = *number << 4 | (uint64_t)value_of_digit(*p);
   }
   if (p == first || p == end || *p != ' ')
      return false;
   *at = p + 1;
   return true;
}

static void take_line(const char* line, size_t length, const NameSink* sink)
{
   const char* end = line + length;
   uint64_t start, size;
   if (!take_number(&line, end, &start) || !take_number(&line, end, &size))
      return;
   size_t name_length = 0;
   while (line + name_length < end && line[name_length] != '\0')
      name_length++;
   sink->named(sink->context, start, size, 0, line, name_length);
}

void perf_map_take(PerfMap* map, const void* bytes, size_t n, const NameSink* sink)
{
   const char* byte = bytes;
   for (size_t i = 0; i < n; i++)
      if (byte[i] == '\n') {
         take_line(map->line, map->length, sink);
         map->length = 0;
      } else if (map->length < map->room)
         map->line[map->length++] = byte[i];
}
