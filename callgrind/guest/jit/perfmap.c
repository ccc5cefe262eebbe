/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads perf's maps of names; see perfmap.h.  */

#include "guest/jit/perfmap.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/tail_reader.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

static TailReader map;

void perfmap_init(void)
{
   HChar path[64];
   VG_(snprintf)(path, sizeof path, "/tmp/perf-%d.map", VG_(getpid)());
   tail_reader_begin(&map, path, True);
}

static Int value_of_digit(UChar letter)
{
   if (letter >= '0' && letter <= '9')
      return letter - '0';
   letter |= 0x20;
   return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Reads a number and the blank that follows it, and moves *at behind both.  False if
   there is none, or if it needs more than 64 bits.  */
static Bool take_number(const UChar** at, const UChar* end, ULong* number)
{
   const UChar* p = *at;
   if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
      p += 2;
   const UChar* first = p;
   *number = 0;
   for (; p < end && value_of_digit(*p) >= 0; p++) {
      if (*number >> 60 != 0)
         return False;
      *number = *number << 4 | (ULong)value_of_digit(*p);
   }
   if (p == first || p == end || *p != ' ')
      return False;
   *at = p + 1;
   return True;
}

static void take_line(const UChar* line, const UChar* end)
{
   ULong start, size;
   if (take_number(&line, end, &start) && take_number(&line, end, &size))
      jit_names_add((Addr)start, (SizeT)size, (const HChar*)line, (SizeT)(end - line));
}

static SizeT take_lines(const UChar* bytes, SizeT n)
{
   SizeT begin = 0;
   for (SizeT i = 0; i < n; i++)
      if (bytes[i] == '\n') {
         take_line(bytes + begin, bytes + i);
         begin = i + 1;
      }
   return begin;
}

void perfmap_read(void) { tail_reader_read(&map, take_lines); }
