/* SPDX-License-Identifier: GPL-2.0-or-later

   Options for the programs that this process executes.

   The core starts a program that is executed, if it is traced, with the arguments that
   this process was started with.  What that program has to know of this process is added
   to them as an option.  If an option is there twice the last one counts, unless it may
   be repeated.  */

#ifndef CALLGRIND_EXEC_OPTIONS_H
#define CALLGRIND_EXEC_OPTIONS_H

#include "core_version.h"

/* An option that is passed at most once, with its last value; `index` begins at 0.  An
   option that may be repeated has a record for each value.  */
typedef struct {
   const HChar* name; /* with its dashes */
   Word index;        /* among the core's arguments, plus 1; 0: not there */
} ExecOption;

/* From now on `option` is passed with a copy of `value`, in place of the value that it
   had so far.  */
void exec_options_set(ExecOption* option, const HChar* value);

#endif
