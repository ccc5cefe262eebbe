/* SPDX-License-Identifier: GPL-2.0-or-later

   See pattern.h.

   Stars divide the pattern into parts, such as `lib`, `x` and `.so` of `lib*x*.so`.  The
   first part must be where the text begins and the last one where it ends.  Each of the
   others is taken where it is first found behind those before it: what is left for the
   rest is longest then, so no other place need be tried.  */

#include "base/pattern.h"

#include "pub_tool_libcbase.h"

/* True if `text`, which has as many bytes, begins with what the `n` bytes of `part`, none
   of them a star, stand for.  */
static Bool is_here(const HChar* part, SizeT n, const HChar* text)
{
   for (SizeT i = 0; i < n; i++)
      if (part[i] != text[i] && part[i] != '?')
         return False;
   return True;
}

/* Where the part is first found in `text`, which ends at `end`; NULL if it is not.  */
static const HChar* find(const HChar* part, SizeT n, const HChar* text, const HChar* end)
{
   for (; (SizeT)(end - text) >= n; text++)
      if (is_here(part, n, text))
         return text;
   return NULL;
}

static SizeT part_length(const HChar* part)
{
   SizeT n = 0;
   while (part[n] != '\0' && part[n] != '*')
      n++;
   return n;
}

Bool pattern_matches(const HChar* pattern, const HChar* text)
{
   SizeT n = part_length(pattern), length = VG_(strlen)(text);
   const HChar* end = text + length;
   if (length < n || !is_here(pattern, n, text))
      return False;
   if (pattern[n] == '\0')
      return length == n;
   text += n;
   for (;;) {
      pattern += n + 1;
      n = part_length(pattern);
      if (pattern[n] == '\0')
         break;
      text = find(pattern, n, text, end);
      if (text == NULL)
         return False;
      text += n;
   }
   return (SizeT)(end - text) >= n && is_here(pattern, n, end - n);
}
