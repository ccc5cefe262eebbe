/* SPDX-License-Identifier: GPL-2.0-or-later

   See late_lines.h.

   Relies on core/debug_records.h for how the core reads an object, in one go or in two
   steps, and on core/debug_past.h for what is wanted after all.  */

#include "lines/late_lines.h"

#include "base/hash.h"
#include "base/text.h"
#include "core/debug_options.h"
#include "core/debug_past.h"
#include "core/debug_records.h"
#include "guest/address.h"
#include "guest/elf/elf_sections.h"
#include "guest/inlined_code.h"
#include "guest/own_lines.h"
#include "guest/unwind.h"
#include "lines/stored_lines.h"
#include "translation_cache/translation_cache.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

#ifdef CORE_CAN_READ_LINES_LATE

/* A file that the core has opened to read debug information.  */
typedef struct {
   HChar* path;
   struct vg_stat status;
} ReadFile;

/* What is known of a record of the core's.  */
typedef struct {
   VgHashNode node; /* key: its address */
   SizeT size;
   StoredLines* lines; /* NULL: there are none, or they are not stored */
   Bool lines_wait, inlined_wait, frames_wait; /* what is put off */
   DebugPast past;                             /* not kept if nothing is put off */
   XArray* files; /* of ReadFile, those that were read; NULL if the past is not kept */
   OwnLines* own; /* NULL: not sought, or the core must read them */
   Bool own_is_sought;
} DebugInfoState;

static VgHashTable* known; /* NULL: before late_lines_init() */
static Bool (*is_instrumenting)(void);
static struct {
   UInt put_off, read;
} of_lines, of_inlined, of_frames;
static UInt n_own; /* objects whose lines are read without the core */

/* Files may be out of reach from now on.  */
static Bool nothing_waits;

/* The reading that is under way.  */
static struct {
   DebugInfoState* of; /* NULL: none, or nothing may be put off */
   CoreDebugStep step;
   /* What may wait, and how many files there were when that was decided.  */
   Word n_decided;
   Bool lines_may_wait, inlined_may_wait, frames_may_wait;
} reading;

/* The object that was asked for last; start > end: none.  */
static struct {
   Addr start, end; /* both included */
   PtrdiffT bias;
   DebugInfoState* of;
} last = {1, 0, 0, NULL};

void late_lines_forget_ranges(void)
{
   last.start = 1;
   last.end = 0;
}

static Bool is_put_off(const DebugInfoState* info)
{
   return info->lines_wait || info->inlined_wait || info->frames_wait;
}

static DebugInfoState* known_of(const DebugInfo* info)
{
   return known != NULL ? VG_(HT_lookup)(known, (UWord)info) : NULL;
}

/*--------------------------------------------------------------------*/
/* While the core reads an object                                      */

static void forget_files(XArray* files)
{
   for (Word i = 0; i < VG_(sizeXA)(files); i++)
      VG_(free)(((ReadFile*)VG_(indexXA)(files, i))->path);
   VG_(deleteXA)(files);
}

static void forget(DebugInfoState* info)
{
   debug_past_forget(&info->past);
   if (info->files != NULL)
      forget_files(info->files);
   info->lines_wait = info->inlined_wait = info->frames_wait = False;
   info->files = NULL;
}

static void make(const DebugInfo* record, SizeT size)
{
   DebugInfoState* info = VG_(HT_remove)(known, (UWord)record); /* of one that is gone */
   if (info != NULL) {
      forget(info);
      if (info->own != NULL)
         own_lines_free(info->own);
   } else
      info = VG_(malloc)("late_lines.known", sizeof *info);
   VG_(memset)(info, 0, sizeof *info);
   info->node.key = (UWord)record;
   info->size = size;
   VG_(HT_add_node)(known, info);
}

/* The second step opens the object's file again.  */
static void note_file(const HChar* path)
{
   if (reading.of == NULL)
      return;
   XArray* files = reading.of->files;
   for (Word i = 0; i < VG_(sizeXA)(files); i++)
      if (VG_(strcmp)(((const ReadFile*)VG_(indexXA)(files, i))->path, path) == 0)
         return;
   ReadFile file;
   VG_(memset)(&file, 0, sizeof file);
   (void)VG_(stat)(path, &file.status);
   file.path = VG_(strdup)("late_lines.path", path);
   VG_(addToXA)(files, &file);
}

/* What the files of the object have that have been opened.  False if one cannot be
   read.  */
static Bool measure(ElfDebug* debug, Bool wants_sum)
{
   SizeT size = VG_(DebugInfo_get_text_size)((DebugInfo*)reading.of->node.key);
   *debug =
      (ElfDebug){.wants_sum = wants_sum, .sum = hash_checksum(0, &size, sizeof size)};
   const XArray* files = reading.of->files;
   for (Word i = 0; i < VG_(sizeXA)(files); i++) {
      const ReadFile* file = VG_(indexXA)(files, i);
      if (!elf_sections_add_debug(file->path, debug))
         return False;
   }
   return True;
}

/* Reads the lines of the object's code, unless the core must; `files` as in
   DebugInfoState.  */
static OwnLines* read_own(const DebugInfo* info, XArray* files)
{
   Addr start =
      VG_(DebugInfo_get_text_avma)(info) - (Addr)VG_(DebugInfo_get_text_bias)(info);
   UInt n = (UInt)VG_(sizeXA)(files);
   const HChar** paths = VG_(malloc)("late_lines.paths", (n + 1) * sizeof *paths);
   for (UInt i = 0; i < n; i++)
      paths[i] = ((const ReadFile*)VG_(indexXA)(files, (Word)i))->path;
   OwnLines* own =
      own_lines_read(paths, n, start, start + VG_(DebugInfo_get_text_size)(info));
   VG_(free)(paths);
   return own;
}

static OwnLines* own_lines_of(DebugInfoState* of, XArray* files)
{
   if (!of->own_is_sought) {
      of->own_is_sought = True;
      of->own = read_own((const DebugInfo*)of->node.key, files);
      n_own += of->own != NULL;
   }
   return of->own;
}

/* Nobody asks for lines while instrumentation is off, or if all are stored.  */
static Bool will_not_be_asked_for(const StoredLines* lines)
{
   return !is_instrumenting() || (lines != NULL && stored_lines_were_there(lines));
}

/* Decides what of the object that is being read may be put off.  If that is wanted after
   all, symbols are read a second time: not worth while where these are the larger part.
   Lines are not likely to be wanted of the core if they can be read without it; inlined
   functions nearly always can (guest/inlined_code.h).  Call frame information waits
   together with lines.  */
static void decide_by_all_files(void)
{
   DebugInfoState* of = reading.of;
   ElfDebug debug;
   if (!measure(&debug, translation_cache_is_open()))
      return;
   reading.inlined_may_wait = debug.debug_size > 0;
   if (debug.debug_size == 0)
      reading.frames_may_wait = debug.frames_size > debug.symbols_size;
   else if (debug.debug_size > debug.symbols_size) {
      of->lines = stored_lines_of(debug.sum);
      reading.lines_may_wait = reading.frames_may_wait =
         will_not_be_asked_for(of->lines) || own_lines_of(of, of->files) != NULL;
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

static void decide(void)
{
   if (reading.n_decided == VG_(sizeXA)(reading.of->files))
      return;
   reading.n_decided = VG_(sizeXA)(reading.of->files);
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
   decide();
   of_lines.put_off += reading.lines_may_wait && !reading.of->lines_wait;
   reading.of->lines_wait |= reading.lines_may_wait;
   return reading.lines_may_wait;
}

static Bool inlined_may_wait(void)
{
   if (reading.of == NULL || nothing_waits)
      return False;
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
   decide();
   reading.frames_may_wait |= reading.of->frames_wait;
   of_frames.put_off += reading.frames_may_wait && !reading.of->frames_wait;
   reading.of->frames_wait |= reading.frames_may_wait;
   return reading.frames_may_wait;
}

/* Variables come with inlined functions.  */
static Bool can_be_put_off(const DebugInfoState* info)
{
   return !nothing_waits && !debug_past_is_kept(&info->past) && info->lines == NULL &&
          core_debug_is_completed_as_known() && core_reads_code_alone() &&
          debug_past_can_be_kept();
}

/* An object is read, or its first step is made.  */
static void begin_reading(DebugInfoState* of)
{
   debug_past_begin(&of->past, (const DebugInfo*)of->node.key, of->size);
   of->files = VG_(newXA)(VG_(malloc), "late_lines.files", VG_(free), sizeof(ReadFile));
}

static Bool read_object(DebugInfo* info, CoreDebugStep step)
{
   DebugInfoState* of = known_of(info);
   if (of != NULL && step != CoreReadsRest && can_be_put_off(of))
      begin_reading(of);
   if (of == NULL || !debug_past_is_kept(&of->past))
      return core_debug_read(info, step);
   if (step == CoreReadsRest)
      debug_past_resume(&of->past, info);
   reading.of = of;
   reading.step = step;
   reading.n_decided = 0;
   Bool is_read = core_debug_read(info, step);
   reading.of = NULL;
   if (!is_put_off(of) && (step != CoreReadsObject || !is_read))
      forget(of);
   return is_read;
}

static void note_completed(DebugInfo* info)
{
   DebugInfoState* of = known_of(info);
   if (of != NULL && debug_past_is_kept(&of->past))
      debug_past_complete(&of->past, info);
}

/*--------------------------------------------------------------------*/
/* When what was put off is wanted                                     */

static Bool files_are_same(const DebugInfoState* info)
{
   for (Word i = 0; i < VG_(sizeXA)(info->files); i++) {
      const ReadFile* file = VG_(indexXA)(info->files, i);
      struct vg_stat now;
      if (sr_isError(VG_(stat)(file->path, &now)) || now.dev != file->status.dev ||
          now.ino != file->status.ino || now.size != file->status.size ||
          now.mtime != file->status.mtime || now.mtime_nsec != file->status.mtime_nsec)
         return False;
   }
   return True;
}

static void read_now(DebugInfo* info, DebugInfoState* of, const HChar* what)
{
   Bool lines_waited = of->lines_wait, frames_waited = of->frames_wait;
   Bool inlined_waited = of->inlined_wait;
   /* So that nothing which reading asks for comes here again.  */
   of->lines_wait = of->inlined_wait = of->frames_wait = False;
   if (files_are_same(of) && debug_past_make_up(&of->past, info)) {
      of_lines.read += lines_waited;
      of_inlined.read += inlined_waited;
      of_frames.read += frames_waited;
   } else
      VG_(umsg)("warning: the %s of '%s' cannot be read any more\n", what,
                VG_(DebugInfo_get_filename)(info));
   forget(of);
}

static void read_lines_now(DebugInfo* info)
{
   DebugInfoState* of = known_of(info);
   if (of != NULL && of->lines_wait)
      read_now(info, of, "source lines");
}

/* The second step may be to come.  */
static void read_frames_of(DebugInfoState* of)
{
   if (!of->frames_wait)
      return;
   core_debug_load((DebugInfo*)of->node.key);
   if (of->frames_wait)
      read_now((DebugInfo*)of->node.key, of, "call frame information");
}

/* So may the core's own second step.  */
static void read_lines_of(DebugInfoState* of)
{
   core_debug_load((DebugInfo*)of->node.key);
   if (is_put_off(of))
      read_now((DebugInfo*)of->node.key, of, "source lines");
}

/* Calls `action` for each object that is there; what is known may be of one that is
   gone.  Searches in between change the order of the core's list.  */
static void for_all_objects(void (*action)(DebugInfoState* of))
{
   XArray* there =
      VG_(newXA)(VG_(malloc), "late_lines.there", VG_(free), sizeof(DebugInfoState*));
   for (const DebugInfo* info = VG_(next_DebugInfo)(NULL); info != NULL;
        info = VG_(next_DebugInfo)(info)) {
      DebugInfoState* of = known_of(info);
      if (of != NULL)
         VG_(addToXA)(there, &of);
   }
   for (Word i = 0; i < VG_(sizeXA)(there); i++)
      action(*(DebugInfoState**)VG_(indexXA)(there, i));
   VG_(deleteXA)(there);
}

void late_lines_read_all(void)
{
   nothing_waits = True;
   for_all_objects(read_lines_of);
}

/* The core may not have told of it.  */
static void complete_past(DebugInfoState* of)
{
   note_completed((DebugInfo*)of->node.key);
}

static void unwind_a_frame(void)
{
   Addr ips[2], sps[2], fps[2];
   (void)unwind_stack(VG_(get_running_tid)(), ips, sps, fps, 2, 0, 0);
}

void late_lines_look_at_core(void)
{
   core_debug_try(unwind_a_frame);
   if (!core_debug_passes_by())
      return;
   for_all_objects(complete_past);
   late_lines_read_all();
}

static void read_frames_now(Addr address)
{
   if (of_frames.put_off == of_frames.read)
      return;
   if (address == 0) {
      for_all_objects(read_frames_of);
      return;
   }
   const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   DebugInfoState* of = info != NULL ? known_of(info) : NULL;
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
   last.of = known_of(info);
}

static DebugInfoState* known_at(Addr address)
{
   if (address < last.start || address > last.end)
      find_object(address);
   return last.of;
}

/* `address` as the object's file numbers it.  If its lines have been put off, they are
   sought here.  */
static Bool find_own(DebugInfoState* of, Addr address, SourceLine* line)
{
   if (of->lines_wait && !of->own_is_sought && files_are_same(of))
      (void)own_lines_of(of, of->files);
   return of->own != NULL && own_lines_find(of->own, address, line);
}

static Bool recall(Addr address, SourceLine* line)
{
   DebugInfoState* of = known_at(address);
   if (of == NULL)
      return False;
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
   DebugInfoState* of = info != NULL ? known_of(info) : NULL;
   if (of == NULL)
      return;
   core_debug_load((DebugInfo*)info);
   if (of->inlined_wait)
      read_now((DebugInfo*)info, of, "inlined functions");
}

static void learn(Addr address, const SourceLine* line)
{
   const DebugInfoState* of = known_at(address);
   if (of != NULL && of->lines != NULL)
      stored_lines_add(of->lines, address - (Addr)last.bias, line);
}

void late_lines_init(Bool (*is_on)(void))
{
   static const LineMemory memory = {recall, learn};
   static const CoreDebugHooks hooks = {
      .made = make,
      .read = read_object,
      .completed = note_completed,
      .opened = note_file,
      .lines_may_wait = lines_may_wait,
      .inlined_may_wait = inlined_may_wait,
      .frames_may_wait = frames_may_wait,
      .lines_wanted = read_lines_now,
      .frames_wanted = read_frames_now,
   };
   is_instrumenting = is_on;
   known = VG_(HT_construct)("late_lines.known");
   address_set_line_memory(&memory);
   inlined_code_before_core(read_inlined_now);
   core_debug_lead(&hooks);
}

void late_lines_print_stats(void)
{
   VG_(umsg)("source lines: of %u objects put off, of %u read when asked for\n",
             of_lines.put_off, of_lines.read);
   VG_(umsg)("source lines: of %u objects read without the core\n", n_own);
   VG_(umsg)("inlined functions: of %u objects put off, of %u read when asked for\n",
             of_inlined.put_off, of_inlined.read);
   VG_(umsg)("call frame information: of %u objects put off, of %u read when asked for\n",
             of_frames.put_off, of_frames.read);
}

#else

void late_lines_init(Bool (*is_on)(void)) { (void)is_on; }

void late_lines_forget_ranges(void) {}

void late_lines_read_all(void) {}

void late_lines_look_at_core(void) {}

void late_lines_print_stats(void) {}

#endif
