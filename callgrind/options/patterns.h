/* SPDX-License-Identifier: GPL-2.0-or-later

   Patterns that the user gives for names of functions: `*` stands for any text, `?` for
   any character.  */

#ifndef CALLGRIND_PATTERNS_H
#define CALLGRIND_PATTERNS_H

#include "core_version.h"
#include "pub_tool_xarray.h"

/* A pattern with a number for the names that match it, as in --separate-callers3=f.  */
typedef struct {
   UInt number;
   const HChar* pattern; /* part of a command line argument, not owned */
} NumberedPattern;

/* True if `name` matches one of `patterns`, an array of const HChar*.  NULL is the empty
   array.  */
Bool patterns_match(const XArray* patterns, const HChar* name);

/* The number of the last of `patterns` that `name` matches; `otherwise` if it matches
   none.  `patterns` is an array of NumberedPattern, or NULL.  */
UInt patterns_number(const XArray* patterns, const HChar* name, UInt otherwise);

/* The largest number in `patterns`, or `otherwise` if that is larger.  */
UInt patterns_largest_number(const XArray* patterns, UInt otherwise);

#endif
