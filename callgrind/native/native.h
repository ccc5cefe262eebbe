/* SPDX-License-Identifier: GPL-2.0-or-later

   The program's code on the processor itself, in place of translations of it, while
   somebody wants that.  Who counts or does not is not known here: docs/native.md tells
   how it works.

   All of this may be called, and does nothing, where it is not used.  */

#ifndef CALLGRIND_NATIVE_H
#define CALLGRIND_NATIVE_H

#include "core_version.h"

typedef struct {
   /* May code run natively now?  Asked by the thread that is about to run.  */
   Bool (*is_wanted)(void);
   Bool fixes_machine; /* the counter of time and random numbers are the tool's */
   /* Called once, by the first thread that is about to run natively.  */
   void (*begins)(void);
} NativeUse;

/* From now on, where this is possible; under -v one line says whether, or why not.  To be
   called once, before the program runs.  */
void native_use(const NativeUse* use);

/* Is it possible, and wanted now?  */
Bool native_is_wanted(void);

/* Is it used, and may that code use AVX-512?  */
Bool native_uses_wide_state(void);

/* A thread is about to go on, when so many superblocks have been executed.  */
void native_resumes(ULong blocks_run);

/* The core is about to have guest code translated, for whatever use: the program's memory
   becomes what the program wrote.  */
void native_before_translation(void);

/* It has been, to run in turns with native code: an instruction begins at `start`.  */
void native_after_translation(Addr start, SizeT size);

/* Translations of a few bytes are discarded: a debugger may want to stop there.  */
void native_note_discard(Addr start, ULong size);

/* System calls of the program's.  */
void native_before_call(UInt call, const UWord* arguments);
void native_after_call(Bool is_error);

/* This process is about to execute another program; and it has not.  */
void native_before_exec(void);
void native_exec_failed(void);

/* A thread is about to end; and this process has been forked.  */
void native_thread_ended(ThreadId thread);
void native_in_child(void);

/* Its memory is mapped, moved, protected, and gone; the core's callbacks.  */
void native_mapped(Addr start, SizeT size, Bool executable);
void native_unmapped(Addr start, SizeT size);

/* Has the core tell of what it tells nobody else.  To be called while the tool is
   registered.  */
void native_register(void);

/* With --stats=yes: how often there were ways in and out.  */
void native_print_stats(void);

#endif
