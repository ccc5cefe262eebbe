/* SPDX-License-Identifier: GPL-2.0-or-later

   The order in which a folder lists its files: by name, whatever the file system.  */

#ifndef CALLGRIND_SYSTEM_LISTING_H
#define CALLGRIND_SYSTEM_LISTING_H

#include "core_version.h"

/* Sorts what a call of getdents64 has written into the program's memory.  */
void system_listing_sort(UWord address, UWord size);

#endif
