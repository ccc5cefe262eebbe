/* SPDX-License-Identifier: GPL-2.0-or-later

   The shape of a cache; see geometry.h.  */

#include "sim/geometry.h"

#define LARGEST_NUMBER 2147483647

uint32_t geometry_sets(const CacheGeometry* geometry)
{
   return geometry->size / geometry->line_size / geometry->ways;
}

uint32_t geometry_bits(uint32_t power)
{
   uint32_t bits = 0;
   while (power >> bits > 1)
      bits++;
   return bits;
}

static bool is_power_of_two(int64_t number)
{
   return number > 0 && (number & (number - 1)) == 0;
}

static bool is_blank(char letter)
{
   return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

/* Reads a number at *text, and moves *text behind it.  If the number does not fit into 31
   bits, the result does not either, but it fits into 64.  */
static int64_t read_number(const char** text)
{
   const char* at = *text;
   while (is_blank(*at))
      at++;
   bool is_negative = *at == '-';
   if (*at == '-' || *at == '+')
      at++;
   int64_t number = 0;
   for (; *at >= '0' && *at <= '9'; at++)
      if (number <= LARGEST_NUMBER)
         number = number * 10 + (*at - '0');
   *text = at;
   return is_negative ? -number : number;
}

static bool fits(int64_t number)
{
   return number >= -(int64_t)LARGEST_NUMBER - 1 && number <= LARGEST_NUMBER;
}

/* The order decides which fault of several is reported.  */
static GeometryFault judge(int64_t size, int64_t ways, int64_t line_size)
{
   if (ways == 0 || line_size == 0)
      return GeometryZero;
   int64_t sets = size / line_size / ways;
   if (!is_power_of_two(sets) || sets * line_size * ways != size)
      return GeometryBadSets;
   if (!is_power_of_two(line_size))
      return GeometryBadLine;
   if (line_size < GEOMETRY_SMALLEST_LINE)
      return GeometrySmallLine;
   if (size <= line_size)
      return GeometrySmallCache;
   return GeometryValid;
}

GeometryFault geometry_parse(const char* text, CacheGeometry* geometry)
{
   int64_t numbers[3];
   for (int i = 0; i < 3; i++) {
      numbers[i] = read_number(&text);
      if (*text != (i < 2 ? ',' : '\0'))
         return GeometryMalformed;
      text++;
   }
   for (int i = 0; i < 3; i++)
      if (!fits(numbers[i]))
         return GeometryTooLarge;
   GeometryFault fault = judge(numbers[0], numbers[1], numbers[2]);
   if (fault == GeometryValid)
      *geometry = (CacheGeometry){(uint32_t)numbers[0], (uint32_t)numbers[1],
                                  (uint32_t)numbers[2]};
   return fault;
}

const char* geometry_fault_text(GeometryFault fault)
{
   switch (fault) {
   case GeometryValid: return "";
   case GeometryMalformed: return "it must be SIZE,WAYS,LINE_SIZE, such as 32768,8,64";
   case GeometryTooLarge: return "no number may be over 2147483647";
   case GeometryZero: return "neither the ways nor the line size may be 0";
   case GeometryBadSets:
      return "the number of sets, size / ways / line size, must be a power of two";
   case GeometryBadLine: return "the line size must be a power of two";
   case GeometrySmallLine: return "the line size must be at least 16";
   case GeometrySmallCache: return "the cache must be larger than one line";
   }
   return "";
}

bool geometry_make_simulable(CacheGeometry* geometry)
{
   uint32_t lines_in_way = geometry_sets(geometry);
   bool is_whole = lines_in_way * geometry->ways * geometry->line_size == geometry->size;
   if (is_power_of_two(lines_in_way) && is_whole)
      return false;
   uint32_t sets = 1;
   while (sets <= lines_in_way / 2)
      sets *= 2;
   uint64_t bytes_in_way = (uint64_t)sets * geometry->line_size;
   geometry->ways = (uint32_t)((geometry->size + bytes_in_way / 2) / bytes_in_way);
   geometry->size = (uint32_t)(geometry->ways * bytes_in_way);
   return true;
}
