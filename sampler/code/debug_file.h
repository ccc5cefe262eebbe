/* SPDX-License-Identifier: GPL-2.0-or-later

   Where an object's debug information is: in itself, or in a separate file that the
   distribution has put away.  */

#ifndef SAMPLER_DEBUG_FILE_H
#define SAMPLER_DEBUG_FILE_H

#include "code/object.h"

#include <elfutils/libdw.h>

/* The separate debug file: sought by build id, then by .gnu_debuglink, whose checksum must
   agree, then from a debuginfod server, which may take its time.  NULL if there is none.
   Looked for once; lives as long as the object.  */
Elf* debug_file_elf(Object* object);

/* The DWARF of an object or its debug file, with the sections that names need and no
   others.  NULL if there is none.  */
Dwarf* debug_file_dwarf(Object* object);

/* The call frame information of .debug_frame, in the object or in a debug file of this
   machine: no server is asked.  NULL if there is none.  */
Dwarf_CFI* debug_file_frames(Object* object);

#endif
