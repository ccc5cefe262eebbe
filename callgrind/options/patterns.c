/* SPDX-License-Identifier: GPL-2.0-or-later

   See patterns.h.  */

#include "options/patterns.h"

#include "base/pattern.h"

#include "pub_tool_mallocfree.h"

void patterns_add(XArray** patterns, const HChar* pattern, UInt number)
{
   const NamePattern entry = {pattern, number, False};
   if (*patterns == NULL)
      *patterns = VG_(newXA)(VG_(malloc), "patterns.list", VG_(free), sizeof entry);
   VG_(addToXA)(*patterns, &entry);
}

Word patterns_count(const XArray* patterns)
{
   return patterns != NULL ? VG_(sizeXA)(patterns) : 0;
}

const NamePattern* patterns_at(const XArray* patterns, Word i)
{
   return VG_(indexXA)(patterns, i);
}

/* The last that `name` matches, or NULL.  */
static const NamePattern* last_match(const XArray* patterns, const HChar* name)
{
   const NamePattern* last = NULL;
   for (Word i = 0; i < patterns_count(patterns); i++) {
      NamePattern* entry = VG_(indexXA)(patterns, i);
      if (pattern_matches(entry->pattern, name)) {
         entry->has_matched = True;
         last = entry;
      }
   }
   return last;
}

Bool patterns_match(const XArray* patterns, const HChar* name)
{
   return last_match(patterns, name) != NULL;
}

UInt patterns_number(const XArray* patterns, const HChar* name, UInt otherwise)
{
   const NamePattern* last = last_match(patterns, name);
   return last != NULL ? last->number : otherwise;
}

UInt patterns_largest_number(const XArray* patterns, UInt otherwise)
{
   UInt largest = otherwise;
   for (Word i = 0; i < patterns_count(patterns); i++)
      if (patterns_at(patterns, i)->number > largest)
         largest = patterns_at(patterns, i)->number;
   return largest;
}
