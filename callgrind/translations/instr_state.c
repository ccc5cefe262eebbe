/* SPDX-License-Identifier: GPL-2.0-or-later

   Instrumentation on and off; see instr_state.h.

   Each state has a table of translations (translation_tables.h), so that START and STOP
   need not discard any.

   Owns VEX's choice whether to follow jumps (chasing), which depends on the state.  */

#include "translations/instr_state.h"

#include "core/vex_settings.h"
#include "guest/skip.h"
#include "instrument/is_on.h"
#include "machine/simulation.h"
#include "model/arc_targets.h"
#include "options/exec_options.h"
#include "options/options.h"
#include "stack/entering/seed.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/system_calls.h"
#include "stack/threads/thread.h"
#include "translations/exact_registers.h"
#include "translations/kept_translations.h"
#include "translations/translation_tables.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_transtab.h"

static Bool chase_when_off; /* what the command line wants */
/* Code that does not count has been made before it was known that registers must be
   exact.  */
static Bool is_inexact;

/* VEX follows calls and jumps for other tools.  That takes longer to translate, and what
   it makes is hardly faster: docs/performance.md has figures.  */
void instr_state_set_defaults(void)
{
   VG_(clo_vex_control).guest_chase = False;
   exact_registers_before_options();
}

/* While instrumentation is on, a call must end its superblock.  While it is off, VEX may
   follow calls and jumps if the user says so.  */
static void set_translation(void)
{
   exact_registers_choose(instrumentation_is_on());
   Bool chase = instrumentation_is_on() ? False : chase_when_off;
   VG_(clo_vex_control).guest_chase = chase;
   if (core_vex_settings() != NULL)
      core_vex_settings()->guest_chase = chase;
}

/* With --instr-atstart=inherit, a program that this one executes starts in our state.  */
static void pass_state_on(void)
{
   static ExecOption state = {"--ct-inherited-instr", 0};
   if (options.instrument_at_start == InstrumentInherit)
      exec_options_set(&state, instrumentation_is_on() ? "yes" : "no");
}

void instr_state_init(Bool on)
{
   instrumentation_set(on);
   chase_when_off = VG_(clo_vex_control).guest_chase;
   if (core_vex_settings() == NULL)
      chase_when_off = False; /* it could not be switched off again */
   if (options.collect_alloc)
      chase_when_off = False; /* allocators that free are told of at their start */
   exact_registers_after_options();
   translation_tables_init();
   pass_state_on();
   /* An unrolled loop would hold the same instruction more than once.  */
   VG_(clo_vex_control).iropt_unroll_thresh = 0;
   set_translation();
}

/* Puts what was made for the new state in the place of what was made for the previous
   one.  */
static void take_translations(void)
{
   kept_translations_begin();
   if (!translation_tables_are_two())
      return;
   translation_tables_take_other();
   if (instrumentation_is_on() && is_inexact) {
      translation_tables_empty_other();
      is_inexact = False;
   }
}

void instr_state_set(Bool on, InstrRequest from, const HChar* reason)
{
   if (on == instrumentation_is_on())
      return;
   translation_tables_leave(from == RequestWhileCodeMayRun);
   instrumentation_set(on);
   timed_frames_mark(on ? MarkStart : MarkStop, reason);
   SeedCounts seeded = {0, 0, 0, 0};
   if (on) {
      simulation_make_cold();
      system_calls_forget();
      seeded = seed_all_threads();
   } else
      thread_forget_stacks();
   set_translation();
   pass_state_on();
   take_translations();
   if (VG_(clo_verbosity) <= 1)
      return;
   if (on)
      VG_(message)(Vg_DebugMsg,
                   "%s: instrumentation on: %u threads, %u frames seeded, of them %u "
                   "skipped, %u anonymous\n",
                   reason, seeded.threads, seeded.frames, seeded.skipped,
                   seeded.anonymous);
   else
      VG_(message)(Vg_DebugMsg, "%s: instrumentation off\n", reason);
}

void instr_state_after_call(UInt call, const UWord* arguments)
{
   if (!exact_registers_after_call(call, arguments))
      return;
   set_translation();
   is_inexact = !instrumentation_is_on();
   if (instrumentation_is_on())
      translation_tables_empty_other();
}

void instr_state_skip_object(const HChar* path)
{
   if (!skip_add_object(path) || !symbols_apply_last_skip())
      return;
   arc_forget_targets();
   kept_translations_forget_instrumented();
   if (!instrumentation_is_on()) {
      translation_tables_empty_other();
      return;
   }
   thread_for_each(seed_reapply_skips);
   translation_tables_empty();
}
