/* SPDX-License-Identifier: GPL-2.0-or-later

   A superblock as the profile sees it: which guest instructions it holds, whose
   they are, and where its execution counters lie.

   Straight run: the instructions of a superblock from its start, or from behind
   a conditional exit, to the next exit.  All of a run executes or none of it,
   so one counter for a run tells how often each of its instructions ran.  A run
   without an instruction is the rest of one that can be left in its midst; it is
   there only if something is counted there.

   Jump (--collect-jumps=yes): an exit to elsewhere in the same function.  One counter
   tells how often it was followed; its instruction's run tells how often it might have
   been.

   Counters themselves belong to contexts (context.h): a superblock owns the
   slots from `slot` on in the counter array of every context of its function, first
   those of its runs, then those of its jumps, then those of its references
   (reference.h).

   A block's record outlives its translation.  When the same code is translated
   again, as after every STOP and START, the record is found and goes on
   counting; only when other code stands at that address is it retired.  */

#ifndef CALLGRIND_BLOCK_H
#define CALLGRIND_BLOCK_H

#include "guest/symbols.h"
#include "model/cost.h"
#include "model/reference.h"

#include "pub_tool_hashtable.h"

/* Instructions from `first` up to the next span's come from one source line.  */
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

/* What happens whenever an instruction is executed, up to an exit in its midst at
   least: `count` times the event with this index in each execution of `run`.  */
typedef struct {
   UShort instruction;
   UShort run;
   UChar event;
   UChar count;
} StaticEvent;

typedef struct Block {
   VgHashNode node; /* key: the guest address that was asked for (nraddr) */
   struct Block* next_of_function;
   Function* function;
   Addr address;      /* of the first instruction, after redirection */
   Addr file_address; /* the same, as the object's file numbers it */
   UInt slot;         /* of the first run's counter */
   UShort n_runs;
   UShort n_jumps;
   UShort n_instructions;
   UShort n_spans;
   UShort n_events;
   UShort n_references;
   UShort n_outcomes;  /* counters of its references */
   Bool is_translated; /* a translation that counts here exists */
   Bool is_warm;       /* to be translated for speed (cold_code.h): it runs often, or is
                          not the first code that was seen there */
   Bool is_ambiguous;  /* another translation of the same address exists, of other
                          code (a wrapped function): block_at() cannot tell */
   Bool has_cold_runs; /* the records of its runs are made (cold_code.h) */

   /* Arrays, in the same piece of memory as this.  */
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

/* What instrumenting a superblock gathers before its record is made.  */
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

void block_init(void);

/* From now on each block has room for a record of the caller's for each of its runs, of
   `size` bytes, a multiple of 8.  None if nobody asks.  */
void block_make_room(SizeT size);

/* The room for the record of one run.  They lie in front of the references, the first
   run's next to them: what is looked at when a superblock is entered is together.  */
void* block_room(const Block* block, UInt run);

/* The record for a superblock of this shape, asked for at guest address `key`:
   the one that an earlier translation of the same code left, or a new one.  If
   other code stood there before, its record is given back in *retired (otherwise
   NULL); the caller saves its counts and then calls block_free() on it.  */
Block* block_intern(Addr key, const BlockShape* shape, Block** retired);

/* How many counters it has.  */
static inline UInt block_n_counters(const Block* block)
{
   return block->n_runs + block->n_jumps + block->n_outcomes;
}

/* Which one tells how often jump number `jump` was followed.  */
static inline UInt block_jump_slot(const Block* block, UInt jump)
{
   return block->slot + block->n_runs + jump;
}

/* Releases a retired record and its slots, which must all be zero again.  */
void block_free(Block* block);

/* The core has thrown away the translation asked for at `key`.  False if none was
   known.  */
Bool block_translation_discarded(Addr key);

/* The record of the translation that runs at `key`; of the first, where there are
   several.  Fast.  NULL if there is none.  */
Block* block_at(Addr key);

/* The function of the code that was last seen at `key`, or NULL if none was.  */
Function* block_function_at(Addr key);

/* All blocks of a function, linked by next_of_function; order is arbitrary.  */
Block* block_first_of(const Function* function);

/* How many counter slots the blocks of a function use up to now.  */
UInt block_n_slots(const Function* function);

/* The index of the first instruction of a run.  */
static inline UInt block_run_begin(const Block* block, UInt run)
{
   return run == 0 ? 0 : block->run_ends[run - 1];
}

/* Adds what one execution of a run costs from its instruction number `from` on.  */
void block_add_run_cost(const Block* block, UInt run, UInt from, ULong* cost);

/* Adds the part of that which is code of one inlined function (NULL: of none).  */
void block_add_inlined_cost(const Block* block, UInt run, const Inlined* inlined,
                            ULong* cost);

/* A walk over the instructions of a block: where each lies, and what it cost.  */
typedef struct {
   const Block* block;
   UInt index;     /* of the instruction, once block_walk() has said that there is one */
   UInt run;       /* that holds it */
   UInt event;     /* the first static event behind it */
   UInt reference; /* the first reference behind it */
   Addr file_address;
   const LineSpan* span;
   Bool is_new_span; /* it is the first of its span */
} BlockWalk;

void block_walk_begin(BlockWalk* walk, const Block* block);

/* Adds what the reference cost beyond being made, if its superblock's counters stand as
   `counts` says.  */
void block_add_outcomes(const Block* block, const Reference* reference,
                        const ULong* counts, ULong* cost);

/* Goes on to the next instruction; False if there is none.  *cost is what it cost if
   the block's counters, one for each of block_n_counters(), stand as `counts` says.  */
Bool block_walk(BlockWalk* walk, const ULong* counts, ULong* cost);

/* How many superblocks are on record.  */
UInt block_count(void);

/* --ct-check: every record is in its function's list once, with disjoint
   slots.  Says what is wrong in the log.  */
Bool block_all_valid(void);

#endif
