/* SPDX-License-Identifier: GPL-2.0-or-later

   The debug information of an object: in its own file, or in a separate one that the
   distribution provides.  */

#ifndef SAMPLER_DEBUG_FILE_H
#define SAMPLER_DEBUG_FILE_H

#include "code/object.h"

#include <elfutils/libdw.h>

/* The separate debug file, which is found by build id, else by .gnu_debuglink with the
   same checksum, else from a debuginfod server, which may take long.  NULL if there is
   none.  It is looked for once, and lives as long as the object.  */
Elf* debug_file_elf(Object* object);

/* The DWARF of an object or its debug file, but only the sections that names and source
   files need.  NULL if there is none.  */
Dwarf* debug_file_dwarf(Object* object);

/* The call frame information of .debug_frame, in the object or in a debug file on this
   machine: this never waits for a server.  NULL if there is none.  */
Dwarf_CFI* debug_file_frames(Object* object);

#endif
