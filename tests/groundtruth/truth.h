/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   For generated programs: macros by which a program counts its own calls.

   All counting is inline code without a call, so that it adds no arc to what is measured;
   it is atomic, so that threads and signal handlers lose no count.  functions.h is
   written for each program by building.py: fn_NAME numbers the functions of the program,
   out_NAME the functions outside of it whose calls are counted as well.  The counters are
   in truth.c, which is linked into every executable.

   A caller counts immediately before the call, so the statement that calls follows at
   once; a function counts that it was entered with its first statement.
*/

#ifndef TRUTH_H
#define TRUTH_H

#include "functions.h"

#ifdef __cplusplus
extern "C" {
#endif

extern unsigned long truth_arcs[TRUTH_FUNCTIONS][TRUTH_CALLEES];
extern unsigned long truth_entered[TRUTH_FUNCTIONS];
extern unsigned long truth_roots[TRUTH_FUNCTIONS];
extern unsigned char truth_live[TRUTH_FUNCTIONS];

/* Writes the counts into the file $TRUTH_FILE.PID.  The end of the program does that,
   when all handlers of atexit have run: programs call it themselves where they end
   otherwise (_exit, exec, a deadly signal).  */
void truth_write(void);

/* For the child of a fork: what was counted so far is the parent's.  */
void truth_forget(void);

#ifdef __cplusplus
}
#endif

/* The compiler neither inlines nor clones such a function, nor looks into it.  */
#ifdef __clang__
#define OPAQUE __attribute__((noinline, used))
#else
#define OPAQUE __attribute__((noipa, noinline, noclone, used))
#endif

/* Behind a call, keeps the compiler from making the call a jump, or recursion a loop.  */
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

/* What is added at each event; a program that switches measurement on and off, and so
   counts only at times, says otherwise before it includes this file.  */
#ifndef TRUTH_UNIT
#define TRUTH_UNIT 1UL
#endif

#define TRUTH_ADD(COUNTER)                                                               \
   ((void)__atomic_fetch_add(&(COUNTER), TRUTH_UNIT, __ATOMIC_RELAXED))

/* FROM is about to call TO; both are names of functions.  */
#define CALL(FROM, TO) TRUTH_ADD(truth_arcs[fn_##FROM][fn_##TO])

/* The same, where numbers are known at run time only: fn_..., or out_... of a callee.  */
#define CALL_NUMBER(FROM, TO) TRUTH_ADD(truth_arcs[FROM][TO])

/* FROM is about to call TO, which is outside of the program.  */
#define CALL_OUT(FROM, TO) TRUTH_ADD(truth_arcs[fn_##FROM][out_##TO])

/* The first statement of every function.  */
#define ENTER(SELF) TRUTH_ADD(truth_entered[fn_##SELF])

/* Besides ENTER: this activation has no caller (the handler of a signal, the entry
   function of a coroutine).  */
#define ROOT(SELF) TRUTH_ADD(truth_roots[fn_##SELF])

/* This function was under way when measurement was switched on.  */
#define LIVE(NUMBER) ((void)(truth_live[NUMBER] = 1))

#endif
