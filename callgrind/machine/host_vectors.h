/* SPDX-License-Identifier: GPL-2.0-or-later

   Which vectors the host has, for code that is compiled more than once.  The guest is
   told of others (surroundings/guest_cpu.h), but this is the tool's own code.  */

#ifndef CALLGRIND_HOST_VECTORS_H
#define CALLGRIND_HOST_VECTORS_H

#include "core_version.h"

/* False on a host that is no amd64, and where a tool cannot ask.  */
Bool host_has_avx2(void);

#endif
