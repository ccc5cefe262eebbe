/* SPDX-License-Identifier: GPL-2.0-or-later

   What the debug information says of an address: which function it is in, and which ones
   were inlined there.  */

#ifndef SAMPLER_INLINING_H
#define SAMPLER_INLINING_H

#include "code/object.h"

#define INLINING_MAX_FRAMES 64

typedef struct {
   const char* name;   /* as linkers know it (mangled), or as written; never NULL */
   const char* source; /* where it is defined; NULL: not known */
   unsigned line;      /* of its definition, or 0 */
} InlineFrame;

/* The functions at an address of the file, the real one first, then those inlined into it,
   each into the one before.  How many there are: 0 without debug information.  The texts
   live as long as the object.  */
unsigned inlining_frames(Object* object, uint64_t address,
                         InlineFrame frames[INLINING_MAX_FRAMES]);

#endif
