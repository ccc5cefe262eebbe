/* SPDX-License-Identifier: GPL-2.0-or-later

   See exec_options.h.  Each added argument is owned by the record of its option.  */

#include "options/exec_options.h"

#include "base/text.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

void exec_options_set(ExecOption* option, const HChar* value)
{
   HChar* argument = text_join("exec_options.argument", option->name, "=", value);
   if (option->index == 0) {
      VG_(addToXA)(VG_(args_for_valgrind), &argument);
      option->index = VG_(sizeXA)(VG_(args_for_valgrind));
      return;
   }
   HChar** passed = VG_(indexXA)(VG_(args_for_valgrind), option->index - 1);
   VG_(free)(*passed);
   *passed = argument;
}
