/* SPDX-License-Identifier: GPL-2.0-or-later

   From addresses to functions by debug information: the function that an address is in,
   and those that were inlined there.  */

#ifndef SAMPLER_INLINING_H
#define SAMPLER_INLINING_H

#include "code/object.h"

#define INLINING_MAX_FRAMES 64

typedef struct {
   const char* name;   /* mangled if the debug information has that, or else with all
                          scopes; never NULL */
   const char* source; /* the file that it is defined in; NULL: not known */
   unsigned line;      /* of its definition; 0: not known */
} InlineFrame;

/* The functions at an address of the file: first the real one, then those inlined
   there, each into the one before.  Returns how many there are; 0 without debug
   information.  The texts live as long as the object.  */
unsigned inlining_frames(Object* object, uint64_t address,
                         InlineFrame frames[INLINING_MAX_FRAMES]);

#endif
