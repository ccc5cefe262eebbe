/* SPDX-License-Identifier: GPL-2.0-or-later

   The values of the tool's options.  The command line sets them (command_line.h); they
   are constant once the program runs, except for names of files in a forked child.  */

#ifndef CALLGRIND_OPTIONS_H
#define CALLGRIND_OPTIONS_H

#include "core_version.h"
#include "pub_tool_xarray.h"
#include "sim/geometry.h"

/* --instr-atstart.  InstrumentInherit: a program that a profiled process executes starts
   in the state that the process was in; any other starts switched off.  */
typedef enum { InstrumentNo, InstrumentYes, InstrumentInherit } InstrumentAtStart;

/* --collect-systime: the unit of system call times.  */
typedef enum { SystimeNo, SystimeMsec, SystimeUsec, SystimeNsec } Systime;

/* --off: how code runs while instrumentation is off.  */
typedef enum { OffTranslated, OffNative } Off;

/* --cache-at-start: what the caches hold when instrumentation is switched on.  */
typedef enum { CacheCold, CacheKeep } CacheAtStart;

/* --layout: where the simulated machine takes code to be (layout/code_layout.h).  */
typedef enum { LayoutReal, LayoutNames } Layout;

/* --skip-jit: when JIT code without a name is skipped.  */
typedef enum {
   SkipJitNo,
   SkipJitYes,
   SkipJitAsCaller, /* when skipped code enters it */
} SkipJit;

/* --tail-calls: whose call a jump to another function is.  */
typedef enum {
   TailCallsNested, /* that of the function that jumps */
   TailCallsFlat    /* that of its caller, as on the native stack */
} TailCalls;

/* Are coroutines' frames copied out of one place and back (stack/switching/copies.h)?  */
typedef enum {
   CopiedStacksNo,
   CopiedStacksYes,
   CopiedStacksAuto, /* once an object is there that is known to do so */
} CopiedStacks;

/* --guest-cpu: the processor that the guest sees; a later one has all that the ones
   before have.  */
/* --dump-threads: of which threads the program's own dumps are, where each has a profile
   of its own.  */
typedef enum { DumpThreadsCurrent, DumpThreadsAll, DumpThreadsUnsaid } DumpThreads;

typedef enum {
   GuestCpuHost,
   GuestCpuV2,
   GuestCpuV3,
   GuestCpuV4,
   GuestCpuUnsaid
} GuestCpu;

/* --ct-check: which transitions are verified.  */
typedef enum {
   CheckDumps,   /* none; at dumps errors are only told */
   CheckSampled, /* a share */
   CheckAll
} Check;

/* The simulated caches, in the order in which profiles name them.  */
enum { CacheI1, CacheD1, CacheLL, CACHES };

typedef struct {
   /* What a written profile looks like, and where it goes.  */
   const HChar* out_file; /* unexpanded: %p and %q{VAR} still in it */
   Bool dump_line;
   Bool dump_instr;
   Bool dump_inlined; /* names of inlined functions, as far as they are known */
   Bool compress_strings;
   Bool compress_positions;
   Bool combine_dumps;
   Bool call_tree;                  /* write the call tree, too */
   const HChar* call_tree_out_file; /* unexpanded, as out_file */
   Bool call_tree_fold_recursion;   /* a path goes back to the function it was in */
   ULong call_tree_max_nodes;       /* 0: as many as there are */
   Bool timeline;                   /* write when long calls began and ended, too */
   const HChar* timeline_out_file;  /* unexpanded, as out_file */
   ULong timeline_min;              /* instructions that a call has to last; 0: adapted */
   UInt timeline_max;               /* MB that it may take */

   /* When parts are written, or costs set to zero, without a request.  */
   ULong dump_every_bb; /* superblocks; 0: never */
   XArray* dump_before; /* of functions: see patterns.h, as of all such arrays */
   XArray* dump_after;
   XArray* zero_before;

   /* When costs are counted.  */
   Bool collect_at_start;
   XArray* toggle_collect;         /* of functions */
   UInt instrument_at_start;       /* InstrumentAtStart */
   UInt off;                       /* Off */
   Bool inherited_instrumentation; /* for InstrumentInherit: the state of the process that
                                      executed this program */

   /* What programs that ran in this process before have written, and what it is.  */
   UInt parts_before;
   const HChar* combined_before; /* their file, with --combine-dumps; or NULL */
   const HChar* tree_before;     /* the file of their call trees; or NULL */
   UInt timelines_before;        /* how many timelines */
   Bool is_forked;               /* the process was forked by another one of the run */

   /* What is counted besides instructions.  */
   Bool collect_jumps;
   Bool collect_bus;
   Bool branch_sim;
   Bool cache_sim;
   Bool simulate_write_back;     /* count cache lines that are written back */
   Bool simulate_prefetch;       /* fill the last level ahead of regular accesses */
   Bool cacheuse;                /* count how well cache lines are used */
   CacheGeometry caches[CACHES]; /* size 0: not given */
   UInt cache_at_start;          /* CacheAtStart */
   UInt layout;                  /* Layout */
   UInt collect_systime;         /* Systime */
   Bool collect_alloc;           /* allocations of memory */
   XArray* alloc_functions;      /* functions that allocate: see allocators.h */
   Bool cycle_estimation;        /* what instructions cost by themselves */
   UInt cycle_model; /* and together: 1 + the number of a processor's model; 0: not */

   /* How costs are told apart.  */
   UInt separate_recursions;       /* levels, at least 1 */
   UInt separate_callers;          /* callers in a context's name */
   UInt max_separate_callers;      /* of any function */
   XArray* separate_recursions_of; /* of functions, with numbers */
   XArray* separate_callers_of;    /* likewise */
   XArray* function_groups;        /* likewise */
   Bool separate_threads;
   UInt dump_threads; /* DumpThreads; not DumpThreadsUnsaid once finished */
   Bool skip_plt;
   UInt skip_jit;    /* SkipJit */
   XArray* obj_skip; /* of paths of objects */
   XArray* fn_skip;  /* of functions */
   Bool skip_direct_recursion;
   UInt tail_calls;    /* TailCalls */
   UInt copied_stacks; /* CopiedStacks */

   /* Translations are stored for later runs (translation_cache/).  */
   const HChar* translation_cache; /* "no", "yes" or a folder; never NULL when read */
   UInt translation_cache_size;    /* MB in that folder */

   /* For those who work on the tool itself.  */
   UInt check;             /* Check */
   Bool keep_translations; /* from START to START (translations/kept_translations.h) */
   UInt cold_runs;     /* executions of a superblock before it is translated for speed */
   UInt max_functions; /* beyond this many, all others are counted as one */

   /* What the program sees of the machine that it runs on.  */
   Bool steady;        /* the same everywhere */
   UInt guest_cpu;     /* GuestCpu; not GuestCpuUnsaid once finished */
   UInt steady_shift;  /* the stack begins so many bytes further down */
   Bool steady_clock;  /* time goes by what is executed */
   UInt steady_folder; /* the working folder's name is so many bytes longer */
   const HChar* steady_environment; /* patterns between commas; NULL: all variables */
} Options;

/* Starts with the default values.  */
extern Options options;

/* What out_file and the others point to if the user does not name a file.  */
extern const HChar options_out_file[];
extern const HChar options_call_tree_out_file[];
extern const HChar options_timeline_out_file[];

/* Works out what options imply for each other.  To be called once, after the whole
   command line has been read.  */
void options_finish(void);

#endif
