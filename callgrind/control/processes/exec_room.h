/* SPDX-License-Identifier: GPL-2.0-or-later

   How much room the arguments and the environment of a program that is about to be
   executed leave for more.  */

#ifndef CALLGRIND_EXEC_ROOM_H
#define CALLGRIND_EXEC_ROOM_H

#include "core_version.h"

/* How many bytes the core's own arguments may have, with a pointer for each, where the
   guest's system call names these arrays of texts: more is E2BIG.  0 if one of them
   cannot be read, or if there is no room.  */
SizeT exec_room(Addr arguments, Addr environment);

#endif
