/* SPDX-License-Identifier: GPL-2.0-or-later

   ELF files, as they lie on the disk: their section headers, and what sections hold.  */

#ifndef CALLGRIND_ELF_FILE_H
#define CALLGRIND_ELF_FILE_H

#include "core_version.h"

#include <elf.h>

#if VG_WORDSIZE == 8
typedef Elf64_Ehdr ElfHeader;
typedef Elf64_Shdr SectionHeader;
typedef Elf64_Dyn ElfEntry; /* of the dynamic section */
#else
typedef Elf32_Ehdr ElfHeader;
typedef Elf32_Shdr SectionHeader;
typedef Elf32_Dyn ElfEntry;
#endif

/* An open ELF file and its section headers.  */
typedef struct {
   Int fd;
   ULong size;
   ElfHeader* elf;
   SectionHeader* headers;
   UInt n_headers;
   HChar* names; /* ends with a NUL */
   ULong names_size;
} ElfFile;

/* Opens `path`; False if that is not an ELF file of the host's class with sections.  */
Bool elf_file_open(const HChar* path, ElfFile* file);
void elf_file_close(ElfFile* file);

/* The name of a section; "" if the file gives it none.  */
const HChar* elf_file_section_name(const ElfFile* file, const SectionHeader* header);

/* The build id in lower-case hexadecimal digits, which the caller frees; NULL if the file
   has none.  */
HChar* elf_file_build_id(const ElfFile* file);

/* Opens a regular file; -1 if that fails.  By now a pipe may have the name of the file
   that the program has mapped: opening it must not wait for a writer.  */
Int elf_file_open_regular(const HChar* path, ULong* size);

/* Reads `size` bytes at `offset` into newly allocated memory, with a NUL behind them,
   which the caller frees.  NULL if the file does not have them.  */
void* elf_file_bytes(Int fd, ULong file_size, ULong offset, ULong size);

#endif
