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
   called it; 0 there: it was entered from outside of the program.  The flat paths are
   those in which a function that is jumped to stands in place of the one that jumped.  */
#define TRUTH_PATHS 65536
#define TRUTH_TRIES 64
typedef struct {
   unsigned long key;
   unsigned long count;
} TruthPath;
extern TruthPath truth_paths[TRUTH_PATHS];
extern TruthPath truth_flat_paths[TRUTH_PATHS];
extern unsigned char truth_paths_lost, truth_flat_paths_lost; /* there was no place */

/* What is known of the path of who is about to call; taken by who is entered: three
   numbers of TRUTH_PATH_BITS, each of a path, plus 1.  The lowest is that of the path, the
   next that of the flat path, the third that of the flat path that called it.  And where
   the caller's frame begins: with a jump, the callee's does, too.  (Thread-local, of the
   kind that needs no call to be found.)  */
#define TRUTH_PATH_BITS 17
extern __thread unsigned long truth_calling __attribute__((tls_model("initial-exec")));
extern __thread void* truth_calling_frame __attribute__((tls_model("initial-exec")));

/* Writes the counts into the file $TRUTH_FILE.PID.  The end of the program does that,
   when all handlers of atexit have run: programs call it themselves where they end
   otherwise (_exit, exec, a deadly signal).  */
void truth_write(void);

/* For the child of a fork, in a function that runs by `path` (truth_path): what was counted
   so far is the parent's.  */
void truth_forget(unsigned long path);

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
#define TRUTH_COUNT_ENTRY(SELF, FRAME) TRUTH_ADD(truth_entered[fn_##SELF])

#else

/* By which path the function runs, as truth_calling says it; set by ENTER.  Code without
   ENTER has none.  */
static const unsigned long truth_path __attribute__((unused)) = 0;

/* Counts the path of `self` behind the one with the number `before`; returns its
   number.  */
static inline __attribute__((always_inline, unused)) unsigned long
truth_count_path(TruthPath* paths, unsigned char* lost, unsigned long before,
                 unsigned long self, unsigned long unit)
{
   unsigned long key = (before << 16 | self) + 1;
   unsigned long at = key * 0x9e3779b97f4a7c15UL >> 48;
   for (int tries = *lost ? TRUTH_TRIES : 0; tries < TRUTH_TRIES; tries++) {
      unsigned long known = 0;
      if (__atomic_compare_exchange_n(&paths[at].key, &known, key, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED) ||
          known == key) {
         (void)__atomic_fetch_add(&paths[at].count, unit, __ATOMIC_RELAXED);
         return at + 1;
      }
      at = (at + 1) % TRUTH_PATHS;
   }
   *lost = 1;
   return 0;
}

/* Counts an entry by the path that the caller has left in truth_calling.  */
#ifdef TRUTH_WITHOUT_FLAT_PATHS
#define truth_enter(SELF, UNIT, FRAME)                                                    \
   truth_count_path(truth_paths, &truth_paths_lost,                                       \
                    __atomic_exchange_n(&truth_calling, 0, __ATOMIC_RELAXED), SELF, UNIT)
#else
static inline __attribute__((always_inline, unused)) unsigned long
truth_enter(unsigned long self, unsigned long unit, const void* frame)
{
   const unsigned long mask = (1UL << TRUTH_PATH_BITS) - 1;
   unsigned long before = truth_calling;
   unsigned long flat = before >> TRUTH_PATH_BITS;
   if (frame == truth_calling_frame)
      flat >>= TRUTH_PATH_BITS;
   flat &= mask;
   truth_calling = 0;
   truth_calling_frame = 0;
   unsigned long path = 0;
#ifndef TRUTH_WITHOUT_NESTED_PATHS
   path = truth_count_path(truth_paths, &truth_paths_lost, before & mask, self, unit);
#endif
   return path |
          truth_count_path(truth_flat_paths, &truth_flat_paths_lost, flat, self, unit)
             << TRUTH_PATH_BITS |
          flat << 2 * TRUTH_PATH_BITS;
}
#endif

/* For the callee, if it is a function of the program.  */
#define TRUTH_LEAVE_PATH(TO)                                                             \
   (truth_calling_frame = __builtin_dwarf_cfa(),                                         \
    (void)(truth_calling = (TO) < TRUTH_FUNCTIONS ? truth_path : 0))

/* What is left by a function that was called, and jumps.  */
static inline __attribute__((always_inline, unused)) unsigned long
truth_jumping(unsigned long path)
{
   const unsigned long mask = (1UL << TRUTH_PATH_BITS) - 1;
   return (path & mask) | path >> 2 * TRUTH_PATH_BITS << TRUTH_PATH_BITS;
}

/* As truth_jumping(), for one that cannot count: it is entered, and leaves its own.  */
#define TRUTH_PASS_PATH(SELF)                                                            \
   ((void)(truth_calling = truth_jumping(truth_enter(SELF, TRUTH_UNIT, 0))))

/* A declaration: what follows in the same block calls by this path.  FRAME is where the
   function's begins.  */
#define TRUTH_COUNT_ENTRY(SELF, FRAME)                                                   \
   TRUTH_ADD(truth_entered[fn_##SELF]);                                                  \
   const unsigned long truth_path __attribute__((unused)) =                              \
      truth_enter(fn_##SELF, TRUTH_UNIT, FRAME)

#endif

/* FROM is about to call TO; both are names of functions.  */
#define CALL(FROM, TO)                                                                   \
   (TRUTH_ADD(truth_arcs[fn_##FROM][fn_##TO]), TRUTH_LEAVE_PATH(fn_##TO))

/* As CALL, where numbers are known at run time only: fn_..., or out_... of a callee.  */
#define CALL_NUMBER(FROM, TO) (TRUTH_ADD(truth_arcs[FROM][TO]), TRUTH_LEAVE_PATH(TO))

/* Behind CALL_NUMBER of SELF, which cannot count: it is entered, and calls TO.  */
#define PASS_NUMBER(SELF, TO)                                                            \
   (TRUTH_ADD(truth_entered[SELF]), TRUTH_ADD(truth_arcs[SELF][TO]),                     \
    TRUTH_PASS_PATH(SELF))

/* FROM is about to call TO, which is outside of the program.  */
#define CALL_OUT(FROM, TO) TRUTH_ADD(truth_arcs[fn_##FROM][out_##TO])

/* The first statement of every function.  */
#define ENTER(SELF) TRUTH_COUNT_ENTRY(SELF, __builtin_dwarf_cfa())

/* As ENTER, for a function that cannot count, where it is called: not jumped to.  */
#define ENTER_CALLED(SELF) TRUTH_COUNT_ENTRY(SELF, 0)

/* Besides ENTER: this activation has no caller (the handler of a signal, the entry
   function of a coroutine).  */
#define ROOT(SELF) TRUTH_ADD(truth_roots[fn_##SELF])

/* This function was under way when measurement was switched on.  */
#define LIVE(NUMBER) ((void)(truth_live[NUMBER] = 1))

#endif
