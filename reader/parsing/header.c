/* SPDX-License-Identifier: GPL-2.0-or-later

   Header lines; see header.h.  */

#include "parsing/header.h"

#include "base/white.h"

#include <string.h>

#define OWN_CREATOR "callgrind"

static const struct {
   const char* key;
   HeaderKind kind;
} header_kinds[] = {
   {"version", HEADER_PART},    {"creator", HEADER_PART},  {"cmd", HEADER_PART},
   {"pid", HEADER_PART},        {"part", HEADER_PART},     {"thread", HEADER_PART},
   {"desc", HEADER_PART},       {"summary", HEADER_INNER}, {"event", HEADER_INNER},
   {"positions", HEADER_AGAIN}, {"events", HEADER_AGAIN},  {"totals", HEADER_TOTALS},
};

void header_strip(const Line* line, const char** start, const char** end)
{
   *start = line->start;
   *end = line->end;
   strip_white(start, end);
}

Header header_first(void) { return (Header){.columns = 1, .has_line = true}; }

Header header_after(Header last)
{
   Header next = last;
   if (last.is_own) {
      next = header_first();
      next.is_own = true;
   }
   return next;
}

/* Whether a text begins with `key:`.  Moves `*start` behind that.  */
static bool has_key(const char** start, const char* end, const char* key)
{
   size_t size = strlen(key);
   if ((size_t)(end - *start) <= size || (*start)[size] != ':' ||
       memcmp(*start, key, size) != 0)
      return false;
   *start += size + 1;
   return true;
}

HeaderKind header_kind(const Line* line)
{
   const char *start, *end;
   header_strip(line, &start, &end);
   if (start == end || *start == '#')
      return HEADER_BLANK;
   for (size_t n = 0; n < sizeof header_kinds / sizeof header_kinds[0]; n++)
      if (has_key(&start, end, header_kinds[n].key))
         return header_kinds[n].kind;
   return HEADER_OTHER;
}

/* The next word of a text; 0 bytes at its end.  */
static size_t next_word(const char** at, const char* end)
{
   while (*at < end && is_white(**at))
      ++*at;
   size_t size = 0;
   while (*at + size < end && !is_white((*at)[size]))
      size++;
   return size;
}

static void read_positions(Header* header, const char* at, const char* end)
{
   header->columns = 0;
   header->has_line = header->has_address = false;
   for (size_t size; (size = next_word(&at, end)) > 0; at += size) {
      header->columns++;
      if (size == 4 && memcmp(at, "line", 4) == 0)
         header->has_line = true;
      else
         header->has_address = true;
   }
}

void header_read(Header* header, const Line* line)
{
   const char *at, *end;
   header_strip(line, &at, &end);
   if (has_key(&at, end, "events")) {
      header->events = 0;
      for (size_t size; (size = next_word(&at, end)) > 0; at += size)
         header->events++;
   } else if (has_key(&at, end, "positions")) {
      read_positions(header, at, end);
   } else if (has_key(&at, end, "creator")) {
      next_word(&at, end);
      size_t size = strlen(OWN_CREATOR);
      header->is_own = (size_t)(end - at) >= size && memcmp(at, OWN_CREATOR, size) == 0;
   }
}
