/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls by which a program shuts itself in: another root (chroot), other file
   systems (unshare, pivot_root), filters of system calls.  What is written later
   still goes where the user wants it.

   And those by which it removes a file, or puts another one in its place: what is still
   to be read of that is read before.  */

#ifndef CALLGRIND_LEAVING_H
#define CALLGRIND_LEAVING_H

#include "core_version.h"

/* To be called before and after each system call of the program.  */
void leaving_before_call(UInt call, const UWord* arguments);
void leaving_after_call(UInt call, const UWord* arguments, SysRes result);

#endif
