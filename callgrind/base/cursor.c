/* SPDX-License-Identifier: GPL-2.0-or-later

   See cursor.h.  */

#include "base/cursor.h"

/* Longer ones have no more than 64 bits either; but a hostile file may have them read
   again and again.  */
#define LONGEST_LEB128 16

ULong cursor_number(Cursor* at, UInt size)
{
   ULong value = 0;
   if (at->failed || at->end - at->offset < size) {
      at->failed = True;
      return 0;
   }
   for (UInt i = 0; i < size; i++) {
#if defined(VG_BIGENDIAN)
      value = value << 8 | at->bytes[at->offset + i];
#else
      value |= (ULong)at->bytes[at->offset + i] << (8 * i);
#endif
   }
   at->offset += size;
   return value;
}

static ULong read_leb128(Cursor* at, Bool is_signed)
{
   ULong begin = at->offset;
   ULong value = 0;
   UInt shift = 0;
   UChar byte;
   do {
      byte = (UChar)cursor_number(at, 1);
      if (shift < 64)
         value |= (ULong)(byte & 0x7f) << shift;
      shift += 7;
      if (at->offset - begin > LONGEST_LEB128)
         at->failed = True;
   } while (byte & 0x80 && !at->failed);
   if (is_signed && shift < 64 && byte & 0x40)
      value |= ~0ULL << shift;
   return at->failed ? 0 : value;
}

ULong cursor_unsigned(Cursor* at) { return read_leb128(at, False); }
Long cursor_signed(Cursor* at) { return (Long)read_leb128(at, True); }

void cursor_skip(Cursor* at, ULong size)
{
   if (at->failed || at->end - at->offset < size)
      at->failed = True;
   else
      at->offset += size;
}

const HChar* cursor_text(Cursor* at)
{
   ULong begin = at->offset;
   while (!at->failed && at->offset < at->end)
      if (at->bytes[at->offset++] == '\0')
         return (const HChar*)at->bytes + begin;
   at->failed = True;
   return "";
}
