/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that the core replaces or wraps by others.  Which ones, objects say by the
   names of symbols, which begin as the core's manual tells ("Function wrapping"): the
   core looks for these names when it reads an object, and for those that they speak of in
   all others.  A few of the dynamic linker it knows itself.  */

#ifndef CALLGRIND_REDIRECTIONS_H
#define CALLGRIND_REDIRECTIONS_H

#include "core_version.h"

typedef enum {
   NoRedirections,   /* nothing in it is replaced by the core itself, nor replaces */
   RedirectionsHere, /* the core must know its symbols, for itself alone */
   RedirectionsOfAll /* likewise; and it may replace functions of any other object */
} Redirections;

/* What the ELF file `path` has of them; RedirectionsHere if it cannot be read.  */
Redirections redirections_of(const HChar* path);

#endif
