/* SPDX-License-Identifier: GPL-2.0-or-later

   The lines of a profile that tell of jumps: `jump=` and `jcnd=`, and `jfi=` before
   them.  */

#ifndef CALLGRIND_JUMP_LINES_H
#define CALLGRIND_JUMP_LINES_H

#include "model/jump.h"
#include "write/position.h"

/* False for a jump from nowhere to nowhere: by lines, and neither is known.  */
Bool jump_lines_say_something(const JumpCount* jump);

/* The order of jumps from one position; 0 if their lines differ in counts only.  What is
   no jump (NULL) comes first.  */
Int jump_lines_compare(const JumpCount* a, const JumpCount* b);

/* Writes the lines before the one with the jump's own position.  `current_file` is the
   file that the position lies in.  */
void jump_lines_write(PositionState* position, const JumpCount* jump,
                      const SourceFile* current_file);

#endif
