/* SPDX-License-Identifier: GPL-2.0-or-later

   Records that begin where a line of the host's cache does, so that what is used together
   can lie in one line.  Never freed.  */

#ifndef CALLGRIND_HOST_LINES_H
#define CALLGRIND_HOST_LINES_H

#include "core_version.h"

#define HOST_LINE 64 /* bytes; where lines are longer, half of one */

/* Zeroed memory of `size` bytes (up to 16 KB) that is never freed.  */
void* host_lines_make(SizeT size);

#endif
