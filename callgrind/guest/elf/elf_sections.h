/* SPDX-License-Identifier: GPL-2.0-or-later

   The executable sections of an ELF file, from its section headers, and the extents of
   its functions.  The core keeps only .text and one .plt of an object; this tells which
   stub section (.plt, .plt.got, .plt.sec) an address lies in, and which address the file
   itself gives to a byte.  */

#ifndef CALLGRIND_ELF_SECTIONS_H
#define CALLGRIND_ELF_SECTIONS_H

#include "guest/elf/elf_functions.h"

typedef struct {
   ULong file_offset;
   ULong size;
   Addr address; /* as the file says, before any relocation */
   Bool is_plt;  /* it holds stubs: .plt, .plt.got, .plt.sec, .iplt */
} ElfSection;

typedef struct {
   UInt n_sections;
   ElfSection* sections; /* owned by the caller of elf_sections_read() */

   /* The build id in lower-case hexadecimal digits, owned likewise; NULL if the file has
      none.  */
   HChar* build_id;

   /* Where a program or the dynamic linker is entered; 0: nowhere.  */
   Addr entry;

   /* Where .eh_frame lies.  Its functions are read when the first one is looked for.  */
   ULong eh_frame_offset, eh_frame_size;
   Addr eh_frame_address;
   Bool functions_are_read;
   FunctionExtents functions;
} ElfSections;

/* The debug information of one or several files.  */
typedef struct {
   /* Tells it from all other: a checksum of the debug sections, or of those of lines and
      the build id.  They may be large, and are not read if nobody wants it.  */
   Bool wants_sum;
   ULong sum;
   ULong debug_size;  /* of all debug sections but call frame information, in bytes */
   ULong frames_size; /* of call frame information */
   ULong symbols_size;
} ElfDebug;

/* Reads the executable sections of the file `path`.  If it cannot be read, or is not ELF
   of the host's class, n_sections is 0.  */
ElfSections elf_sections_read(const HChar* path);

/* Reads what elf_sections_read() will be asked for later, when the file may be out of
   reach: once, by then.  */
void elf_sections_read_ahead(const HChar* path);

/* Reads the extents of functions, unless that was done.  */
void elf_sections_read_functions(ElfSections* sections, const HChar* path);

/* Adds what the file `path` has of debug information.  False if it cannot be read.  */
Bool elf_sections_add_debug(const HChar* path, ElfDebug* debug);

/* The section that holds the byte at `file_offset`, or NULL.  */
const ElfSection* elf_sections_find(const ElfSections* sections, ULong file_offset);

/* The extent of the function at `address`, which is as the file numbers it; NULL if the
   call frame information has none there.  `path` is the file that `sections` were read
   from.  */
const FunctionExtent* elf_sections_function(ElfSections* sections, const HChar* path,
                                            Addr address);

/* True if the code at `address` can be that which begins at the entry point: it lies
   behind, in the same section, and the call frame information has no function from there
   to it.  */
Bool elf_sections_is_entry_code(ElfSections* sections, const HChar* path, Addr address);

#endif
