/* SPDX-License-Identifier: GPL-2.0-or-later

   callgrind-exact: an exact call-graph profiler for benchmarks, as a Valgrind
   tool.

   It counts every guest instruction, by source line, function and recursion level,
   follows calls and returns on a shadow stack, and writes a profile in the callgrind
   format when the program ends or asks for it.  docs/internals.md tells how.

   This file only introduces the tool to the core.  docs/layers.txt lists the folders
   beside it, from top to bottom.  */

#include "control/limits/final_kill.h"
#include "control/limits/limits.h"
#include "control/limits/strict_mode.h"
#include "control/parts/dump.h"
#include "control/parts/timeline_file.h"
#include "control/processes/fork_exec.h"
#include "control/processes/thread_naming.h"
#include "control/request_guard.h"
#include "control/requests.h"
#include "control/summary.h"
#include "control/triggers.h"
#include "core/parts.h"
#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "guest/skip.h"
#include "guest/symbols.h"
#include "host_instructions/host_instructions.h"
#include "instrument/emit/cold_code.h"
#include "instrument/emit/reserved_registers.h"
#include "instrument/host/chains.h"
#include "instrument/host/dispatch.h"
#include "instrument/is_on.h"
#include "lines/late_lines.h"
#include "lines/stored_lines.h"
#include "machine/simulation.h"
#include "model/arc.h"
#include "model/block.h"
#include "model/callsite.h"
#include "model/context.h"
#include "model/cost.h"
#include "model/jump.h"
#include "model/reference.h"
#include "model/timeline.h"
#include "model/tree/calltree.h"
#include "native/native.h"
#include "options/command_line.h"
#include "options/options.h"
#include "options/unmatched.h"
#include "stack/allocations/allocation_calls.h"
#include "stack/frames/shadowstack_repairs.h"
#include "stack/frames/timed_frames.h"
#include "stack/frames/transition_check.h"
#include "stack/stacks/parking.h"
#include "stack/stacks/shadowstack.h"
#include "stack/switching/crossing.h"
#include "stack/threads/system_calls.h"
#include "stack/threads/thread.h"
#include "surroundings/guest_cpu.h"
#include "surroundings/initial_stack.h"
#include "surroundings/turns.h"
#include "translation_cache/translation_cache.h"
#include "translations/instr_state.h"
#include "translations/kept_translations.h"
#include "translations/stored_translations.h"
#include "translations/superblocks.h"
#include "translations/translate.h"

#include "cycles/instruction_cycles.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

static void on_new_mapping(Addr start, SizeT length, Bool readable, Bool writable,
                           Bool executable, ULong debug_info)
{
   (void)readable, (void)writable, (void)debug_info;
   address_forget_ranges();
   translation_cache_forget_ranges();
   late_lines_forget_ranges();
   jit_functions_mapped(start);
   native_mapped(start, length, executable);
}

static void on_unmapping(Addr start, SizeT length)
{
   address_forget_ranges();
   translation_cache_forget_ranges();
   late_lines_forget_ranges();
   parking_forget_range(start, length);
   native_unmapped(start, length);
}

/* One line, as stock says it: scripts that compare what is printed know it.  */
static void advise(void)
{
   const HChar* prefix = VG_(arg_vgdb_prefix);
   if (VG_(clo_verbosity) > 0)
      VG_(umsg)("For interactive control, run 'callgrind_control%s%s -h'.\n",
                prefix != NULL ? " " : "", prefix != NULL ? prefix : "");
}

/* The core calls this however the program ends: by exit, by exit_group from any thread,
   or by a fatal signal.  */
static void finish(Int exit_code)
{
   (void)exit_code;
   limits_lift();
   ULong total[COST_MAX_EVENTS];
   if (instrumentation_is_on())
      simulation_finish();
   dump_final(total);
   timeline_file_write();
   skip_tell_unmatched();
   unmatched_tell_of_functions();
   if (VG_(clo_verbosity) > 1) {
      shadowstack_report_repairs();
      transition_check_report();
      instruction_cycles_report();
   }
   stored_lines_hand_over();
   translation_cache_save();
   if (VG_(clo_stats)) {
      core_parts_print();
      context_print_stats();
      parking_print_stats();
      crossing_print_stats();
      reserved_registers_print_stats();
      kept_translations_print_stats();
      stored_translations_print_stats();
      late_lines_print_stats();
      native_print_stats();
      if (options.collect_alloc)
         allocation_calls_print_stats();
   }
   if (VG_(clo_verbosity) == 0)
      return;
   summary_print(total);
   allocation_calls_tell();
}

/* How long a thread of several would run natively before the next one has its turn is a
   matter of time.  */
static Bool native_code_is_wanted(void)
{
   return !instrumentation_is_on() && !(options.steady && turns_are_shared());
}

static void use_native_code(void)
{
   static NativeUse use = {.is_wanted = native_code_is_wanted,
                           .begins = late_lines_look_at_core};
   if (options.off == OffNative && options.collect_alloc) {
      VG_(umsg)("--off=native has no effect here: --collect-alloc=yes has to see what is "
                "freed meanwhile\n");
      return;
   }
   use.fixes_machine = options.guest_cpu != GuestCpuHost;
   if (options.off == OffNative)
      native_use(&use);
   if (native_uses_wide_state())
      host_instructions_expect_wide_state();
}

/* Initialises everything.  The order matters: nothing relies on what comes after it.  */
static void after_command_line(void)
{
   options_finish();
   guest_cpu_init();
   if (options.steady)
      initial_stack_fix();
   cost_init();
   callsite_init(&arc_none);
   reference_init();
   simulation_init();
   skip_init();
   symbols_init();
   jit_functions_init();
   context_init();
   calltree_init();
   jump_init();
   timeline_init();
   shadowstack_init();
   parking_init();
   timed_frames_init();
   thread_naming_init();
   thread_init();
   chains_init();
   dispatch_init();
   reserved_registers_init();
   cold_code_init();
   system_calls_init();
   triggers_init();
   dump_init();
   final_kill_init(finish);
   strict_mode_init();
   limits_init();
   request_guard_init();
   timeline_file_init();
   instr_state_init(options.instrument_at_start == InstrumentYes ||
                    (options.instrument_at_start == InstrumentInherit &&
                     options.inherited_instrumentation));
   translation_cache_open();
   translate_init();
   late_lines_init(instrumentation_is_on, native_is_wanted);
   use_native_code();
   advise();
}

static void before_command_line(void)
{
   VG_(details_name)("Callgrind");
   VG_(details_version)(NULL);
   /* Begins as stock's: its tests look for it.  */
   VG_(details_description)(
      "a call-graph generating cache profiler (callgrind-exact " CT_VERSION ")");
   VG_(details_copyright_author)(
      "Copyright (C) 2026, and GNU GPL'd, by the callgrind-exact developers.");
   VG_(details_bug_reports_to)("the callgrind-exact issue tracker");
   VG_(details_avg_translation_sizeB)(500);
   instr_state_set_defaults();

   VG_(basic_tool_funcs)(after_command_line, superblocks_instrument, finish);
   VG_(needs_superblock_discards)(superblocks_discarded);
   VG_(needs_command_line_options)(command_line_process, command_line_print_usage,
                                   command_line_print_debug_usage);
   VG_(needs_client_requests)(requests_handle);
   VG_(track_new_mem_mmap)(on_new_mapping);
   VG_(track_die_mem_munmap)(on_unmapping);
   thread_register();
   turns_register();
   fork_exec_register();
   native_register();
}

VG_DETERMINE_INTERFACE_VERSION(before_command_line)
