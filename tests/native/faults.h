/* SPDX-License-Identifier: GPL-2.0-or-later

   Calls on files that fail on purpose.

   FAULT=NAME:COUNT:ERRNO:ONCE in the environment, or given to faults_begin(), lets the
   COUNTth call of NAME (open, read, write, close, rename, unlink, truncate, chmod,
   readlink, lseek, stat; `any` counts all of them) fail with ERRNO; if ONCE is 0, all
   calls of the same name after it as well.  A write with ERRNO 0 is short: one byte.  */

#ifndef NATIVE_FAULTS_H
#define NATIVE_FAULTS_H

/* A write that is to be short.  */
#define FAULT_SHORT (-1)

/* Begins to count anew, with another fault; NULL: none.  */
void faults_begin(const char* fault);

/* Counts a call of `name`.  Returns the error that it shall have, FAULT_SHORT, or 0.  */
int fault_of(const char* name);

/* How many calls there were, and the name of the one that failed first: "" if none did.
 */
int faults_calls(void);
const char* faults_name(void);

#endif
