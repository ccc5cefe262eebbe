/* SPDX-License-Identifier: GPL-2.0-or-later

   The command line: one table, one struct.

   Each row of the table names an option, says what kind of value it takes and
   where that goes, and carries its line of --help.  An option is parsed,
   refused and explained from its row alone, so that the three cannot
   disagree.  */

#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_seqmatch.h"

Options options = {
   .out_file = "callgrind.out.%p",
   .call_tree_out_file = "callgrind.tree.%p",
   .call_tree_max_nodes = 4000000,
   .dump_line = True,
   .compress_strings = True,
   .compress_positions = True,
   .instrument_at_start = InstrumentYes,
   .collect_at_start = True,
   .separate_recursions = 2,
   .skip_plt = True,
   .cold_runs = 4096,
};

typedef enum {
   OptionBool,     /* --name=yes|no */
   OptionNumber,   /* --name=<n>, within bounds */
   OptionCount,    /* --name=<n>, any that fits into 64 bits */
   OptionChoice,   /* --name=<word>, one of choice_lists[min] */
   OptionFileName, /* --name=<text>, not empty, with %p and %q{VAR} */
   OptionText,     /* --name=<text>, not empty */
   OptionList,     /* --name=<text>, may be given many times */
   OptionNumbered, /* --name<n>=<text>, may be given many times */
   OptionCache,    /* --name=<size>,<ways>,<line size> */
   OptionNotYet,   /* --name=no: what it would ask for is not available */
   OptionHeading   /* no option: a line of --help between groups */
} OptionKind;

typedef struct {
   const HChar* name;
   OptionKind kind;
   void* target;      /* Bool*, UInt*, ULong*, const HChar**, XArray** or CacheGeometry*,
                         by kind */
   UInt min, max;     /* bounds of a number; min: index of a choice's list */
   const HChar* help; /* NULL: not shown */
} OptionRow;

#define MAX_RECURSION_LEVELS 1000
#define MAX_CALLERS 1000
#define MAX_GROUP 1000000
#define MAX_COLD_RUNS 1000000000
#define MAX_PARTS 1000000000

/* The words that an option takes, and what each means.  */
typedef struct {
   const HChar* word;
   UInt value;
} Choice;

enum { ChoicesInstrument, ChoicesSystime, ChoicesCache, CHOICE_LISTS };

#define MAX_CHOICES 8

static const Choice choice_lists[CHOICE_LISTS][MAX_CHOICES] = {
   [ChoicesInstrument] = {{"no", InstrumentNo},
                          {"yes", InstrumentYes},
                          {"inherit", InstrumentInherit}},
   [ChoicesSystime] = {{"no", SystimeNo},
                       {"yes", SystimeMsec},
                       {"msec", SystimeMsec},
                       {"usec", SystimeUsec},
                       {"nsec", SystimeNsec}},
   [ChoicesCache] = {{"cold", CacheCold}, {"keep", CacheKeep}},
};

/* clang-format off */
static const OptionRow option_rows[] = {
   { "dump creation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--callgrind-out-file", OptionFileName, &options.out_file, 0, 0,
     "--callgrind-out-file=<f>  Output file name [callgrind.out.%p]" },
   { "--dump-line", OptionBool, &options.dump_line, 0, 0,
     "--dump-line=no|yes        Dump source lines of costs? [yes]" },
   { "--dump-instr", OptionBool, &options.dump_instr, 0, 0,
     "--dump-instr=no|yes       Dump instruction address of costs? [no]" },
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
   { "--instr-atstart", OptionChoice, &options.instrument_at_start,
     ChoicesInstrument, 0,
     "--instr-atstart=no|yes|inherit  Do instrumentation at callgrind start [yes]" },
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

   { "cost entity separation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--separate-threads", OptionBool, &options.separate_threads, 0, 0,
     "--separate-threads=no|yes Separate data per thread [no]" },
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
   { "--fn-group", OptionNumbered, &options.function_groups, 1, MAX_GROUP,
     "--fn-group<no>=<func>     Put function into separation group <no>" },
   { "--fn-skip", OptionList, &options.fn_skip, 0, 0,
     "--fn-skip=<function>      Ignore calls to/from function?" },
   { "--obj-skip", OptionList, &options.obj_skip, 0, 0,
     "--obj-skip=<path>         Fold the functions of an object into their callers" },

   { "simulation options:", OptionHeading, NULL, 0, 0, NULL },
   { "--branch-sim", OptionBool, &options.branch_sim, 0, 0,
     "--branch-sim=no|yes       Do branch prediction simulation [no]" },
   { "--cache-sim", OptionBool, &options.cache_sim, 0, 0,
     "--cache-sim=no|yes        Do cache simulation [no]" },
   { "--cycle-estimation", OptionNotYet, NULL, 0, 0,
     "--cycle-estimation=no|yes Estimate cycles? Not available yet [no]" },

   { "cache simulator options (does cache simulation if used):", OptionHeading, NULL, 0, 0,
     NULL },
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

/* The command line of callgrind that this version does not take yet.  Naming
   them lets a user see at once that it is not a misspelling.  */
static const HChar* const refused_names[] = {
   "--dump-bb", "--dump-bbs", "--mangle-names", "--collect-alloc",
   "--simulate-sectors",
};

/* What stock callgrind's command line may hold and what changes no profile of ours: its own
   debug output, and help in telling returns from jumps.  */
static const HChar* const ignored_names[] = {
   "--ct-verbose", "--ct-vstart", "--pop-on-jump",
};
/* clang-format on */

/* For those who work on the tool, and for the tool itself: what a process tells the
   programs that it executes.  */
static const OptionRow debug_rows[] = {
   {"--ct-check", OptionBool, &options.check, 0, 0,
    "--ct-check=no|yes         Verify all data structures at every call [no]"},
   {"--ct-cold-runs", OptionNumber, &options.cold_runs, 0, MAX_COLD_RUNS,
    "--ct-cold-runs=<n>        With --cache-sim=yes: how often a superblock is run\n"
    "                          before it is translated for speed [4096]"},
   {"--ct-inherited-instr", OptionBool, &options.inherited_instrumentation, 0, 0,
    "--ct-inherited-instr=no|yes  The parent's state, for --instr-atstart=inherit [no]"},
   {"--ct-parts-before", OptionNumber, &options.parts_before, 0, MAX_PARTS,
    "--ct-parts-before=<n>     Parts that this process wrote before its exec [0]"},
   {"--ct-combined-before", OptionText, &options.combined_before, 0, 0,
    "--ct-combined-before=<f>  Where it did, with --combine-dumps=yes"},
   {"--ct-tree-before", OptionText, &options.tree_before, 0, 0,
    "--ct-tree-before=<f>      Where its call trees are"},
};

#define N_DEBUG_ROWS (sizeof debug_rows / sizeof debug_rows[0])
#define N_ROWS (sizeof option_rows / sizeof option_rows[0])
#define N_REFUSED (sizeof refused_names / sizeof refused_names[0])
#define N_IGNORED (sizeof ignored_names / sizeof ignored_names[0])

/* The text behind "name=" if `argument` is that option, otherwise NULL.  */
static const HChar* value_of(const HChar* argument, const HChar* name)
{
   SizeT length = VG_(strlen)(name);
   if (VG_(strncmp)(argument, name, length) != 0 || argument[length] != '=')
      return NULL;
   return argument + length + 1;
}

static void take_bool(const OptionRow* row, const HChar* argument, const HChar* value)
{
   if (VG_(strcmp)(value, "yes") == 0)
      *(Bool*)row->target = True;
   else if (VG_(strcmp)(value, "no") == 0)
      *(Bool*)row->target = False;
   else
      VG_(fmsg_bad_option)(
         argument, "Invalid boolean value '%s' (should be 'yes' or 'no')\n", value);
}

static void take_no(const HChar* argument, const HChar* value)
{
   if (VG_(strcmp)(value, "no") != 0)
      VG_(fmsg_bad_option)(
         argument,
         "This is not available in callgrind-exact yet: leave the option out.\n");
}

static void take_choice(const OptionRow* row, const HChar* argument, const HChar* value)
{
   const Choice* choices = choice_lists[row->min];
   HChar expected[128] = "";
   UInt n = 0;
   while (n < MAX_CHOICES && choices[n].word != NULL)
      n++;
   for (UInt i = 0; i < n; i++) {
      if (VG_(strcmp)(value, choices[i].word) == 0) {
         *(UInt*)row->target = choices[i].value;
         return;
      }
      SizeT length = VG_(strlen)(expected);
      VG_(snprintf)(expected + length, (Int)(sizeof expected - length), "%s'%s'",
                    i == 0       ? ""
                    : i + 1 == n ? " or "
                                 : ", ",
                    choices[i].word);
   }
   VG_(fmsg_bad_option)(argument, "Invalid value '%s' (should be %s)\n", value, expected);
}

/* Reads the digits that `text` begins with, and returns what is behind them.  A number that
   does not fit into 64 bits is not `fits`, and the largest that does.  */
static const HChar* read_digits(const HChar* text, ULong* number, Bool* fits)
{
   *number = 0;
   *fits = True;
   for (; VG_(isdigit)(*text); text++) {
      const ULong digit = (ULong)(*text - '0');
      *fits = *fits && *number <= (~0ULL - digit) / 10;
      *number = *fits ? *number * 10 + digit : ~0ULL;
   }
   return text;
}

static void take_number(const OptionRow* row, const HChar* argument, const HChar* value)
{
   const HChar* digits = value[0] == '-' || value[0] == '+' ? value + 1 : value;
   ULong number;
   Bool fits;
   const HChar* end = read_digits(digits, &number, &fits);
   if (end == digits || *end != '\0')
      VG_(fmsg_bad_option)(argument, "Invalid integer value '%s'\n", value);
   else if (value[0] == '-' || number < row->min || number > row->max)
      VG_(fmsg_bad_option)(argument, "'%s' argument must be between %u and %u\n",
                           row->name, row->min, row->max);
   else
      *(UInt*)row->target = (UInt)number;
}

static void take_count(const OptionRow* row, const HChar* argument, const HChar* value)
{
   ULong number;
   Bool fits;
   const HChar* end = read_digits(value, &number, &fits);
   if (end == value || *end != '\0' || !fits)
      VG_(fmsg_bad_option)(
         argument, "Invalid value '%s' (should be a number from 0 to 2^64 - 1)\n", value);
   *(ULong*)row->target = number;
}

static void add_to_list(XArray** list, SizeT size, const void* entry)
{
   if (*list == NULL)
      *list = VG_(newXA)(VG_(malloc), "options.list", VG_(free), (Word)size);
   VG_(addToXA)(*list, entry);
}

static void take_text(const OptionRow* row, const HChar* argument, const HChar* value)
{
   if (value[0] == '\0')
      VG_(fmsg_bad_option)(argument, "a value is missing behind '='\n");
   else if (row->kind == OptionText)
      *(const HChar**)row->target = value;
   else if (row->kind == OptionFileName) {
      /* A name that cannot be expanded ends the run here, not when all is measured.  */
      VG_(free)(VG_(expand_file_name)(row->name, value));
      *(const HChar**)row->target = value;
   } else {
      add_to_list(row->target, sizeof(HChar*), &value);
   }
}

/* Takes --name<n>=<text>; False if `argument` is another option.  */
static Bool take_numbered(const OptionRow* row, const HChar* argument)
{
   SizeT length = VG_(strlen)(row->name);
   if (VG_(strncmp)(argument, row->name, length) != 0 || !VG_(isdigit)(argument[length]))
      return False;
   ULong number;
   Bool fits;
   const HChar* end = read_digits(argument + length, &number, &fits);
   if (*end != '=')
      return False;
   if (number < row->min || number > row->max)
      VG_(fmsg_bad_option)(argument, "'%s<n>=' number must be between %u and %u\n",
                           row->name, row->min, row->max);
   if (end[1] == '\0')
      VG_(fmsg_bad_option)(argument, "a value is missing behind '='\n");
   const NumberedPattern entry = {(UInt)number, end + 1};
   add_to_list(row->target, sizeof entry, &entry);
   return True;
}

static void take_cache(const OptionRow* row, const HChar* argument, const HChar* value)
{
   GeometryFault fault = geometry_parse(value, row->target);
   if (fault != GeometryValid)
      VG_(fmsg_bad_option)(argument, "'%s': %s.\n", value, geometry_fault_text(fault));
}

/* Whoever asks for more of the simulated caches asks for them.  */
static Bool simulates_caches(const OptionRow* row)
{
   return row->kind == OptionCache || row->target == &options.simulate_write_back ||
          row->target == &options.simulate_prefetch || row->target == &options.cacheuse;
}

static void take_value(const OptionRow* row, const HChar* argument, const HChar* value)
{
   switch (row->kind) {
   case OptionBool: take_bool(row, argument, value); break;
   case OptionNumber: take_number(row, argument, value); break;
   case OptionCount: take_count(row, argument, value); break;
   case OptionChoice: take_choice(row, argument, value); break;
   case OptionCache: take_cache(row, argument, value); break;
   case OptionNotYet: take_no(argument, value); break;
   default: take_text(row, argument, value); break;
   }
}

/* True if `argument` is one of `n` options.  A digit may follow the name, as in
   --separate-callers3=f.  */
static Bool is_among(const HChar* argument, const HChar* const* names, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      SizeT length = VG_(strlen)(names[i]);
      if (VG_(strncmp)(argument, names[i], length) != 0)
         continue;
      const HChar* rest = argument + length;
      while (VG_(isdigit)(*rest))
         rest++;
      if (*rest == '\0' || *rest == '=')
         return True;
   }
   return False;
}

Bool options_process(const HChar* argument)
{
   for (UInt i = 0; i < N_ROWS; i++) {
      const OptionRow* row = &option_rows[i];
      if (row->kind == OptionHeading)
         continue;
      if (row->kind == OptionNumbered) {
         if (take_numbered(row, argument))
            return True;
         continue;
      }
      const HChar* value = value_of(argument, row->name);
      if (!VG_(check_clom)(cloP, argument, row->name, value != NULL))
         continue;
      take_value(row, argument, value);
      if (simulates_caches(row))
         options.cache_sim = True;
      return True;
   }
   for (UInt i = 0; i < N_DEBUG_ROWS; i++) {
      const OptionRow* row = &debug_rows[i];
      const HChar* value = value_of(argument, row->name);
      if (VG_(check_clom)(cloP, argument, row->name, value != NULL)) {
         take_value(row, argument, value);
         return True;
      }
   }
   if (is_among(argument, ignored_names, N_IGNORED)) {
      if (VG_(clo_verbosity) > 0)
         VG_(umsg)("%s has no effect here\n", argument);
      return True;
   }
   if (is_among(argument, refused_names, N_REFUSED))
      VG_(fmsg_bad_option)(
         argument, "This option of callgrind is not available in callgrind-exact yet.\n");
   return False;
}

void options_print_usage(void)
{
   for (UInt i = 0; i < N_ROWS; i++) {
      const OptionRow* row = &option_rows[i];
      if (row->kind == OptionHeading)
         VG_(printf)("\n   %s\n", row->name);
      else if (row->help != NULL)
         VG_(printf)("    %s\n", row->help);
   }
   VG_(printf)("\n");
}

void options_print_debug_usage(void)
{
   for (UInt i = 0; i < N_DEBUG_ROWS; i++)
      VG_(printf)("    %s\n", debug_rows[i].help);
   VG_(printf)(
      "    --ct-verbose=<level>      Stock's, accepted without effect; as well\n"
      "    --ct-vstart=<BB number>, --ct-verbose<level>=<func>, --pop-on-jump\n");
}

void options_finish(void)
{
   options.max_separate_callers = options.separate_callers;
   if (options.separate_callers_of != NULL)
      for (Word i = 0; i < VG_(sizeXA)(options.separate_callers_of); i++) {
         const NumberedPattern* entry = VG_(indexXA)(options.separate_callers_of, i);
         if (entry->number > options.max_separate_callers)
            options.max_separate_callers = entry->number;
      }

   /* As the manual has it: collection that a function toggles starts off.  */
   if (options.toggle_collect != NULL)
      options.collect_at_start = False;

   /* What the numbers of names in a file mean has been said by another program.  */
   if (options.combined_before != NULL)
      options.compress_strings = False;

   /* A cost line needs a position; without addresses that is the line.  */
   if (!options.dump_line && !options.dump_instr) {
      VG_(umsg)("Using source line as position.\n");
      options.dump_line = True;
   }
}

Bool options_match(const XArray* patterns, const HChar* name)
{
   if (patterns == NULL)
      return False;
   for (Word i = 0; i < VG_(sizeXA)(patterns); i++) {
      const HChar* pattern = *(const HChar**)VG_(indexXA)(patterns, i);
      if (VG_(string_match)(pattern, name))
         return True;
   }
   return False;
}

UInt options_number(const XArray* patterns, const HChar* name, UInt otherwise)
{
   if (patterns == NULL)
      return otherwise;
   for (Word i = VG_(sizeXA)(patterns) - 1; i >= 0; i--) {
      const NumberedPattern* entry = VG_(indexXA)(patterns, i);
      if (VG_(string_match)(entry->pattern, name))
         return entry->number;
   }
   return otherwise;
}
