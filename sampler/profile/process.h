/* SPDX-License-Identifier: GPL-2.0-or-later

   Processes, their threads, and what is mapped in them.  The unwinding thread takes the
   records in the order of their times, so all this is as it was at the time of the record
   at hand.  Used by that thread alone.  */

#ifndef SAMPLER_PROCESS_H
#define SAMPLER_PROCESS_H

#include "code/jit_names.h"
#include "profile/address_space.h"
#include "unwind/unwind.h"

typedef struct Tree Tree; /* of profile/tree.h */

/* While a thread has no processor.  */
typedef struct {
   Record* left;   /* the sample of its leaving; NULL: it runs, or nothing is known */
   uint64_t since; /* what was before is in the profile */
   bool could_run;
} Wait;

/* A program in a process: an exec begins a new record with the same pid.  */
typedef struct Process {
   struct Process* next;   /* of those with the same hash; the newest of a pid is first */
   struct Process* parent; /* NULL: not known */
   uint32_t pid;
   AddressSpace* space;
   char* command;
   bool backfilled; /* /proc/PID/maps has been read */
   JitNames* jit;   /* NULL: no name of JIT code was wanted so far */
   JitOwner owner;  /* of these names */
   unsigned id;     /* in the tree file; 0: not written */
} Process;

typedef struct Thread {
   struct Thread* next;     /* of those with the same hash */
   struct Thread* previous; /* the one that was recorded before, of all */
   Process* process;
   uint32_t tid;
   char* name;
   unsigned id; /* in the tree file; 0: not written */
   Tree* tree;  /* of the current part; NULL: no sample in it so far */
   Wait wait;
} Thread;

/* Whether process_backfill() does anything: it does unless tests say otherwise.  */
void process_set_backfill(bool backfill);

/* Records the program that the sampler starts, before its first record comes.  `command`
   ends with NULL.  */
void process_begin(uint32_t pid, char* const* command);

/* Applies a record of a mapping, a name, a fork or an exit; others change nothing.  */
void process_apply(const Record* record);

/* The thread with these ids, which is added if it is not known yet.  */
Thread* process_thread(uint32_t pid, uint32_t tid);

/* Adds from /proc/PID/maps what the records did not tell, at most once per process.  What
   is known already stays.  `time` is of CLOCK_MONOTONIC, in nanoseconds.  */
void process_backfill(Process* process, uint64_t time);
/* process_backfill() of a process that may not be known yet.  */
void process_backfill_pid(uint32_t pid, uint64_t time);

/* Finds the code at an address: a CodeFinder, whose context is a Process*.  */
bool process_find(void* process, uint64_t address, CodePlace* place);

/* All threads: the one recorded last; the others by `previous`.  */
Thread* process_threads(void);

#endif
