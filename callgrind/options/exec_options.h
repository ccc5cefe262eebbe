/* SPDX-License-Identifier: GPL-2.0-or-later

   What a program that this process executes has to know of it: options among the core's
   own arguments, which that program is started with if it is traced.  Of an option that is
   there twice the last one counts, unless it is of a kind that may be repeated.  */

#ifndef CALLGRIND_EXEC_OPTIONS_H
#define CALLGRIND_EXEC_OPTIONS_H

#include "core_version.h"

/* An option that is handed on once at the most, with its last value; `index` begins at 0.
   One that may be repeated has a record for each value.  */
typedef struct {
   const HChar* name; /* with its dashes */
   Word index;        /* among the core's arguments, plus 1; 0: not there */
} ExecOption;

/* From now on `option` is handed on with a copy of `value`, in place of its value so
   far.  */
void exec_options_set(ExecOption* option, const HChar* value);

#endif
