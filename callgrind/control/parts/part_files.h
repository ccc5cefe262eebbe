/* SPDX-License-Identifier: GPL-2.0-or-later

   The files of the profile: writes a section of a part to the right one, or to a
   fall-back file, and can roll back what the last part has written.

   A section is a whole part, or one thread's with --separate-threads.  */

#ifndef CALLGRIND_PART_FILES_H
#define CALLGRIND_PART_FILES_H

#include "write/profile_header.h"
#include "write/tree_writer.h"

/* After options_finish().  */
void part_files_init(void);

/* To be called before the first section of a part.  */
void part_files_begin_part(Bool may_be_rolled_back);

/* Writes a section; `total` is the sum of its costs.  `is_final`: of the last part, whose
   file has no number.  If its file cannot be written, one line says why, and it goes to a
   fall-back file, which is named.  Sets header->opens_file.  */
void part_files_write(PartHeader* header, const ULong* total, Bool is_final);

/* Writes the call tree of a section, behind those of earlier ones.  If that fails, one
   line says why, and it goes to a fall-back file, which is named.  */
void part_files_write_tree(const TreeHeader* header);

/* Rolls back what has been written since part_files_begin_part(True): every file is as it
   was before.  False, and nothing is done, if that is not possible, as with a stream:
   what is written there stays.  */
Bool part_files_rollback(void);

/* The file that all parts are appended to, with --combine-dumps or because it is a
   stream; NULL if there is none yet.  */
const HChar* part_files_combined_path(void);

/* The file that all call trees are appended to; NULL if there is none yet.  */
const HChar* part_files_tree_path(void);

/* In a forked child: nothing has been written yet.  */
void part_files_restart(void);

#endif
