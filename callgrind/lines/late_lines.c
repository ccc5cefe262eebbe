/* SPDX-License-Identifier: GPL-2.0-or-later

   See late_lines.h.

   Relies on core/debug_records.h for how the core reads an object, in one go or in two
   steps, and on core/debug_past.h for what is wanted after all.  */

#include "lines/late_lines.h"

#include "base/hash.h"
#include "base/text.h"
#include "core/debug_options.h"
#include "core/hidden_symbols.h"
#include "guest/address.h"
#include "guest/debug_files.h"
#include "guest/elf/redirections.h"
#include "guest/inlined_code.h"
#include "guest/unwind.h"
#include "lines/late_objects.h"
#include "lines/object_lines.h"
#include "translation_cache/translation_cache.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_threadstate.h"

#ifdef CORE_CAN_READ_LINES_LATE

static Bool (*is_instrumenting)(void);
static Bool (*symbols_may_wait)(void);
static void read_all_symbols(void);
static struct {
   UInt put_off, read;
} of_symbols, of_lines, of_inlined, of_frames;

/* Files may be out of reach from now on.  */
static Bool nothing_waits;

/* An object may replace functions of others, which the core knows by their symbols.  */
static Bool no_symbols_wait;

/* What somebody asks for.  */
typedef enum { WantsSymbols, WantsLines, WantsInlined, WantsFrames } Wanted;

/* The reading that is under way.  */
static struct {
   LateObject* of; /* NULL: none, or nothing may be put off */
   CoreDebugStep step;
   UInt n_opened; /* files, in this step */
   Bool is_late;  /* what is known of symbols has been put off */
   Wanted wanted; /* why it is read then */
   /* What may wait, and how many files there were when that was decided.  */
   UInt n_decided;
   Bool lines_may_wait, inlined_may_wait, frames_may_wait;
} reading;

/* The object that was asked for last; start > end: none.  */
static struct {
   Addr start, end; /* both included */
   PtrdiffT bias;
   LateObject* of;
} last = {1, 0, 0, NULL};

void late_lines_forget_ranges(void)
{
   last.start = 1;
   last.end = 0;
}

/*--------------------------------------------------------------------*/
/* While the core reads an object                                      */

/* The second step opens the object's file again.  */
static void note_file(const HChar* path)
{
   if (reading.of == NULL)
      return;
   reading.n_opened++;
   read_files_note(&reading.of->files, path);
}

/* What the files of the object have that have been opened.  False if one cannot be
   read.  */
static Bool measure(ElfDebug* debug, Bool wants_sum)
{
   SizeT size = VG_(DebugInfo_get_text_size)((DebugInfo*)reading.of->node.key);
   *debug =
      (ElfDebug){.wants_sum = wants_sum, .sum = hash_checksum(0, &size, sizeof size)};
   return read_files_measure(&reading.of->files, debug);
}

/* Nobody asks for lines while instrumentation is off, or if all are stored.  */
static Bool will_not_be_asked_for(const StoredLines* lines)
{
   return (!is_instrumenting() && !reading.is_late) ||
          (lines != NULL && stored_lines_were_there(lines));
}

/* Decides what of the object that is being read may be put off.  If that is wanted after
   all, symbols are read a second time: not worth while where these are the larger part.
   Lines are not likely to be wanted of the core if they can be read without it; inlined
   functions nearly always can (guest/inlined_code.h).  Call frame information waits
   together with lines.  */
static void decide_by_all_files(void)
{
   LateObject* of = reading.of;
   ElfDebug debug;
   if (!measure(&debug, translation_cache_is_open()))
      return;
   reading.inlined_may_wait = debug.debug_size > 0;
   if (debug.debug_size == 0)
      reading.frames_may_wait = debug.frames_size > debug.symbols_size;
   else if (debug.debug_size > debug.symbols_size) {
      of->lines = stored_lines_of(debug.sum);
      reading.lines_may_wait = reading.frames_may_wait =
         will_not_be_asked_for(of->lines) || late_object_own_lines(of) != NULL;
   }
}

/* In the first step of two nobody knows of a separate file yet, nor whether the core will
   read any lines.  */
static void decide_by_object(void)
{
   ElfDebug debug;
   if (measure(&debug, False))
      reading.frames_may_wait =
         debug.frames_size > debug.symbols_size || debug.debug_size > debug.symbols_size;
}

/* Of an object whose symbols wait, no other file is looked for.  */
static Bool may_open(const HChar* path)
{
   (void)path;
   return reading.of == NULL || !reading.of->symbols_wait || reading.n_opened == 0;
}

static void decide(void)
{
   if (reading.n_decided == read_files_count(&reading.of->files))
      return;
   reading.n_decided = read_files_count(&reading.of->files);
   reading.lines_may_wait = reading.inlined_may_wait = reading.frames_may_wait = False;
   if (reading.step == CoreReadsObject)
      decide_by_object();
   else
      decide_by_all_files();
}

static Bool lines_may_wait(void)
{
   if (reading.of == NULL || nothing_waits)
      return False;
   if (reading.of->symbols_wait)
      return True;
   decide();
   of_lines.put_off += reading.lines_may_wait && !reading.of->lines_wait;
   reading.of->lines_wait |= reading.lines_may_wait;
   return reading.lines_may_wait;
}

static Bool inlined_may_wait(void)
{
   if (reading.of == NULL || nothing_waits)
      return False;
   if (reading.of->symbols_wait)
      return True;
   decide();
   of_inlined.put_off += reading.inlined_may_wait && !reading.of->inlined_wait;
   reading.of->inlined_wait |= reading.inlined_may_wait;
   return reading.inlined_may_wait;
}

/* What the second step has of it is read only with that of the first one.  */
static Bool frames_may_wait(void)
{
   if (reading.of == NULL || nothing_waits)
      return False;
   if (reading.of->symbols_wait)
      return True;
   decide();
   if (reading.is_late && reading.wanted == WantsFrames)
      return False;
   reading.frames_may_wait |= reading.of->frames_wait;
   of_frames.put_off += reading.frames_may_wait && !reading.of->frames_wait;
   reading.of->frames_wait |= reading.frames_may_wait;
   return reading.frames_may_wait;
}

/* Variables come with inlined functions.  */
static Bool can_be_put_off(const LateObject* info)
{
   return !nothing_waits && !debug_past_is_kept(&info->past) && info->lines == NULL &&
          core_debug_is_completed_as_known() && core_reads_code_alone() &&
          debug_past_can_be_kept();
}

/* An object is read, or its first step is made.  */
static void begin_reading(LateObject* of)
{
   debug_past_begin(&of->past, (const DebugInfo*)of->node.key, of->size);
   of->files = read_files_new();
}

/* To be called where all may be put off, before its first step.  */
static Bool symbols_may_wait_of(const DebugInfo* info)
{
#ifdef CORE_CAN_READ_SYMBOLS_LATE
   if (no_symbols_wait || !symbols_may_wait())
      return False;
   const Redirections redirections = redirections_of(VG_(DebugInfo_get_filename)(info));
   if (redirections == RedirectionsOfAll)
      read_all_symbols();
   return redirections == NoRedirections;
#else
   (void)info;
   return False;
#endif
}

/* What is not put off.  */
static Bool read_step(LateObject* of, DebugInfo* info, CoreDebugStep step)
{
   reading.of = of;
   reading.step = step;
   reading.n_decided = reading.n_opened = 0;
   if (of->symbols_wait)
      core_symbols_hide();
   const Bool is_read = core_debug_read(info, step);
   core_symbols_show();
   reading.of = NULL;
   return is_read;
}

static Bool read_object(DebugInfo* info, CoreDebugStep step)
{
   LateObject* of = late_object_of(info);
   if (of != NULL && step != CoreReadsRest && can_be_put_off(of)) {
      begin_reading(of);
      of->symbols_wait = symbols_may_wait_of(info);
      of_symbols.put_off += of->symbols_wait;
   }
   if (of == NULL || !debug_past_is_kept(&of->past))
      return core_debug_read(info, step);
   if (step == CoreReadsRest)
      debug_past_resume(&of->past, info);
   const Bool is_read = read_step(of, info, step);
   if (!is_read)
      of->symbols_wait = False;
   if (!late_object_waits(of) && (step != CoreReadsObject || !is_read))
      late_object_forget(of);
   return is_read;
}

static void note_completed(DebugInfo* info)
{
   LateObject* of = late_object_of(info);
   if (of != NULL && debug_past_is_kept(&of->past))
      debug_past_complete(&of->past, info);
}

/*--------------------------------------------------------------------*/
/* When what was put off is wanted                                     */

static void tell_of_loss(const DebugInfo* info, const HChar* what)
{
   VG_(umsg)("warning: the %s of '%s' cannot be read any more\n", what,
             VG_(DebugInfo_get_filename)(info));
}

/* What waits is noted before, so that nothing which reading asks for comes here
   again.  */
static void read_now(DebugInfo* info, LateObject* of, const HChar* what)
{
   Bool lines_waited = of->lines_wait, frames_waited = of->frames_wait;
   Bool inlined_waited = of->inlined_wait;
   of->lines_wait = of->inlined_wait = of->frames_wait = False;
   if (read_files_are_same(&of->files) &&
       debug_past_make_up(&of->past, info, core_debug_read)) {
      of_lines.read += lines_waited;
      of_inlined.read += inlined_waited;
      of_frames.read += frames_waited;
   } else
      tell_of_loss(info, what);
   late_object_forget(of);
}

/* The object whose symbols waited.  */
static LateObject* late;

static Bool read_late_step(DebugInfo* info, CoreDebugStep step)
{
   return read_step(late, info, step);
}

/* Reads the object as if it had just been mapped: what may still be put off is decided
   now, but for what is wanted.  */
static void read_symbols_now(DebugInfo* info, LateObject* of, Wanted wanted)
{
   if (!of->symbols_wait)
      return;
   core_debug_load(info);
   if (!of->symbols_wait) { /* the second step has failed */
      tell_of_loss(info, "symbols");
      return;
   }
   of->symbols_wait = False;
   late = of;
   reading.is_late = True;
   reading.wanted = wanted;
   if (read_files_are_same(&of->files) &&
       debug_past_make_up(&of->past, info, read_late_step))
      of_symbols.read++;
   else {
      of->lines_wait = of->inlined_wait = of->frames_wait = False;
      tell_of_loss(info, "symbols");
   }
   reading.is_late = False;
   if (!late_object_waits(of))
      late_object_forget(of);
}

static void read_symbols_for_core(DebugInfo* info)
{
   LateObject* of = late_object_of(info);
   if (of != NULL)
      read_symbols_now(info, of, WantsSymbols);
}

static void read_lines_now(DebugInfo* info)
{
   LateObject* of = late_object_of(info);
   if (of == NULL)
      return;
   read_symbols_now(info, of, WantsLines);
   if (of->lines_wait)
      read_now(info, of, "source lines");
}

/* The second step may be to come.  */
static void read_frames_of(LateObject* of)
{
   read_symbols_now((DebugInfo*)of->node.key, of, WantsFrames);
   if (!of->frames_wait)
      return;
   core_debug_load((DebugInfo*)of->node.key);
   if (of->frames_wait)
      read_now((DebugInfo*)of->node.key, of, "call frame information");
}

/* So may the core's own second step.  */
static void read_lines_of(LateObject* of)
{
   read_symbols_now((DebugInfo*)of->node.key, of, WantsLines);
   core_debug_load((DebugInfo*)of->node.key);
   if (late_object_waits(of))
      read_now((DebugInfo*)of->node.key, of, "source lines");
}

static void read_symbols_of(LateObject* of)
{
   read_symbols_now((DebugInfo*)of->node.key, of, WantsSymbols);
}

static void read_all_symbols(void)
{
   no_symbols_wait = True;
   late_objects_for_all(read_symbols_of);
}

void late_lines_read_all(void)
{
   nothing_waits = True;
   late_objects_for_all(read_lines_of);
}

/* The core may not have told of it.  */
static void complete_past(LateObject* of) { note_completed((DebugInfo*)of->node.key); }

Bool late_lines_wait(void)
{
   return of_symbols.put_off != of_symbols.read || of_lines.put_off != of_lines.read ||
          of_inlined.put_off != of_inlined.read || of_frames.put_off != of_frames.read;
}

static struct {
   ULong device, inode;
} removed;

static void read_if_removed(LateObject* of)
{
   if (late_object_waits(of) &&
       read_files_have(&of->files, removed.device, removed.inode))
      read_lines_of(of);
}

void late_lines_before_removal(ULong device, ULong inode)
{
   removed.device = device;
   removed.inode = inode;
   late_objects_for_all(read_if_removed);
}

static void unwind_a_frame(void)
{
   Addr ips[2], sps[2], fps[2];
   (void)unwind_stack(VG_(get_running_tid)(), ips, sps, fps, 2, 0, 0);
}

void late_lines_look_at_core(void)
{
   static Bool is_looked_at;
   if (is_looked_at)
      return;
   is_looked_at = True;
   core_debug_try(unwind_a_frame);
   if (core_debug_passes_by()) {
      late_objects_for_all(complete_past);
      late_lines_read_all();
   } else if (core_debug_symbols_pass_by())
      read_all_symbols();
}

static void read_frames_now(Addr address)
{
   if (of_frames.put_off == of_frames.read && of_symbols.put_off == of_symbols.read)
      return;
   if (address == 0) {
      late_objects_for_all(read_frames_of);
      return;
   }
   const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   LateObject* of = info != NULL ? late_object_of(info) : NULL;
   if (of != NULL)
      read_frames_of(of);
}

/*--------------------------------------------------------------------*/
/* What is known without the core                                      */

/* Sets `last`.  */
static void find_object(Addr address)
{
   const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   last.start = last.end = address;
   last.of = NULL;
   if (info == NULL)
      return;
   Addr text = VG_(DebugInfo_get_text_avma)(info);
   SizeT size = VG_(DebugInfo_get_text_size)(info);
   if (address - text >= size)
      return;
   last.start = text;
   last.end = text + size - 1;
   last.bias = VG_(DebugInfo_get_text_bias)(info);
   last.of = late_object_of(info);
}

static LateObject* known_at(Addr address)
{
   if (address < last.start || address > last.end)
      find_object(address);
   return last.of;
}

/* `address` as the object's file numbers it.  If its lines have been put off, they are
   sought here.  */
static Bool find_own(LateObject* of, Addr address, SourceLine* line)
{
   if (of->lines_wait && !of->own_is_sought && read_files_are_same(&of->files))
      (void)late_object_own_lines(of);
   return of->own != NULL && own_lines_find(of->own, address, line);
}

static Bool recall(Addr address, SourceLine* line)
{
   LateObject* of = known_at(address);
   if (of == NULL)
      return False;
   read_symbols_now((DebugInfo*)of->node.key, of, WantsSymbols);
   Addr in_file = address - (Addr)last.bias;
   if (of->lines != NULL && stored_lines_find(of->lines, in_file, line))
      return True;
   if (!find_own(of, in_file, line))
      return False;
   if (of->lines != NULL)
      stored_lines_add(of->lines, in_file, line);
   return True;
}

static void read_inlined_now(Addr address)
{
   const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   LateObject* of = info != NULL ? late_object_of(info) : NULL;
   if (of == NULL)
      return;
   read_symbols_now((DebugInfo*)info, of, WantsInlined);
   core_debug_load((DebugInfo*)info);
   if (of->inlined_wait)
      read_now((DebugInfo*)info, of, "inlined functions");
}

static void learn(Addr address, const SourceLine* line)
{
   const LateObject* of = known_at(address);
   if (of != NULL && of->lines != NULL)
      stored_lines_add(of->lines, address - (Addr)last.bias, line);
}

static Bool recall_inlined(Addr address, const Object* object, const Inlined** inlined)
{
   const LateObject* of = known_at(address);
   if (of == NULL || of->lines == NULL)
      return False;
   object_lines_note(object, of->lines);
   return stored_lines_find_inlined(of->lines, address - (Addr)last.bias, object,
                                    inlined);
}

static void learn_inlined(Addr address, const Inlined* inlined)
{
   const LateObject* of = known_at(address);
   if (of != NULL && of->lines != NULL)
      stored_lines_add_inlined(of->lines, address - (Addr)last.bias, inlined);
}

void late_lines_init(Bool (*is_on)(void), Bool (*runs_unseen)(void))
{
   static const LineMemory memory = {
      .recall = recall,
      .learn = learn,
      .recall_inlined = recall_inlined,
      .learn_inlined = learn_inlined,
      .recall_declared = object_lines_find_declared,
      .learn_declared = object_lines_add_declared,
   };
   static const CoreDebugHooks hooks = {
      .made = late_objects_add,
      .read = read_object,
      .completed = note_completed,
      .may_open = may_open,
      .opened = note_file,
      .lines_may_wait = lines_may_wait,
      .inlined_may_wait = inlined_may_wait,
      .frames_may_wait = frames_may_wait,
      .symbols_wanted = read_symbols_for_core,
      .lines_wanted = read_lines_now,
      .frames_wanted = read_frames_now,
   };
   is_instrumenting = is_on;
   symbols_may_wait = runs_unseen;
   late_objects_init();
   address_set_line_memory(&memory);
   inlined_code_before_core(read_inlined_now);
   core_debug_lead(&hooks);
}

void late_lines_print_stats(void)
{
   VG_(umsg)("symbols: of %u objects put off, of %u read when asked for\n",
             of_symbols.put_off, of_symbols.read);
   VG_(umsg)("source lines: of %u objects put off, of %u read when asked for\n",
             of_lines.put_off, of_lines.read);
   VG_(umsg)("source lines: of %u objects read without the core\n",
             late_objects_read_here());
   VG_(umsg)("inlined functions: of %u objects put off, of %u read when asked for\n",
             of_inlined.put_off, of_inlined.read);
   VG_(umsg)("inlined functions: debug information of %u objects read by the tool\n",
             debug_files_n_read());
   VG_(umsg)("call frame information: of %u objects put off, of %u read when asked for\n",
             of_frames.put_off, of_frames.read);
}

#else

void late_lines_init(Bool (*is_on)(void), Bool (*runs_unseen)(void))
{
   (void)is_on, (void)runs_unseen;
}

void late_lines_forget_ranges(void) {}

void late_lines_read_all(void) {}

void late_lines_look_at_core(void) {}

Bool late_lines_wait(void) { return False; }

void late_lines_before_removal(ULong device, ULong inode) { (void)device, (void)inode; }

void late_lines_print_stats(void) {}

#endif
