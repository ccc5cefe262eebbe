/* SPDX-License-Identifier: GPL-2.0-or-later

   Sections of ELF files with debug information, which may be compressed.  */

#ifndef CALLGRIND_DEBUG_SECTIONS_H
#define CALLGRIND_DEBUG_SECTIONS_H

#include "dwarf/dwarf_file.h"
#include "guest/elf/elf_file.h"

/* Is there a section of this name, with bytes in the file?  */
Bool debug_sections_has(const ElfFile* file, const HChar* name);

/* What it holds, as it is, with a NUL behind; no bytes if there is none, or it cannot be
   read.  */
DwarfSection debug_sections_contents(const ElfFile* file, const HChar* name);

/* As debug_sections_contents(), of .debug_SUFFIX, which may be compressed.  */
DwarfSection debug_sections_read(const ElfFile* file, const HChar* suffix);

#endif
