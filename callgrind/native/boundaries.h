/* SPDX-License-Identifier: GPL-2.0-or-later

   Where instructions begin.  The bytes of an instruction may also be in the middle of
   another one, or data; a function that the call frame information knows is read from its
   beginning on.  */

#ifndef CALLGRIND_BOUNDARIES_H
#define CALLGRIND_BOUNDARIES_H

#include "core_version.h"

typedef enum { BoundaryUnknown, BoundaryNone, BoundaryHere } Boundary;

/* Does one begin at `at`, in a file that is mapped?  */
Boundary native_boundary_at(Addr at);

/* Does one begin at `at`, if one begins at `start`, before?  All up to `at` may be
   read.  */
Boundary native_boundary_from(Addr start, Addr at, Addr end);

#endif
