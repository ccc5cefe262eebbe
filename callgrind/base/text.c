/* SPDX-License-Identifier: GPL-2.0-or-later

   See text.h.  */

#include "base/text.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

HChar* text_join(const HChar* heap_name, const HChar* left, const HChar* between,
                 const HChar* right)
{
   SizeT size = VG_(strlen)(left) + VG_(strlen)(between) + VG_(strlen)(right) + 1;
   HChar* text = VG_(malloc)(heap_name, size);
   VG_(strcpy)(text, left);
   VG_(strcat)(text, between);
   VG_(strcat)(text, right);
   return text;
}

/* How many bytes of a character in UTF-8 begin at `at`; 0 if none that may be
   printed.  */
static SizeT printable_size(const UChar* at)
{
   SizeT size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
   if (*at < ' ' || *at == 0x7f || *at > 0xf4 || (*at == 0xc2 && at[1] < 0xa0))
      return 0;
   for (SizeT i = 1; i < size; i++)
      if ((at[i] & 0xc0) != 0x80)
         return 0;
   return size;
}

HChar* text_printable(const HChar* heap_name, const HChar* text)
{
   const UChar* at = (const UChar*)text;
   HChar* printable = VG_(malloc)(heap_name, 4 * VG_(strlen)(text) + 1);
   SizeT end = 0;
   while (*at != '\0') {
      SizeT size = printable_size(at);
      if (size == 0)
         end += VG_(sprintf)(printable + end, "\\x%02x", *at++);
      for (SizeT i = 0; i < size; i++)
         printable[end++] = (HChar)*at++;
   }
   printable[end] = '\0';
   return printable;
}

void text_say(const HChar* format, const HChar* name, const HChar* what)
{
   HChar* printable = text_printable("text.name", name);
   VG_(umsg)(format, printable, what);
   VG_(free)(printable);
}
