/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   For generated programs: macros by which a program counts its own calls.

   All counting is inline code without a call, so that it adds no arc to what is measured;
   it is atomic, so that threads and signal handlers lose no count.  functions.h is
   written for each program by building.py: fn_NAME numbers the functions of the program,
   out_NAME the functions outside of it whose calls are counted as well.  The counters are
   in tables.s, which is written for each program, too; truth.c, which writes them down, is
   the same for all, and linked into every executable.

   A caller counts immediately before the call, so the statement that calls follows at
   once; a function counts that it was entered with its first statement.  Whole paths are
   counted as well: the caller leaves the number of the path that it runs by for the
   callee, which takes it.
*/

#ifndef TRUTH_H
#define TRUTH_H

#ifndef TRUTH_WRITER
#include "functions.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRUTH_WRITER
extern unsigned long truth_arcs[TRUTH_FUNCTIONS][TRUTH_CALLEES];
extern unsigned long truth_entered[TRUTH_FUNCTIONS];
extern unsigned long truth_roots[TRUTH_FUNCTIONS];
extern unsigned char truth_live[TRUTH_FUNCTIONS];
#endif

/* How often each path was taken: a table of as many places, looked for in so many.  The key
   is 1 and the function's number, and from bit 16 on the place, plus 1, of the path that
   called it; 0 there: it was entered from outside of the program.  */
#define TRUTH_PATHS 65536
#define TRUTH_TRIES 64
typedef struct {
   unsigned long key;
   unsigned long count;
} TruthPath;
extern TruthPath truth_paths[TRUTH_PATHS];
extern unsigned char truth_paths_lost; /* there was no place for one */

/* The path of who is about to call; taken by who is entered.  (Of the kind that needs no
   call to be found.)  */
extern __thread unsigned long truth_calling __attribute__((tls_model("initial-exec")));

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

#ifdef TRUTH_WITHOUT_PATHS

#define TRUTH_LEAVE_PATH(TO) ((void)0)
#define TRUTH_PASS_PATH(SELF) ((void)0)
#define TRUTH_COUNT_ENTRY(SELF) TRUTH_ADD(truth_entered[fn_##SELF])

#else

/* By which path the function runs: its number in truth_paths, plus 1; set by ENTER.  Code
   without ENTER has none.  */
static const unsigned long truth_path __attribute__((unused)) = 0;

/* Counts an entry by the path that the caller has left in truth_calling.  */
static inline __attribute__((always_inline, unused)) unsigned long
truth_enter(unsigned long self, unsigned long unit)
{
   unsigned long key = (truth_calling << 16 | self) + 1;
   unsigned long at = key * 0x9e3779b97f4a7c15UL >> 48;
   truth_calling = 0;
   for (int tries = truth_paths_lost ? TRUTH_TRIES : 0; tries < TRUTH_TRIES; tries++) {
      unsigned long known = 0;
      if (__atomic_compare_exchange_n(&truth_paths[at].key, &known, key, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
          known == key) {
         (void)__atomic_fetch_add(&truth_paths[at].count, unit, __ATOMIC_RELAXED);
         return at + 1;
      }
      at = (at + 1) % TRUTH_PATHS;
   }
   truth_paths_lost = 1;
   return 0;
}

/* For the callee, if it is a function of the program.  */
#define TRUTH_LEAVE_PATH(TO)                                                             \
   ((void)(truth_calling = (TO) < TRUTH_FUNCTIONS ? truth_path : 0))

/* The same for one that cannot count: it is entered, and leaves its own.  */
#define TRUTH_PASS_PATH(SELF) ((void)(truth_calling = truth_enter(SELF, TRUTH_UNIT)))

/* A declaration: what follows in the same block calls by this path.  */
#define TRUTH_COUNT_ENTRY(SELF)                                                          \
   TRUTH_ADD(truth_entered[fn_##SELF]);                                                  \
   const unsigned long truth_path __attribute__((unused)) =                              \
      truth_enter(fn_##SELF, TRUTH_UNIT)

#endif

/* FROM is about to call TO; both are names of functions.  */
#define CALL(FROM, TO)                                                                   \
   (TRUTH_ADD(truth_arcs[fn_##FROM][fn_##TO]), TRUTH_LEAVE_PATH(fn_##TO))

/* The same, where numbers are known at run time only: fn_..., or out_... of a callee.  */
#define CALL_NUMBER(FROM, TO) (TRUTH_ADD(truth_arcs[FROM][TO]), TRUTH_LEAVE_PATH(TO))

/* Behind CALL_NUMBER of SELF, which cannot count: it is entered, and calls TO.  */
#define PASS_NUMBER(SELF, TO)                                                            \
   (TRUTH_ADD(truth_entered[SELF]), TRUTH_ADD(truth_arcs[SELF][TO]),                     \
    TRUTH_PASS_PATH(SELF))

/* FROM is about to call TO, which is outside of the program.  */
#define CALL_OUT(FROM, TO) TRUTH_ADD(truth_arcs[fn_##FROM][out_##TO])

/* The first statement of every function.  */
#define ENTER(SELF) TRUTH_COUNT_ENTRY(SELF)

/* Besides ENTER: this activation has no caller (the handler of a signal, the entry
   function of a coroutine).  */
#define ROOT(SELF) TRUTH_ADD(truth_roots[fn_##SELF])

/* This function was under way when measurement was switched on.  */
#define LIVE(NUMBER) ((void)(truth_live[NUMBER] = 1))

#endif
