/* SPDX-License-Identifier: GPL-2.0-or-later

   The tool's command line: every option that callgrind takes, its value, and
   the texts of --help.  Read-only for everybody else once the program runs.  */

#ifndef CALLGRIND_OPTIONS_H
#define CALLGRIND_OPTIONS_H

#include "core_version.h"
#include "pub_tool_xarray.h"
#include "sim/geometry.h"

/* --instr-atstart.  A child that inherits starts in the state that its parent was in
   when it executed it; a process without such a parent starts switched off.  */
typedef enum { InstrumentNo, InstrumentYes, InstrumentInherit } InstrumentAtStart;

/* --collect-systime: the unit of system call times.  */
typedef enum { SystimeNo, SystimeMsec, SystimeUsec, SystimeNsec } Systime;

/* --cache-at-start: what the caches hold when instrumentation is switched on.  */
typedef enum { CacheCold, CacheKeep } CacheAtStart;

/* The simulated caches, in the order in which profiles name them.  */
enum { CacheI1, CacheD1, CacheLL, CACHES };

/* A number for the functions that match, as in --separate-callers3=f.  */
typedef struct {
   UInt number;
   const HChar* pattern;
} NumberedPattern;

typedef struct {
   /* What a written profile looks like, and where it goes.  */
   const HChar* out_file; /* unexpanded: %p and %q{VAR} still in it */
   Bool dump_line;
   Bool dump_instr;
   Bool compress_strings;
   Bool compress_positions;
   Bool combine_dumps;
   Bool call_tree;                  /* a file with all paths of calls besides */
   const HChar* call_tree_out_file; /* unexpanded, as out_file */
   Bool call_tree_fold_recursion;   /* a path goes back to the function it was in */
   ULong call_tree_max_nodes;       /* 0: as many as there are */

   /* When parts are written, or costs set to zero, unasked by the program.  */
   ULong dump_every_bb; /* superblocks; 0: never */
   XArray* dump_before; /* of const HChar*: function patterns; NULL if none */
   XArray* dump_after;  /* likewise */
   XArray* zero_before; /* likewise */

   /* When costs are counted.  */
   UInt instrument_at_start;       /* InstrumentAtStart */
   Bool inherited_instrumentation; /* the state of the process that executed this
                                      one: for InstrumentInherit */
   UInt parts_before;            /* written by programs that ran in this process before */
   const HChar* combined_before; /* where they did so, with --combine-dumps; or NULL */
   const HChar* tree_before;     /* where their call trees are; or NULL */
   Bool collect_at_start;
   Bool collect_jumps;
   XArray* toggle_collect; /* of const HChar*: function patterns; NULL if none */

   /* What is counted besides instructions.  */
   Bool collect_bus;
   Bool branch_sim;
   Bool cache_sim;
   Bool simulate_write_back;     /* changed lines that are written back are counted */
   Bool simulate_prefetch;       /* the last level is filled ahead of regular accesses */
   Bool cacheuse;                /* how well lines are used while they are cached */
   CacheGeometry caches[CACHES]; /* size 0: not given */
   UInt cache_at_start;          /* CacheAtStart */
   UInt collect_systime;         /* Systime */

   /* How costs are told apart.  */
   UInt separate_recursions;       /* levels, at least 1 */
   UInt separate_callers;          /* callers in a context's name */
   UInt max_separate_callers;      /* of any function */
   XArray* separate_recursions_of; /* of NumberedPattern; NULL if none */
   XArray* separate_callers_of;    /* the same */
   XArray* function_groups;        /* the same */
   Bool separate_threads;
   Bool skip_plt;
   XArray* obj_skip; /* of const HChar*: object paths, with wildcards; NULL if none */
   XArray* fn_skip;  /* of const HChar*: function patterns; NULL if none */
   Bool skip_direct_recursion;

   /* For those who work on the tool itself.  */
   Bool check;     /* verify every data structure at every transition */
   UInt cold_runs; /* how often a superblock is run before it is translated for speed */
} Options;

/* Filled in while the core parses the command line; constant afterwards.  */
extern Options options;

/* Takes one command line argument.  True if it is an option of this tool.  A
   bad value, and an option of callgrind that this version does not have, ends
   the run with a message that names the option.  */
Bool options_process(const HChar* argument);

/* Print the parts of --help and --help-debug that are about this tool.  */
void options_print_usage(void);
void options_print_debug_usage(void);

/* Settles what options imply for each other.  To be called once, after the
   whole command line is read.  */
void options_finish(void);

/* True if `name` matches one of `patterns` (an XArray of const HChar*, or NULL),
   in which * stands for any text and ? for any character.  */
Bool options_match(const XArray* patterns, const HChar* name);

/* The number of the last of `patterns` (an XArray of NumberedPattern, or NULL) that
   `name` matches; `otherwise` if it matches none.  */
UInt options_number(const XArray* patterns, const HChar* name, UInt otherwise);

#endif
