/* SPDX-License-Identifier: GPL-2.0-or-later

   Telling the user of patterns that nothing has matched: misspelt, most often.  Told at
   the end, by the process that the user has started.  What it forks, and the programs
   that those execute, tell nothing: a pattern is rarely meant for all of them.  */

#ifndef CALLGRIND_UNMATCHED_H
#define CALLGRIND_UNMATCHED_H

#include "core_version.h"

/* After a fork: in the parent, whose patterns the child may yet match, and in the
   child.  */
void unmatched_in_parent(void);
void unmatched_in_child(void);

/* Tells that nothing has matched what `option` (with its dashes) was given.  Of very
   many, unmatched_tell_of_functions() tells how many more there are.  */
void unmatched_tell(const HChar* option, const HChar* pattern);

/* That of each pattern of functions on the command line, in one line each.  With -q only
   of --fn-skip: where stock has an option, it says nothing then.  To be called last.  */
void unmatched_tell_of_functions(void);

#endif
