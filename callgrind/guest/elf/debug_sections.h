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

/* As debug_sections_contents(), of .debug_SUFFIX, which may be compressed: it is unpacked
   when somebody wants to read it (dwarf/section.h).  */
DwarfSection debug_sections_read(const ElfFile* file, const HChar* suffix);

/* As debug_sections_read(), of a section that is wanted twice: if it is compressed, it is
   unpacked once for all who ask, and stays for as long as the process lives.  */
DwarfSection debug_sections_read_shared(const ElfFile* file, const HChar* suffix);

#endif
