/* SPDX-License-Identifier: GPL-2.0-or-later

   See exec_options.h.  The arguments that are added belong to the options they are of.  */

#include "options/exec_options.h"

#include "options/text.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

void exec_options_set(ExecOption* option, const HChar* value)
{
   HChar* argument = text_join("handed_on.argument", option->name, "=", value);
   if (option->index == 0) {
      VG_(addToXA)(VG_(args_for_valgrind), &argument);
      option->index = VG_(sizeXA)(VG_(args_for_valgrind));
      return;
   }
   HChar** handed_on = VG_(indexXA)(VG_(args_for_valgrind), option->index - 1);
   VG_(free)(*handed_on);
   *handed_on = argument;
}
