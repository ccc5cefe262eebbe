/* SPDX-License-Identifier: GPL-2.0-or-later

   See exec_options.h.  Each added argument is owned by the record of its option, or
   by the list of those that are repeated.  */

#include "options/exec_options.h"

#include "base/text.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
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

/*--------------------------------------------------------------------*/
/* Options that may be repeated                                        */

static XArray* repeated; /* of HChar*: whole arguments; NULL: none */
static Word n_passed;    /* of them, at the end of the core's arguments */

void exec_options_repeat(const HChar* name, const HChar* value)
{
   HChar* argument = text_join("exec_options.argument", name, "=", value);
   if (repeated == NULL)
      repeated =
         VG_(newXA)(VG_(malloc), "exec_options.repeated", VG_(free), sizeof argument);
   VG_(addToXA)(repeated, &argument);
}

Bool exec_options_is_any_repeated(void) { return repeated != NULL; }

/* What an argument takes of the room for them: its text, and where that is.  */
static SizeT size_of(const HChar* argument)
{
   return VG_(strlen)(argument) + 1 + sizeof argument;
}

void exec_options_withdraw_repeated(void)
{
   VG_(dropTailXA)(VG_(args_for_valgrind), n_passed);
   n_passed = 0;
}

UInt exec_options_pass_repeated(SizeT room)
{
   XArray* arguments = VG_(args_for_valgrind);
   SizeT used = 0;
   for (Word i = 0; i < VG_(sizeXA)(arguments); i++)
      used += size_of(*(const HChar**)VG_(indexXA)(arguments, i));
   for (; n_passed < VG_(sizeXA)(repeated); n_passed++) {
      HChar* argument = *(HChar**)VG_(indexXA)(repeated, n_passed);
      used += size_of(argument);
      if (used > room)
         break;
      VG_(addToXA)(arguments, &argument);
   }
   return (UInt)(VG_(sizeXA)(repeated) - n_passed);
}
