/* SPDX-License-Identifier: GPL-2.0-or-later

   The lines of a profile about jumps: `jump=` and `jcnd=`, and `jfi=` before them.  */

#ifndef CALLGRIND_JUMP_LINES_H
#define CALLGRIND_JUMP_LINES_H

#include "model/jump.h"
#include "write/position.h"

/* False if only lines are written, and neither that of the jump nor that of its target is
   known.  */
Bool jump_lines_say_something(const JumpCount* jump);

/* The order of jumps from one position; 0 if what is written of them differs in counts
   only.  NULL, which is no jump, comes first.  */
Int jump_lines_compare(const JumpCount* a, const JumpCount* b);

/* Writes the lines that precede the line with the jump's own position.  `current_file` is
   the file of that position.  */
void jump_lines_write(PositionState* position, const JumpCount* jump,
                      const SourceFile* current_file);

#endif
