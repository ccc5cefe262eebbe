/* SPDX-License-Identifier: GPL-2.0-or-later

   What happened, and when: a record of the kernel, read from a ring buffer, or a mark
   that the control has set.  Owns the layout of the records of perf_event_open(2),
   which depends on what the events of event.c ask for.  */

#ifndef SAMPLER_RECORD_H
#define SAMPLER_RECORD_H

#include "perf/registers.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every event asks for; what the sampling one asks for.  */
#define RECORD_COMMON_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define RECORD_SAMPLE_TYPE                                                               \
   (RECORD_COMMON_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |   \
    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
extern const uint64_t record_register_mask;

typedef enum {
   RecordSample,
   RecordWait,   /* a thread is about to leave its processor; it has a sample */
   RecordLeave,  /* it has left it */
   RecordResume, /* it has one again */
   RecordMap,
   RecordFork,
   RecordExit,
   RecordComm,
   RecordLost,
   RecordMark
} RecordKind;

#define RECORD_MAX_BUILD_ID 20

/* Which file was mapped.  The kernel gives the build id or the inode.  */
typedef struct {
   uint8_t build_id_size; /* 0: not known */
   uint8_t build_id[RECORD_MAX_BUILD_ID];
   bool has_inode;
   bool has_generation;
   uint32_t major, minor;
   uint64_t inode, generation;
} FileIdentity;

typedef struct {
   uint64_t period;
   uint64_t ip;
   bool has_registers; /* there are any, of 64-bit user code */
   bool has_few;       /* of these, the program counter and the stack pointer alone */
   bool is_32_bit;
   uint64_t registers[REGISTER_COUNT]; /* by DWARF number */
   unsigned chain_count;               /* of the kernel, innermost first */
   unsigned stack_asked;               /* bytes of stack that were asked for */
   unsigned stack_size;   /* bytes that there are, from the stack pointer on */
   const uint64_t* chain; /* behind the record */
   const uint8_t* stack;  /* behind the record */
} Sample;

typedef struct {
   uint64_t start, size, offset;
   FileIdentity identity;
   const char* path; /* behind the record */
} MapRecord;

typedef enum {
   MarkOn,
   MarkOff,
   MarkBenchmark, /* text: the URI; pid: who ran it */
   MarkNote,      /* text: a note for people */
   MarkMoment,    /* text: what happened at the time `moment`; pid: in which process */
   MarkAttached,  /* pid: the process that was attached to */
   MarkEnd        /* of all */
} MarkKind;

typedef struct {
   RecordKind kind;
   uint32_t pid, tid;
   uint64_t time;     /* CLOCK_MONOTONIC, in nanoseconds */
   uint64_t sequence; /* the order of arrival, for records of one time */
   size_t size;       /* of the whole allocation */
   union {
      Sample sample;
      MapRecord map;
      struct {
         uint32_t parent_pid, parent_tid;
      } fork;
      struct {
         bool is_exec;
         const char* name; /* behind the record */
      } comm;
      struct {
         uint64_t count;
      } lost;
      struct {
         bool could_run; /* it waits for nothing but a processor */
      } leave;
      struct {
         MarkKind kind;
         uint64_t moment;  /* of MarkMoment: CLOCK_MONOTONIC, in nanoseconds */
         const char* text; /* behind the record */
      } mark;
   } as;
} Record;

/* A sample of this period is of a thread that leaves its processor: RecordWait.  Those
   of a clock have longer ones.  */
#define RECORD_WAIT_PERIOD 1

/* Reads a record of the kernel from `size` bytes, which begin with its header.  With
   `has_waits` there are samples of threads that leave their processors.  The result is
   freed by the caller.  NULL if the record is of no interest, or makes no sense.  */
Record* record_read(const void* bytes, size_t size, bool has_waits);

/* A RecordWait of a thread that had left its processor before, to be freed.  Of its
   registers, these two are known, and of its stack a copy of `stack_size` bytes; with an
   `ip` of 0, nothing is.  */
Record* record_wait(uint32_t pid, uint32_t tid, uint64_t time, uint64_t ip,
                    uint64_t stack_pointer, const void* stack, unsigned stack_size,
                    unsigned stack_asked);

/* A mark of the control, to be freed.  `text` is copied.  */
Record* record_mark(MarkKind kind, uint32_t pid, uint64_t time, const char* text);

#endif
