/* SPDX-License-Identifier: GPL-2.0-or-later

   Options for the programs that this process executes.

   The core starts a program that is executed, if it is traced, with the arguments that
   this process was started with.  What that program has to know of this process is added
   to them as an option.  If an option is there twice the last one counts, unless it may
   be repeated.  */

#ifndef CALLGRIND_EXEC_OPTIONS_H
#define CALLGRIND_EXEC_OPTIONS_H

#include "core_version.h"

/* An option that is passed at most once, with its last value; `index` begins at 0.  */
typedef struct {
   const HChar* name; /* with its dashes */
   Word index;        /* among the core's arguments, plus 1; 0: not there */
} ExecOption;

/* From now on `option` is passed with a copy of `value`, in place of the value that it
   had so far.  */
void exec_options_set(ExecOption* option, const HChar* value);

/* From now on the option `name` is passed with a copy of `value`, too, as far as there is
   room: no program shall fail to start because of it.  */
void exec_options_repeat(const HChar* name, const HChar* value);

/* Is there an option that is repeated?  */
Bool exec_options_is_any_repeated(void);

/* Before a program is executed: passes what is repeated, if there is any, as far as all
   arguments of the core take no more than `room` bytes, with a pointer for each.  Returns
   how many are left out.  To be called when all else has been set; nothing may be set
   again before exec_options_withdraw_repeated(), which may be called at any time.  */
UInt exec_options_pass_repeated(SizeT room);
void exec_options_withdraw_repeated(void);

#endif
