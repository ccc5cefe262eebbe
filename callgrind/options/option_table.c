/* SPDX-License-Identifier: GPL-2.0-or-later

   The rows; see option_table.h.  */

#include "options/option_table.h"

#include "options/options.h"

/* Upper bounds of numbers.  */
#define MAX_RECURSION_LEVELS 1000
#define MAX_CALLERS 1000
#define MAX_GROUP 1000000
#define MAX_COLD_RUNS 1000000000
#define MAX_CACHE_SIZE 1000000
#define MAX_PARTS 1000000000
#define MAX_FUNCTIONS 1000000000
#define MAX_SHIFT 65536
#define MAX_SLASHES 1024
#define MAX_TIMELINE 1000000

/* The lists of words, each ended by a NULL.  */
enum {
   ChoicesInstrument,
   ChoicesOff,
   ChoicesDumpThreads,
   ChoicesSystime,
   ChoicesTailCalls,
   ChoicesCopiedStacks,
   ChoicesSkipJit,
   ChoicesCache,
   ChoicesLayout,
   ChoicesCheck,
   ChoicesGuestCpu,
   ChoicesModel,
   CHOICE_LISTS
};

#define MAX_CHOICES 8

static const Choice choice_lists[CHOICE_LISTS][MAX_CHOICES] = {
   [ChoicesInstrument] = {{"no", InstrumentNo},
                          {"yes", InstrumentYes},
                          {"inherit", InstrumentInherit}},
   [ChoicesDumpThreads] = {{"current", DumpThreadsCurrent}, {"all", DumpThreadsAll}},
   [ChoicesOff] = {{"translated", OffTranslated}, {"native", OffNative}},
   [ChoicesSystime] = {{"no", SystimeNo},
                       {"yes", SystimeMsec},
                       {"msec", SystimeMsec},
                       {"usec", SystimeUsec},
                       {"nsec", SystimeNsec}},
   [ChoicesTailCalls] = {{"nested", TailCallsNested}, {"flat", TailCallsFlat}},
   [ChoicesCopiedStacks] = {{"no", CopiedStacksNo},
                            {"yes", CopiedStacksYes},
                            {"auto", CopiedStacksAuto}},
   [ChoicesSkipJit] = {{"no", SkipJitNo},
                       {"yes", SkipJitYes},
                       {"caller", SkipJitAsCaller}},
   [ChoicesCache] = {{"cold", CacheCold}, {"keep", CacheKeep}},
   [ChoicesLayout] = {{"real", LayoutReal}, {"names", LayoutNames}},
   [ChoicesGuestCpu] = {{"host", GuestCpuHost},
                        {"x86-64-v2", GuestCpuV2},
                        {"x86-64-v3", GuestCpuV3},
                        {"x86-64-v4", GuestCpuV4}},
/* In the order of form_model().  */
#if defined(VGA_amd64)
   [ChoicesModel] = {{"haswell", 1},
                     {"skylake", 2},
                     {"icelake-server", 3},
                     {"sapphirerapids", 4},
                     {"graniterapids", 5},
                     {"znver3", 6},
                     {"znver4", 7}},
#elif defined(VGA_arm64)
   [ChoicesModel] = {{"neoverse-n1", 1}, {"neoverse-v1", 2}},
#endif
   [ChoicesCheck] = {{"no", CheckDumps}, {"yes", CheckSampled}, {"all", CheckAll}},
};

const Choice* option_choices(const OptionRow* row) { return choice_lists[row->min]; }

/* clang-format off */
static const OptionRow rows[] = {
   { "dump creation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--callgrind-out-file", OptionFileName, &options.out_file, 0, 0,
     "--callgrind-out-file=<f>  Output file name [callgrind.out.%p]" },
   { "--dump-line", OptionBool, &options.dump_line, 0, 0,
     "--dump-line=no|yes        Dump source lines of costs? [yes]" },
   { "--dump-instr", OptionBool, &options.dump_instr, 0, 0,
     "--dump-instr=no|yes       Dump instruction address of costs? [no]" },
   { "--dump-inlined", OptionBool, &options.dump_inlined, 0, 0,
     "--dump-inlined=no|yes     With --read-inline-info=yes: dump cfni=? [yes]" },
   { "--compress-strings", OptionBool, &options.compress_strings, 0, 0,
     "--compress-strings=no|yes Compress strings in profile dump? [yes]" },
   { "--compress-pos", OptionBool, &options.compress_positions, 0, 0,
     "--compress-pos=no|yes     Compress positions in profile dump? [yes]" },
   { "--combine-dumps", OptionBool, &options.combine_dumps, 0, 0,
     "--combine-dumps=no|yes    Concat all dumps into same file [no]" },

   { "--call-tree", OptionBool, &options.call_tree, 0, 0,
     "--call-tree=no|yes        Write the tree of all paths of calls, too [no]" },
   { "--call-tree-out-file", OptionFileName, &options.call_tree_out_file, 0, 0,
     "--call-tree-out-file=<f>  Its file name [callgrind.tree.%p]" },
   { "--call-tree-fold-recursion", OptionBool, &options.call_tree_fold_recursion, 0, 0,
     "--call-tree-fold-recursion=no|yes  Let a path go back to the function it was in\n"
     "                              before? [no]" },
   { "--call-tree-max-nodes", OptionCount, &options.call_tree_max_nodes, 0, 0,
     "--call-tree-max-nodes=<n> Prune the cheapest paths beyond so many [4000000,\n"
     "                              0=never]" },

   { "--timeline", OptionBool, &options.timeline, 0, 0,
     "--timeline=no|yes         Write when long calls began and ended, too [no]" },
   { "--timeline-out-file", OptionFileName, &options.timeline_out_file, 0, 0,
     "--timeline-out-file=<f>   Its file name [callgrind.timeline.%p]" },
   { "--timeline-min", OptionCount, &options.timeline_min, 0, 0,
     "--timeline-min=<n>        Keep calls that last so many instructions [0=1/50000 of\n"
     "                              what has run]" },
   { "--timeline-max", OptionNumber, &options.timeline_max, 1, MAX_TIMELINE,
     "--timeline-max=<n>        Keep no more than fits in so many MB [64]" },

   { "activity options:", OptionHeading, NULL, 0, 0, NULL },
   { "--dump-every-bb", OptionCount, &options.dump_every_bb, 0, 0,
     "--dump-every-bb=<count>   Dump every <count> basic blocks [0=never]" },
   { "--dump-before", OptionList, &options.dump_before, 0, 0,
     "--dump-before=<func>      Dump when entering function" },
   { "--zero-before", OptionList, &options.zero_before, 0, 0,
     "--zero-before=<func>      Zero all costs when entering function" },
   { "--dump-after", OptionList, &options.dump_after, 0, 0,
     "--dump-after=<func>       Dump when leaving function" },

   { "data collection options:", OptionHeading, NULL, 0, 0, NULL },
   { "--instr-atstart", OptionChoice, &options.instrument_at_start, ChoicesInstrument, 0,
     "--instr-atstart=no|yes|inherit  Do instrumentation at callgrind start [yes]" },
   { "--off", OptionChoice, &options.off, ChoicesOff, 0,
     "--off=translated|native   How does code run while instrumentation is off?\n"
     "                          [translated]" },
   { "--collect-atstart", OptionBool, &options.collect_at_start, 0, 0,
     "--collect-atstart=no|yes  Collect at process/thread start [yes]" },
   { "--toggle-collect", OptionList, &options.toggle_collect, 0, 0,
     "--toggle-collect=<func>   Toggle collection on enter/leave function" },
   { "--collect-jumps", OptionBool, &options.collect_jumps, 0, 0,
     "--collect-jumps=no|yes    Collect jumps? [no]" },
   { "--collect-bus", OptionBool, &options.collect_bus, 0, 0,
     "--collect-bus=no|yes      Collect global bus events? [no]" },
   { "--collect-systime", OptionChoice, &options.collect_systime, ChoicesSystime, 0,
     "--collect-systime=no|yes|msec|usec|nsec  Collect system call time info? [no]\n"
     "        no         Do not collect system call time info.\n"
     "        msec|yes   Collect syscount, syscall elapsed time (milli-seconds).\n"
     "        usec       Collect syscount, syscall elapsed time (micro-seconds).\n"
     "        nsec       Collect syscount, syscall elapsed and syscall cpu time "
     "(nano-seconds)." },
   { "--collect-alloc", OptionBool, &options.collect_alloc, 0, 0,
     "--collect-alloc=no|yes    Count allocations of memory? [no]" },
   { "--alloc-fn", OptionAllocator, &options.alloc_functions, 0, 0,
     "--alloc-fn=<func:args>    Function allocates or frees, as its arguments say:\n"
     "                          f:size=1, f:count=1,size=2, f:size=2,out=1, f:free=1,\n"
     "                          f:free=1,size=2. Or python|ruby|ocaml|go|mmap: theirs" },

   { "cost entity separation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--separate-threads", OptionBool, &options.separate_threads, 0, 0,
     "--separate-threads=no|yes Separate data per thread [no]" },
   { "--dump-threads", OptionChoice, &options.dump_threads, ChoicesDumpThreads, 0,
     "--dump-threads=current|all  With --separate-threads: of which threads is a dump\n"
     "                          that the program asks for? [current; all with\n"
     "                          --instr-atstart=inherit]" },
   { "--separate-callers", OptionNumber, &options.separate_callers, 0, MAX_CALLERS,
     "--separate-callers=<n>    Separate functions by call chain length [0]" },
   { "--separate-callers", OptionNumbered, &options.separate_callers_of, 0, MAX_CALLERS,
     "--separate-callers<n>=<f> Separate <n> callers for function <f>" },
   { "--separate-recs", OptionNumber, &options.separate_recursions, 1,
     MAX_RECURSION_LEVELS,
     "--separate-recs=<n>       Separate function recursions up to level [2]" },
   { "--separate-recs", OptionNumbered, &options.separate_recursions_of, 1,
     MAX_RECURSION_LEVELS,
     "--separate-recs<n>=<f>    Separate <n> recursions for function <f>" },
   { "--skip-plt", OptionBool, &options.skip_plt, 0, 0,
     "--skip-plt=no|yes         Ignore calls to/from PLT sections? [yes]" },
   { "--skip-direct-rec", OptionBool, &options.skip_direct_recursion, 0, 0,
     "--skip-direct-rec=no|yes  Ignore direct recursions? [no]" },
   { "--tail-calls", OptionChoice, &options.tail_calls, ChoicesTailCalls, 0,
     "--tail-calls=nested|flat  Who calls what a function jumps to? flat: its caller\n"
     "                          [nested]" },
   { "--copied-stacks", OptionChoice, &options.copied_stacks, ChoicesCopiedStacks, 0,
     "--copied-stacks=no|yes|auto  Coroutines copy their frames in one place?\n"
     "                          auto: with Python's greenlet [auto]" },
   { "--fn-group", OptionNumbered, &options.function_groups, 1, MAX_GROUP,
     "--fn-group<no>=<func>     Put function into separation group <no>" },
   { "--fn-skip", OptionList, &options.fn_skip, 0, 0,
     "--fn-skip=<function>      Ignore calls to/from function?" },
   { "--obj-skip", OptionList, &options.obj_skip, 0, 0,
     "--obj-skip=<path>         Fold the functions of an object into their callers" },
   { "--skip-jit", OptionChoice, &options.skip_jit, ChoicesSkipJit, 0,
     "--skip-jit=no|yes|caller  Fold JIT code without a name into its callers?\n"
     "                          caller: into callers that are folded [caller]" },

   { "options for repeated runs:", OptionHeading, NULL, 0, 0, NULL },
   { "--translation-cache", OptionCacheFolder, &options.translation_cache, 0, 0,
     "--translation-cache=no|yes|<dir>  Keep translations from run to run? yes: in\n"
     "                          $XDG_CACHE_HOME/callgrind-exact/translations [no]" },
   { "--translation-cache-size", OptionNumber, &options.translation_cache_size, 1,
     MAX_CACHE_SIZE,
     "--translation-cache-size=<n>  MB that they may take [1024]" },

   { "options for what the program sees of the machine:", OptionHeading, NULL, 0, 0,
     NULL },
   { "--steady", OptionBool, &options.steady, 0, 0,
     "--steady=no|yes           Show the program the same machine everywhere? [no]" },
   { "--guest-cpu", OptionChoice, &options.guest_cpu, ChoicesGuestCpu, 0,
     "--guest-cpu=host|x86-64-v2|x86-64-v3|x86-64-v4  The processor that the program\n"
     "                          sees [host; x86-64-v3 with --steady=yes]" },
   { "--steady-shift", OptionNumber, &options.steady_shift, 0, MAX_SHIFT,
     "--steady-shift=<n>        With --steady=yes: begin the stack <n> bytes lower [0]" },
   { "--steady-folder", OptionNumber, &options.steady_folder, 0, MAX_SLASHES,
     "--steady-folder=<n>       With --steady=yes: the program's name of its working\n"
     "                          folder has <n> slashes more [0]" },
   { "--steady-clock", OptionBool, &options.steady_clock, 0, 0,
     "--steady-clock=no|yes     With --steady=yes: tell the program a time that goes by\n"
     "                          what it executes? [yes]" },
   { "--steady-env", OptionText, &options.steady_environment, 0, 0,
     "--steady-env=<names>      With --steady=yes: the variables that the program sees,\n"
     "                          between commas, with wildcards [*]" },

   { "simulation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--branch-sim", OptionBool, &options.branch_sim, 0, 0,
     "--branch-sim=no|yes       Do branch prediction simulation [no]" },
   { "--cache-sim", OptionBool, &options.cache_sim, 0, 0,
     "--cache-sim=no|yes        Do cache simulation [no]" },
   { "--cycle-estimation", OptionBool, &options.cycle_estimation, 0, 0,
     "--cycle-estimation=no|yes Count what instructions cost by themselves? [no]" },
   { "--cycle-model", OptionChoice, &options.cycle_model, ChoicesModel, 0,
#if defined(VGA_arm64)
     "--cycle-model=neoverse-n1|neoverse-v1  Count the cycles that the code takes on a\n"
     "                              processor" },
#else
     "--cycle-model=haswell|skylake|icelake-server|sapphirerapids|graniterapids|"
     "znver3|znver4\n"
     "                          Count the cycles that the code takes on a processor" },
#endif

   { "--layout", OptionChoice, &options.layout, ChoicesLayout, 0,
     "--layout=real|names       Where code is for simulated caches and branches: at its\n"
     "                          addresses, or where its names say? [real]" },

   { "cache simulator options (does cache simulation if used):", OptionHeading, NULL,
     0, 0, NULL },
   { "--simulate-wb", OptionBool, &options.simulate_write_back, 0, 0,
     "--simulate-wb=no|yes      Count write-back events [no]" },
   { "--simulate-hwpref", OptionBool, &options.simulate_prefetch, 0, 0,
     "--simulate-hwpref=no|yes  Simulate hardware prefetch [no]" },
   { "--cacheuse", OptionBool, &options.cacheuse, 0, 0,
     "--cacheuse=no|yes         Collect cache block use [no]" },
   { "--I1", OptionCache, &options.caches[CacheI1], 0, 0,
     "--I1=<size>,<assoc>,<line_size>  set I1 cache manually" },
   { "--D1", OptionCache, &options.caches[CacheD1], 0, 0,
     "--D1=<size>,<assoc>,<line_size>  set D1 cache manually" },
   { "--LL", OptionCache, &options.caches[CacheLL], 0, 0,
     "--LL=<size>,<assoc>,<line_size>  set LL cache manually" },
   { "--L2", OptionCache, &options.caches[CacheLL], 0, 0, NULL },
   { "--cache-at-start", OptionChoice, &options.cache_at_start, ChoicesCache, 0,
     "--cache-at-start=cold|keep  Caches when instrumentation is switched on [cold]" },
};

static const HChar* const refused_names[] = {
   "--dump-bb", "--dump-bbs", "--mangle-names", "--simulate-sectors",
};

/* Debug output, and help in telling returns from jumps.  */
static const HChar* const ignored_names[] = {
   "--ct-verbose", "--ct-vstart", "--pop-on-jump",
};
/* clang-format on */

static const OptionRow debug_rows[] = {
   {"--ct-check", OptionChoice, &options.check, ChoicesCheck, 0,
    "--ct-check=no|yes|all     Verify the shadow stack at some calls, or at all [no]"},
   {"--ct-cold-runs", OptionNumber, &options.cold_runs, 0, MAX_COLD_RUNS,
    "--ct-cold-runs=<n>        With --cache-sim=yes: how often a superblock is run\n"
    "                          before it is translated for speed [4096]"},
   {"--ct-keep-translations", OptionBool, &options.keep_translations, 0, 0,
    "--ct-keep-translations=no|yes  Use translations of an earlier START again [yes]"},
   {"--ct-inherited-instr", OptionBool, &options.inherited_instrumentation, 0, 0,
    "--ct-inherited-instr=no|yes  The parent's state, for --instr-atstart=inherit [no]"},
   {"--ct-parts-before", OptionNumber, &options.parts_before, 0, MAX_PARTS,
    "--ct-parts-before=<n>     Parts that this process wrote before its exec [0]"},
   {"--ct-combined-before", OptionText, &options.combined_before, 0, 0,
    "--ct-combined-before=<f>  Where it did, with --combine-dumps=yes"},
   {"--ct-tree-before", OptionText, &options.tree_before, 0, 0,
    "--ct-tree-before=<f>      Where its call trees are"},
   {"--ct-timelines-before", OptionNumber, &options.timelines_before, 0, MAX_PARTS,
    "--ct-timelines-before=<n>  Timelines that it wrote [0]"},
   {"--ct-forked", OptionBool, &options.is_forked, 0, 0,
    "--ct-forked=no|yes        It was forked by another process of the run [no]"},
   {"--ct-max-functions", OptionNumber, &options.max_functions, 1, MAX_FUNCTIONS, NULL},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const OptionTable option_table = {rows, LENGTH(rows)};
const OptionTable option_debug_table = {debug_rows, LENGTH(debug_rows)};
const OptionNames option_refused_names = {refused_names, LENGTH(refused_names)};
const OptionNames option_ignored_names = {ignored_names, LENGTH(ignored_names)};
