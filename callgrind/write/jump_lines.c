/* SPDX-License-Identifier: GPL-2.0-or-later

   See jump_lines.h.

      jump=FOLLOWED TARGET               not conditional
      jcnd=FOLLOWED/EXECUTED TARGET      conditional

   The format's description has the two counts of `jcnd` the other way round, with a blank
   between; this is what stock callgrind writes and KCachegrind reads.  */

#include "write/jump_lines.h"

#include "options/options.h"

Bool jump_lines_say_something(const JumpCount* jump)
{
   return options.dump_instr || jump->line.line != 0 || jump->target.line.line != 0;
}

static Int compare_numbers(ULong a, ULong b) { return a < b ? -1 : a > b ? 1 : 0; }

Int jump_lines_compare(const JumpCount* a, const JumpCount* b)
{
   if (a == NULL || b == NULL)
      return compare_numbers(a != NULL, b != NULL);
   Int order = compare_numbers(a->target.line.file->id, b->target.line.file->id);
   if (order == 0 && options.dump_instr)
      order = compare_numbers(a->target.file_address, b->target.file_address);
   if (order == 0 && options.dump_line)
      order = compare_numbers(a->target.line.line, b->target.line.line);
   return order != 0 ? order : compare_numbers(a->is_conditional, b->is_conditional);
}

void jump_lines_write(PositionState* position, const JumpCount* jump,
                      const SourceFile* current_file)
{
   if (jump->target.line.file != current_file)
      position_file(position, "jfi", jump->target.line.file);
   output_text(position->output, jump->is_conditional ? "jcnd=" : "jump=");
   output_decimal(position->output, jump->followed);
   if (jump->is_conditional) {
      output_char(position->output, '/');
      output_decimal(position->output, jump->executed);
   }
   output_char(position->output, ' ');
   position_of_target(position, jump->target.file_address, jump->target.line.line);
   output_char(position->output, '\n');
}
