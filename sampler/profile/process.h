/* SPDX-License-Identifier: GPL-2.0-or-later

   Processes, their threads, and what is mapped in them at the time that is being looked
   at: the unwinding thread takes the records in the order of their times, so the state is
   that of the record at hand.  Used by that thread alone.  */

#ifndef SAMPLER_PROCESS_H
#define SAMPLER_PROCESS_H

#include "code/object.h"
#include "unwind/unwind.h"

typedef struct JitNames JitNames;
typedef struct Tree Tree;

typedef struct {
   uint64_t start, end, offset;
   uint64_t time; /* when it was mapped; 0: before we came */
   FileIdentity identity;
   char* path;
   bool is_sought; /* `object` was looked for */
   Object* object; /* NULL: code in no file */
} Mapping;

/* Executable mappings, in the order of addresses; shared by processes until one of them
   changes it.  */
typedef struct {
   unsigned references;
   unsigned count, room;
   Mapping* mappings;
} AddressSpace;

/* A program in a process: after an exec, it is another one.  */
typedef struct Process {
   struct Process* next;     /* of those with the same hash */
   struct Process* previous; /* of all, the one that came before */
   struct Process* parent;   /* NULL: not ours */
   uint32_t pid;
   AddressSpace* space;
   char* command;
   struct LibdwUnwinder* libdw; /* in tests only; NULL: none so far */
   bool backfilled;
   JitNames* jit; /* of jit_names.c; NULL: none was asked for */
   unsigned id;   /* in the file that we write; 0: not there */
} Process;

typedef struct Thread {
   struct Thread* next;     /* of those with the same hash */
   struct Thread* previous; /* of all */
   Process* process;
   uint32_t tid;
   char* name;
   unsigned id; /* in the file that we write; 0: not there */
   Tree* tree;  /* of the part at hand; of tree.c */
} Thread;

/* Whether what the kernel's records missed is read from /proc.  On by default.  */
void process_set_backfill(bool backfill);

/* Makes the program that was started known before its first record.  */
void process_begin(uint32_t pid, char* const* command);

/* Takes in what a record of mappings, names, forks or ends says.  */
void process_take(const Record* record);

/* The thread of a sample, which may be unknown so far.  */
Thread* process_thread(uint32_t pid, uint32_t tid);

/* Reads /proc/PID/maps; what is known already stays.  */
void process_backfill(Process* process, uint64_t time);
/* The same for a process that may not be known yet.  */
void process_backfill_pid(uint32_t pid, uint64_t time);

/* Finds code: a CodeFinder whose context is a Process*.  */
bool process_find(void* process, uint64_t address, CodePlace* place);

/* Unwinds a sample by libdw: a test of unwind().  */
void process_unwind_by_libdw(Process* process, const Sample* sample,
                             UnwindResult* result);

/* All processes and threads, the latest first, by `previous`.  */
Process* process_all(void);
Thread* process_threads(void);

#endif
