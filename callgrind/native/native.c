/* SPDX-License-Identifier: GPL-2.0-or-later

   See native.h.  Owns whether code runs natively, and brings the parts together:
   entry.h and exit.h are the way in and out, kernel.h what sends a thread out,
   code_memory.h which code must not run natively.  */

#include "native/native.h"

#include "base/system_filter.h"
#include "core/code_exits.h"
#include "core/thread_lock.h"
#include "core/translation.h"
#include "core/two_tables.h"
#include "native/code_memory.h"
#include "native/entry.h"
#include "native/fallback.h"
#include "native/hot_calls.h"
#include "native/kernel.h"
#include "native/pauses.h"
#include "native/preemption.h"
#include "native/sites.h"
#include "native/state.h"
#include "native/threads.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* What a system call counts of the core's time slice of 100,000 superblocks, and of a
   clock that goes by them.  */
#define BLOCKS_A_CALL 100

/* Above are the kernel's own addresses, and pages that it maps for old programs, which
   the core redirects.  */
#define END_OF_PROGRAM 0x7ffffffff000UL

#define MOST_STOPS 64

static const NativeUse* use_in_use;
static Bool is_used;
static Addr refused;       /* what was refused last is translated from then on; 0: none */
static Bool maps_shared;   /* the system call at hand does */
static Bool filters_calls; /* likewise, if it is not refused */
static Addr stops[MOST_STOPS]; /* where a debugger may want to stop */
static UInt n_stops;
static Bool has_more_stops; /* there have been more; that is not looked at again */

static Bool is_paused(void) { return UNLIKELY(native_pauses_is_on()); }

Bool native_is_wanted(void) { return is_used && !is_paused() && use_in_use->is_wanted(); }

Bool native_uses_wide_state(void) { return is_used && native_state_has_wide(); }

/* Nothing is planted, or will be put back before anything is translated.  */
static void end_use(const HChar* reason)
{
   is_used = False;
   core_tables_answer(NULL);
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("From now on all code is translated: %s.\n", reason);
}

/*--------------------------------------------------------------------*/
/* The way in                                                          */

/* Forgets where no breakpoint is any more, or never was.  */
static void forget_stops(void)
{
   UInt kept = 0;
   for (UInt i = 0; i < n_stops; i++)
      if (core_debugger_stops_at(stops[i]))
         stops[kept++] = stops[i];
   n_stops = kept;
}

static Bool is_debugged(void)
{
   if (core_debugger_steps() || has_more_stops)
      return True;
   if (UNLIKELY(n_stops != 0))
      forget_stops();
   return n_stops != 0;
}

void native_note_discard(Addr start, ULong size)
{
   enum { MostBytes = 16 };
   if (!is_used || size > MostBytes)
      return;
   if (n_stops + size > MOST_STOPS)
      forget_stops();
   for (UInt i = 0; i < size; i++)
      if (n_stops < MOST_STOPS)
         stops[n_stops++] = start + i;
      else
         has_more_stops |= core_debugger_stops_at(start + i);
}

static Bool is_elsewhere(Addr guest)
{
   return guest >= END_OF_PROGRAM || native_is_own_code(guest);
}

static void discard_translations(void)
{
   Addr page;
   while (native_fallback_next_freed(&page))
      core_tables_discard(page, VKI_PAGE_SIZE);
}

/* A core that was put together otherwise than configure saw.  */
static Bool is_in_order(void)
{
   static Bool is_known;
   if (LIKELY(is_known))
      return True;
   is_known = native_kernel_is_asked();
   if (is_known)
      use_in_use->begins();
   else
      end_use("the core's signals do not come to the tool");
   return is_known;
}

/* What one kind of code has been translated to is of no use to the other: code that runs
   in turns with native code leaves at each exit.  */
static void discard_all(void) { core_tables_discard(VKI_PAGE_SIZE, ~(ULong)0 << 12); }

static Bool begins_pause(void)
{
   if (LIKELY(!native_pauses_begin()))
      return False;
   discard_all();
   return True;
}

static Bool answer(Addr guest, const void** code)
{
   if (is_paused() || !use_in_use->is_wanted() || begins_pause() || !is_in_order() ||
       is_elsewhere(guest) || is_debugged() || !native_kernel_may_run() ||
       !native_code_may_run(guest))
      return False;
   if (guest == refused) /* the core asks again when it has been translated */
      return False;
   discard_translations();
   native_hot_calls_settle();
   native_sites_plant();
   *code = (const void*)native_entry;
   return True;
}

/*--------------------------------------------------------------------*/
/* What sends a thread out                                             */

static Bool is_hidden(Addr at)
{
   native_fallback_came(at);
   return native_fallback_at(at) != NotFallback;
}

/* The counter of time: RDTSC or RDTSCP.  */
static Bool is_refused(Addr at)
{
   const UChar* code = (const UChar*)at;
   const Bool reads_time =
      code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
   if (use_in_use->fixes_machine && reads_time)
      refused = at;
   return refused == at;
}

/*--------------------------------------------------------------------*/

void native_resumes(ULong blocks_run)
{
   if (is_used && is_paused() && native_pauses_end(blocks_run, use_in_use->is_wanted()))
      discard_all();
}

void native_before_translation(void)
{
   if (is_used)
      native_sites_put_back();
}

void native_after_translation(Addr start, SizeT size)
{
   if (is_used)
      native_fallback_translated(start, size, native_sites_add);
}

void native_before_call(UInt call, const UWord* arguments)
{
   if (is_used)
      native_kernel_before_call(call);
   if (is_paused())
      native_pauses_called();
   enum { Shared = 1 }; /* MAP_SHARED, and MAP_SHARED_VALIDATE */
   maps_shared = call == __NR_mmap && (arguments[3] & Shared) != 0;
   filters_calls = system_filter_is_set_by(call, arguments);
   if (is_used && filters_calls)
      native_sites_put_back(); /* which takes calls that it may not let through */
}

void native_after_call(Bool is_error)
{
   maps_shared = False;
   /* What it lets through is not known.  */
   if (is_used && !is_error && filters_calls)
      end_use("the program filters its system calls");
}

void native_before_exec(void)
{
   if (is_used)
      native_kernel_before_exec();
}

void native_exec_failed(void)
{
   if (is_used)
      native_kernel_exec_failed();
}

void native_thread_ended(ThreadId thread)
{
   if (use_in_use != NULL)
      native_threads_ended(thread);
}

void native_in_child(void)
{
   if (use_in_use != NULL)
      native_threads_forked();
}

void native_mapped(Addr start, SizeT size, Bool executable)
{
   if (is_used)
      native_code_mapped(start, size, executable, maps_shared);
}

void native_unmapped(Addr start, SizeT size)
{
   if (is_used)
      native_code_unmapped(start, size);
}

static void moved(Addr from, Addr to, SizeT size)
{
   if (is_used)
      native_code_moved(from, to, size);
}

static void protected(Addr start, SizeT size, Bool readable, Bool writable,
                      Bool executable)
{
   (void)readable, (void)writable;
   if (is_used)
      native_code_protected(start, size, executable);
}

void native_register(void)
{
   VG_(track_copy_mem_remap)(moved);
   VG_(track_change_mem_mprotect)(protected);
}

/*--------------------------------------------------------------------*/

static const HChar* why_not(const NativeUse* use)
{
   static const NativeKernelHooks hooks = {
      native_sites_has, is_hidden, native_hot_call_came, is_refused, BLOCKS_A_CALL};
   enum { CoreComparesPages = 3 }; /* at this level of --sanity-level */
   if (VG_(clo_sanity_level) >= CoreComparesPages)
      return "--sanity-level compares pages of the program with what the core knows";
   if (system_filter_is_on())
      return "system calls are filtered";
   if (!core_tables_may_be_two())
      return "this core's table of translations is not known";
   const HChar* reason = native_state_set_up();
   return reason != NULL ? reason : native_kernel_set_up(&hooks, use->fixes_machine);
}

void native_use(const NativeUse* use)
{
   const HChar* reason = why_not(use);
   if (VG_(clo_verbosity) > 1) {
      if (reason == NULL)
         VG_(dmsg)("Code that is not instrumented runs natively.\n");
      else
         VG_(dmsg)("Code that is not instrumented is translated: %s.\n", reason);
   }
   if (reason != NULL)
      return;
   static const CoreLockWatch watch = {native_preemption_waits, native_preemption_has};
   core_lock_watch(&watch);
   use_in_use = use;
   is_used = True;
   native_code_init((PatternChoice){native_state_is_wide(), use->fixes_machine});
   native_hot_calls_init(use->fixes_machine);
   native_pauses_init(!use->fixes_machine);
   native_sites_add((Addr)VG_(amd64_linux_SUBST_FOR_rt_sigreturn),
                    VKI_PROT_READ | VKI_PROT_EXEC);
   native_kernel_begin();
   core_tables_answer(answer);
}

void native_print_stats(void)
{
   if (use_in_use == NULL)
      return;
   const NativeCounts counts = native_kernel_counts();
   VG_(dmsg)("native: %llu ways in; out for %llu system calls, %llu by jumps, %llu "
             "sites, %llu pages, %llu ticks, %llu faults; %u sites, %u jumps, %u pages; "
             "%u pauses\n",
             counts.entered, counts.called, counts.jumped, counts.trapped, counts.hidden,
             counts.ticked, counts.faulted, native_sites_count(),
             native_hot_calls_count(), native_fallback_pages(), native_pauses_count());
}

#else

Bool native_is_wanted(void) { return False; }
Bool native_uses_wide_state(void) { return False; }
void native_use(const NativeUse* use)
{
   (void)use;
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("Code that is not instrumented is translated: this platform, or this "
                "core, has nothing else.\n");
}
void native_resumes(ULong blocks_run) { (void)blocks_run; }
void native_before_translation(void) {}
void native_after_translation(Addr start, SizeT size) { (void)start, (void)size; }
void native_note_discard(Addr start, ULong size) { (void)start, (void)size; }
void native_before_call(UInt call, const UWord* arguments)
{
   (void)call, (void)arguments;
}
void native_after_call(Bool is_error) { (void)is_error; }
void native_before_exec(void) {}
void native_exec_failed(void) {}
void native_thread_ended(ThreadId thread) { (void)thread; }
void native_in_child(void) {}
void native_mapped(Addr start, SizeT size, Bool executable)
{
   (void)start, (void)size, (void)executable;
}
void native_unmapped(Addr start, SizeT size) { (void)start, (void)size; }
void native_register(void) {}
void native_print_stats(void) {}

#endif
