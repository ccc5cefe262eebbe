/* SPDX-License-Identifier: GPL-2.0-or-later

   Files in which the kernel tells of the machine, with the text that they have on a
   machine of one processor.  */

#ifndef CALLGRIND_SYSTEM_FILES_H
#define CALLGRIND_SYSTEM_FILES_H

#include "core_version.h"

/* The memory of the machine that the program sees.  */
#define SYSTEM_MEMORY (16ULL << 30)
#define SYSTEM_MEMORY_FREE (8ULL << 30)

/* The text of the file `path`; NULL if the file is the system's own.  */
const HChar* system_files_text(const HChar* path);

#endif
