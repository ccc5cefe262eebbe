/* SPDX-License-Identifier: GPL-2.0-or-later

   Which guest registers VEX keeps exact where an instruction may fault.

   While instrumentation is on, those that a stack is unwound by: the instruction pointer
   tells what was counted and did not happen.  While it is off, only a signal handler of
   the program may look at them, one that is told more than the signal (SA_SIGINFO).
   Until there is one, VEX need not store them before each access to memory, which makes
   most programs 3 to 6 % faster.  Then what has been translated is discarded, unless that
   is much: a program that has run for a second by then is a runtime that looks at faults
   of code it makes later.  */

#ifndef CALLGRIND_EXACT_REGISTERS_H
#define CALLGRIND_EXACT_REGISTERS_H

#include "core_version.h"

/* To be called before the command line is read, and after it.  */
void exact_registers_before_options(void);
void exact_registers_after_options(void);

/* Sets what is translated from now on, for instrumentation on or off.  */
void exact_registers_choose(Bool instrumentation_on);

/* A superblock is translated, with instrumentation off.  */
void exact_registers_translated(void);

/* A system call has succeeded.  True if the program handles faults from now on, and did
   not before.  */
Bool exact_registers_after_call(UInt call, const UWord* arguments);

#endif
