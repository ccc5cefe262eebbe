/* SPDX-License-Identifier: GPL-2.0-or-later

   Default values, and what options imply for each other; see options.h.  */

#include "options/options.h"

#include "options/patterns.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

const HChar options_out_file[] = "callgrind.out.%p";
const HChar options_call_tree_out_file[] = "callgrind.tree.%p";

Options options = {
   .out_file = options_out_file,
   .call_tree_out_file = options_call_tree_out_file,
   .call_tree_max_nodes = 4000000,
   .dump_line = True,
   .dump_inlined = True,
   .compress_strings = True,
   .compress_positions = True,
   .instrument_at_start = InstrumentYes,
   .collect_at_start = True,
   .separate_recursions = 2,
   .skip_plt = True,
   .skip_jit = SkipJitAsCaller,
   .translation_cache_size = 1024,
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

void options_finish(void)
{
   choose_translation_cache();

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
