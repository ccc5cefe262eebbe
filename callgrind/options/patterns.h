/* SPDX-License-Identifier: GPL-2.0-or-later

   Patterns that the user gives for names of functions: `*` stands for any text, `?` for
   any character.  A list of them is an array of NamePattern, or NULL if there are none;
   the command line fills it.  Each remembers whether a name has matched it.  */

#ifndef CALLGRIND_PATTERNS_H
#define CALLGRIND_PATTERNS_H

#include "core_version.h"
#include "pub_tool_xarray.h"

typedef struct {
   const HChar* pattern; /* part of a command line argument, not owned */
   UInt number;          /* for the names that match, as 3 in --separate-callers3=f; 0 */
   Bool has_matched;     /* a name that was asked for */
} NamePattern;

/* Appends one that has not matched; makes the array if there is none.  */
void patterns_add(XArray** patterns, const HChar* pattern, UInt number);

/* How many there are, and the one in place `i`, from 0.  */
Word patterns_count(const XArray* patterns);
const NamePattern* patterns_at(const XArray* patterns, Word i);

/* True if `name` matches one of `patterns`.  All that it matches have matched.  */
Bool patterns_match(const XArray* patterns, const HChar* name);

/* The number of the last of `patterns` that `name` matches; `otherwise` if it matches
   none.  All that it matches have matched.  */
UInt patterns_number(const XArray* patterns, const HChar* name, UInt otherwise);

/* The largest number in `patterns`, or `otherwise` if that is larger.  */
UInt patterns_largest_number(const XArray* patterns, UInt otherwise);

#endif
