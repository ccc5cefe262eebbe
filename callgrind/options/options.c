/* SPDX-License-Identifier: GPL-2.0-or-later

   Default values, and what options imply for each other; see options.h.  */

#include "options/options.h"

#include "cycles/form_table.h"
#include "options/patterns.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

/* How code runs while instrumentation is off, where nothing is said.  configure may be
   told otherwise (CPPFLAGS=-DCT_OFF=OffNative), to run all tests that way.  */
#ifndef CT_OFF
#define CT_OFF OffTranslated
#endif

/* What the guest sees with --steady=yes where nothing else is said.  */
#ifdef CORE_CAN_FIX_GUEST_CPU
#define STEADY_GUEST_CPU GuestCpuV3
#else
#define STEADY_GUEST_CPU GuestCpuHost
#endif

const HChar options_out_file[] = "callgrind.out.%p";
const HChar options_call_tree_out_file[] = "callgrind.tree.%p";
const HChar options_timeline_out_file[] = "callgrind.timeline.%p";

Options options = {
   .out_file = options_out_file,
   .call_tree_out_file = options_call_tree_out_file,
   .call_tree_max_nodes = 4000000,
   .timeline_out_file = options_timeline_out_file,
   .timeline_max = 64,
   .dump_line = True,
   .dump_inlined = True,
   .compress_strings = True,
   .compress_positions = True,
   .instrument_at_start = InstrumentYes,
   .off = CT_OFF,
   .collect_at_start = True,
   .separate_recursions = 2,
   .skip_plt = True,
   .skip_jit = SkipJitAsCaller,
   .copied_stacks = CopiedStacksAuto,
   .translation_cache_size = 1024,
   .dump_threads = DumpThreadsUnsaid,
   .guest_cpu = GuestCpuUnsaid,
   .steady_clock = True,
   .keep_translations = True,
   .cold_runs = 4096,
   .max_functions = ~0u,
};

/* For those whose command line somebody else writes.  */
#define CACHE_VARIABLE "CALLGRIND_TRANSLATION_CACHE"

static void choose_translation_cache(void)
{
   if (options.translation_cache == NULL)
      options.translation_cache = VG_(getenv)(CACHE_VARIABLE);
   if (options.translation_cache == NULL || options.translation_cache[0] == '\0')
      options.translation_cache = "no";
}

/* The caches that --steady=yes simulates unless the user gives others.  They are those
   of many processors, and of other drivers of callgrind.  */
static const CacheGeometry steady_caches[CACHES] = {
   [CacheI1] = {32768, 8, 64}, [CacheD1] = {32768, 8, 64}, [CacheLL] = {8388608, 16, 64}};

static void finish_steady(void)
{
   /* Who follows subprocesses expects the whole of a benchmark in its dump.  */
   if (options.dump_threads == DumpThreadsUnsaid)
      options.dump_threads = options.instrument_at_start == InstrumentInherit
                                ? DumpThreadsAll
                                : DumpThreadsCurrent;
   if (options.guest_cpu == GuestCpuUnsaid)
      options.guest_cpu = options.steady ? STEADY_GUEST_CPU : GuestCpuHost;
   for (UInt i = 0; options.steady && i < CACHES; i++)
      if (options.caches[i].size == 0)
         options.caches[i] = steady_caches[i];
}

void options_finish(void)
{
   choose_translation_cache();
   finish_steady();
   if (options.cycle_model != 0)
      form_model_choose(options.cycle_model - 1);

   options.max_separate_callers =
      patterns_largest_number(options.separate_callers_of, options.separate_callers);

   /* As the manual says: collection that a function toggles starts off.  */
   if (options.toggle_collect != NULL)
      options.collect_at_start = False;

   /* The file belongs to another program too, which gave other names the same
      numbers.  */
   if (options.combined_before != NULL)
      options.compress_strings = False;

   /* A cost line needs a position: without the address it is the source line.  */
   if (!options.dump_line && !options.dump_instr) {
      VG_(umsg)("Using source line as position.\n");
      options.dump_line = True;
   }
}
