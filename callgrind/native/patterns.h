/* SPDX-License-Identifier: GPL-2.0-or-later

   What must not run natively, as bytes: client requests, which are without effect on a
   processor; and what would tell the program of another processor than the one that the
   core can translate for.

   Eight bytes or more that are never made by chance are a client request for sure.  The
   others have two or three, and may be in the middle of an instruction, or data.  */

#ifndef CALLGRIND_PATTERNS_H
#define CALLGRIND_PATTERNS_H

#include "core_version.h"

typedef enum { PatternRequest, PatternInstruction } PatternKind;

/* Which instructions besides CPUID and XGETBV.  */
typedef struct {
   Bool finds_xsave;  /* and XRSTOR: the system saves more than VEX's XSAVE does */
   Bool finds_random; /* RDRAND and RDSEED, whose numbers are the tool's */
} PatternChoice;

/* The longest one, in bytes: who looks at memory in pieces has them overlap by one
   less.  */
#define PATTERN_LONGEST 19

/* Calls `found` for each that begins and ends in these bytes, in no order; an instruction
   with its prefix may be found with and without.  All bytes must be readable.  */
void native_patterns_find(const UChar* start, const UChar* end, PatternChoice choice,
                          void (*found)(Addr at, PatternKind kind));

#endif
