/* SPDX-License-Identifier: GPL-2.0-or-later

   The executable sections of an ELF file, as its section headers tell them, and
   the extents of its functions.  Needed because the core keeps only .text and one
   .plt of an object: which stub section (.plt, .plt.got, .plt.sec) an address
   lies in, and what address the file itself gives to a byte, is read here.  */

#ifndef CALLGRIND_ELF_SECTIONS_H
#define CALLGRIND_ELF_SECTIONS_H

#include "guest/elf_functions.h"

typedef struct {
   ULong file_offset;
   ULong size;
   Addr address; /* as the file says, before any relocation */
   Bool is_plt;  /* stubs that only jump on: .plt, .plt.got, .plt.sec, .iplt */
} ElfSection;

typedef struct {
   UInt n_sections;
   ElfSection* sections; /* owned by the caller of elf_sections_read() */

   /* The build id in lower-case hexadecimal digits, owned likewise; NULL if the file has
      none.  */
   HChar* build_id;

   /* Where .eh_frame lies: its functions are read only if they are asked for.  */
   ULong eh_frame_offset, eh_frame_size;
   Addr eh_frame_address;
   Bool functions_are_read;
   FunctionExtents functions;
} ElfSections;

/* Reads the executable sections of the file `path`.  A file that cannot be read
   or is not ELF of the host's class gives no sections: n_sections is 0.  */
ElfSections elf_sections_read(const HChar* path);

/* The section that holds the byte at `file_offset`, or NULL.  */
const ElfSection* elf_sections_find(const ElfSections* sections, ULong file_offset);

/* The extent of the function at `address`, as the file at `path` (the one that
   `sections` were read from) numbers it; NULL if its call frame information knows
   none there.  */
const FunctionExtent* elf_sections_function(ElfSections* sections, const HChar* path,
                                            Addr address);

#endif
