/* SPDX-License-Identifier: GPL-2.0-or-later

   The files that the core has read an object from: its own, and those of its debug
   information.  What they have, and whether they are still as they were.  */

#ifndef CALLGRIND_READ_FILES_H
#define CALLGRIND_READ_FILES_H

#include "guest/elf/elf_sections.h"

#include "pub_tool_xarray.h"

typedef struct {
   XArray* files; /* NULL: there are none, and none are noted */
} ReadFiles;

/* None yet.  */
ReadFiles read_files_new(void);

/* Back to all zero.  */
void read_files_free(ReadFiles* files);

/* Adds a file, unless it is there.  */
void read_files_note(ReadFiles* files, const HChar* path);

UInt read_files_count(const ReadFiles* files);

const HChar* read_files_path(const ReadFiles* files, UInt i);

/* Has nobody written to them, or put others in their places, since they were noted?  */
Bool read_files_are_same(const ReadFiles* files);

/* Is one of them this file?  */
Bool read_files_have(const ReadFiles* files, ULong device, ULong inode);

/* Adds what they have of debug information.  False if one cannot be read.  */
Bool read_files_measure(const ReadFiles* files, ElfDebug* debug);

#endif
