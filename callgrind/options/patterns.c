/* SPDX-License-Identifier: GPL-2.0-or-later

   See patterns.h.  */

#include "options/patterns.h"

#include "base/pattern.h"

static Word count(const XArray* patterns)
{
   return patterns != NULL ? VG_(sizeXA)(patterns) : 0;
}

static const NumberedPattern* numbered(const XArray* patterns, Word i)
{
   return VG_(indexXA)(patterns, i);
}

Bool patterns_match(const XArray* patterns, const HChar* name)
{
   for (Word i = 0; i < count(patterns); i++)
      if (pattern_matches(*(const HChar**)VG_(indexXA)(patterns, i), name))
         return True;
   return False;
}

UInt patterns_number(const XArray* patterns, const HChar* name, UInt otherwise)
{
   for (Word i = count(patterns) - 1; i >= 0; i--)
      if (pattern_matches(numbered(patterns, i)->pattern, name))
         return numbered(patterns, i)->number;
   return otherwise;
}

UInt patterns_largest_number(const XArray* patterns, UInt otherwise)
{
   UInt largest = otherwise;
   for (Word i = 0; i < count(patterns); i++)
      if (numbered(patterns, i)->number > largest)
         largest = numbered(patterns, i)->number;
   return largest;
}
