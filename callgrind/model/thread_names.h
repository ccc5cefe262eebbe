/* SPDX-License-Identifier: GPL-2.0-or-later

   Names that the program gives its threads, as the tree and the timeline write them.

   A thread is known by Valgrind's number, which another one may get after it has ended:
   the paths of both are one tree then, which has the names of both.  */

#ifndef CALLGRIND_THREAD_NAMES_H
#define CALLGRIND_THREAD_NAMES_H

#include "core_version.h"

/* The kernel's limit, with the final zero.  */
#define THREAD_NAME_SIZE 16

/* Before threads run.  */
void thread_names_init(void);

/* A thread with this number begins, which has no name yet.  */
void thread_names_begin(UInt thread);

/* The thread with this number is called so from now on.  */
void thread_names_set(UInt thread, const HChar name[THREAD_NAME_SIZE]);

/* The name of the thread that has, or had last, this number; "" if it has none.  */
const HChar* thread_names_now(UInt thread);

/* The names of all that had this number, `a, b`; "" if there is none.  To be freed.  */
HChar* thread_names_all(UInt thread);

#endif
