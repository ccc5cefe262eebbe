/* SPDX-License-Identifier: GPL-2.0-or-later

   Is generated code running?  The core's fault catcher must not be set while it is, so a
   helper that catches faults (guest/memory.c) says that it is not.  Global since 2005;
   without it configure refuses the core: no memory of a program could be read safely.  */

#ifndef CALLGRIND_GENERATED_CODE_H
#define CALLGRIND_GENERATED_CODE_H

#include "core_version.h"

extern Bool VG_(in_generated_code);

#endif
