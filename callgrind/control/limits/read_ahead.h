/* SPDX-License-Identifier: GPL-2.0-or-later

   What is read of object files late, or never, is read while they can be: a program that
   shuts itself in may not open them any more, nor may the tool in its place.  So lines
   and names are those of a program that has stayed outside.  */

#ifndef CALLGRIND_READ_AHEAD_H
#define CALLGRIND_READ_AHEAD_H

#include "core_version.h"

/* Reads of all objects that are mapped what may be asked for later.  It takes the time
   that the distribution's callgrind takes when it starts.  */
void read_ahead(void);

/* As read_ahead(), if another user may not open one of these objects.  */
void read_ahead_for_others(void);

#endif
