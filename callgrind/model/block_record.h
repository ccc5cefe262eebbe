/* SPDX-License-Identifier: GPL-2.0-or-later

   The record of a superblock's part that belongs to one function, called block: which
   guest instructions it holds, whose they are, and where its execution counters lie.

   Straight run: the instructions from the start, or from behind a conditional exit, to
   the next exit.  All of a run execute or none, so one counter for a run tells how often
   each of its instructions executed.  A run without an instruction is the rest of an
   instruction that can be left in the middle; it is there only if something is counted
   there.

   Jump (--collect-jumps=yes): an exit to elsewhere in the same function.  One counter
   tells how often it was followed; its instruction's run tells how often it might have
   been.

   Reference: see reference.h.

      instructions   i0  i1  i2 | i3  i4 | i5        | conditional exits
      run_ends                  3        5    6
      spans          line 10    line 11   line 10

   The counters themselves belong to contexts (context.h).  A block owns slots, the same
   indexes in the counter array of every context of its function:

      slot            slot + n_runs      slot + n_runs + n_jumps
      | one per run   | one per jump     | a few per reference     |

   In memory a block is one piece: the struct, then its arrays.  */

#ifndef CALLGRIND_BLOCK_RECORD_H
#define CALLGRIND_BLOCK_RECORD_H

#include "guest/symbols.h"
#include "model/reference.h"

#include "pub_tool_hashtable.h"

/* The instructions from `first` up to the next span's have one source line.  */
typedef struct {
   StoredLine line;
   UInt first;
} LineSpan;

static inline SourceLine block_line_of(const LineSpan* span)
{
   return symbols_stored_line(&span->line);
}

/* Where a jump goes.  */
typedef struct {
   Addr address;
   Addr file_address; /* the same, as the object's file numbers it */
   SourceLine line;
} JumpTarget;

typedef struct {
   JumpTarget target;
   UShort instruction;  /* index of the one that jumps */
   Bool is_conditional; /* it may not have jumped */
   Bool is_at_end;      /* not an exit on the way: where the superblock leads to */
} Jump;

/* What happens whenever an instruction executes, at least up to an exit in its middle:
   `count` times the event with index `event`, in each execution of the run.  */
typedef struct {
   UShort instruction;
   UShort run;
   UShort event;
   UShort count;
} StaticEvent;

typedef struct Block {
   Addr key; /* the guest address that was asked for (nraddr) */
   struct Block* next_of_function;
   struct Block* previous_of_function;
   Function* function;
   Addr address;      /* of the first instruction, after redirection */
   Addr file_address; /* the same, as the object's file numbers it */
   UInt slot;         /* of the first run's counter */
   UInt since; /* contexts that were not entered since have not run it; 0: unknown */
   UShort n_runs;
   UShort n_jumps;
   UShort n_instructions;
   UShort n_spans;
   UShort n_events;
   UShort n_references;
   UShort n_outcomes;  /* counters of its references */
   Bool is_translated; /* a translation that counts here exists */
   Bool is_warm; /* to be translated for speed (cold_code.h): it executes often, or is
                          not the first code that was seen there */
   Bool is_ambiguous;  /* another translation of the same address exists, of other code (a
                          wrapped function): block_at() cannot tell which one runs */
   Bool is_at_key;     /* block_at() finds it */
   Bool has_cold_runs; /* the records of its runs are made (cold_code.h) */

   /* Arrays, in the same piece of memory.  */
   LineSpan* spans;           /* n_spans, ascending; the first begins at 0 */
   Jump* jumps;               /* n_jumps, in the order of the superblock's exits */
   StaticEvent* events;       /* n_events, by instruction and run; all but Ir */
   Reference* references;     /* n_references, by instruction; `outcomes` counts from the
                                 start of a context's counters */
   PackedReference* accesses; /* the data among them, in the same order */
   UShort* run_ends;          /* n_runs: index one past the run's last instruction */
   UChar* sizes;              /* n_instructions: bytes of each */
} Block;

/* Upper limits for one superblock; VEX stays far below them.  */
#define BLOCK_MAX_INSTRUCTIONS 1024
#define BLOCK_MAX_JUMPS BLOCK_MAX_INSTRUCTIONS
#define BLOCK_MAX_RUNS (2 * BLOCK_MAX_INSTRUCTIONS)
#define BLOCK_MAX_EVENTS (4 * BLOCK_MAX_INSTRUCTIONS)
#define BLOCK_MAX_REFERENCES (4 * BLOCK_MAX_INSTRUCTIONS)

/* What instrumenting a superblock gathers before there is a record.  */
typedef struct {
   Function* function;
   Addr address;
   Addr file_address;
   UInt n_runs, n_instructions, n_spans, n_jumps, n_events, n_references, n_outcomes;
   LineSpan spans[BLOCK_MAX_INSTRUCTIONS];
   Jump jumps[BLOCK_MAX_JUMPS];
   StaticEvent events[BLOCK_MAX_EVENTS];
   Reference references[BLOCK_MAX_REFERENCES]; /* `outcomes` counts from the first's */
   UShort run_ends[BLOCK_MAX_RUNS];
   UChar sizes[BLOCK_MAX_INSTRUCTIONS];
} BlockShape;

/* From now on each block has room for a record of the caller's for each of its runs, of
   `size` bytes, a multiple of 8.  Without this call there is none.  */
void block_make_room(SizeT size);

/* The room for the record of one run.  They lie in front of the references, the first
   run's next to them: what is read when a superblock is entered is together.  */
void* block_room(const Block* block, UInt run);

/* How many counters it has.  */
static inline UInt block_n_counters(const Block* block)
{
   return block->n_runs + block->n_jumps + block->n_outcomes;
}

/* True if none of its counters, which are at `counts`, has counted.  */
static inline Bool block_is_idle(const Block* block, const ULong* counts)
{
   UInt n = block_n_counters(block);
   for (UInt i = 0; i < n; i++)
      if (counts[i] != 0)
         return False;
   return True;
}

/* The slot that tells how often jump number `jump` was followed.  */
static inline UInt block_jump_slot(const Block* block, UInt jump)
{
   return block->slot + block->n_runs + jump;
}

/* How many bytes of the guest's its instructions are.  */
static inline UInt block_length(const Block* block)
{
   UInt length = 0;
   for (UInt i = 0; i < block->n_instructions; i++)
      length += block->sizes[i];
   return length;
}

/* The index of the first instruction of a run.  */
static inline UInt block_run_begin(const Block* block, UInt run)
{
   return run == 0 ? 0 : block->run_ends[run - 1];
}

/*--------------------------------------------------------------------*/
/* For block.c                                                         */

/* A record of this shape with the key `key`, in no table and no list.  Its counters
   are at `slot`; there must be block_record_n_counters() of them.  Freed with
   VG_(free).  */
Block* block_record_make(Addr key, const BlockShape* shape, UInt slot);
UInt block_record_n_counters(const BlockShape* shape);

/* Is it a record of the same code?  */
Bool block_record_has_shape(const Block* block, const BlockShape* shape);

/* Of the same code: are the same references checked together?  */
Bool block_record_has_groups(const Block* block, const BlockShape* shape);

/* From now on they are.  No translation that was made for the old groups may run.  */
void block_record_take_groups(Block* block, const BlockShape* shape);

#endif
