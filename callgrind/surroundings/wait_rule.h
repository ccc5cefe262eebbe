/* SPDX-License-Identifier: GPL-2.0-or-later

   How much a wait counts whose end others decide: about what it took, but the same in
   each run.  docs/steady.md has the rule as a table.  */

#ifndef CALLGRIND_WAIT_RULE_H
#define CALLGRIND_WAIT_RULE_H

#include "core_version.h"

typedef enum {
   WaitUnknown,   /* a call that seldom waits, or does not say so */
   WaitForOthers, /* for what other processes, users and machines do */
   WaitForChild,
   WaitWithin,    /* for another thread of the program */
   WaitForCore,   /* it maps files: the core reads objects then, from a disk */
   WaitForDisk,   /* and all else of which no single wait counts */
   WaitForThread, /* as for others, if that does more than to end */
} WaitKind;

/* What a call that is about to begin waits for.  */
WaitKind wait_kind(UInt call, const UWord* arguments);

/* What a call counts that has ended, in nanoseconds.  It was asleep for `passed`;
   `has_ended_well` if it did not fail.  A call with a limit had `left` until then; 0:
   none.  Keeps what short waits have not counted.  */
ULong wait_counts(WaitKind kind, Bool has_ended_well, ULong passed, ULong left);

/* The limit that a socket's options set for this call, in nanoseconds, if that was what
   has ended it; 0: it was not.  For calls that have slept.  */
ULong wait_limit_of_socket(UInt call, const UWord* arguments, SysRes result);

#endif
