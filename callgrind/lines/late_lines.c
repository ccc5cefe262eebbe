/* SPDX-License-Identifier: GPL-2.0-or-later

   See late_lines.h.

   Relies on how the core reads an object (core/debug_records.h).

   What is wanted after all cannot be added to a finished record, so another one is read
   from the beginning.  Three states of the record tell what differs: before anything
   was read, which the other one is made from; finished without them; and what it is by
   now.  What reading has made is taken from the other record; all that has changed since,
   as the place in the core's list, stays.  The old tables stay allocated, since there may
   be pointers to them.  */

#include "lines/late_lines.h"

#include "base/hash.h"
#include "base/text.h"
#include "core/debug_options.h"
#include "core/debug_records.h"
#include "guest/address.h"
#include "guest/elf/elf_sections.h"
#include "guest/own_lines.h"
#include "lines/stored_lines.h"
#include "translation_cache/translation_cache.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
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
   StoredLines* lines;           /* NULL: there are none, or they are not stored */
   Bool lines_wait, frames_wait; /* what is put off */
   UChar* before;  /* its bytes before it was read; NULL if it is not put off */
   UChar* without; /* finished, without what is put off; NULL until then */
   XArray* files;  /* of ReadFile; NULL if it is not put off */
   OwnLines* own;  /* NULL: not sought, or the core must read them */
   Bool own_is_sought;
} Known;

static VgHashTable* known; /* NULL: before late_lines_init() */
static Bool (*is_instrumenting)(void);
static struct {
   UInt put_off, read;
} of_lines, of_frames;
static UInt n_own; /* objects whose lines are read without the core */

/* Files may be out of reach from now on.  */
static Bool nothing_waits;

/* The reading that is under way.  */
static struct {
   Known* of;
   XArray* files;
   Word n_decided; /* how many files there were when it was decided what waits */
   Bool must_have_all;
} reading;

/* The object that was asked for last; start > end: none.  */
static struct {
   Addr start, end; /* both included */
   PtrdiffT bias;
   Known* of;
} last = {1, 0, 0, NULL};

void late_lines_forget_ranges(void)
{
   last.start = 1;
   last.end = 0;
}

static Bool is_put_off(const Known* info)
{
   return info->lines_wait || info->frames_wait;
}

static Known* known_of(const DebugInfo* info)
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

static void forget(Known* info)
{
   VG_(free)(info->before);
   VG_(free)(info->without);
   if (info->files != NULL)
      forget_files(info->files);
   info->lines_wait = info->frames_wait = False;
   info->before = info->without = NULL;
   info->files = NULL;
}

static void make(const DebugInfo* record, SizeT size)
{
   Known* info = VG_(HT_remove)(known, (UWord)record); /* of one that is gone */
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

static void note_file(const HChar* path)
{
   if (reading.files == NULL)
      return;
   ReadFile file;
   VG_(memset)(&file, 0, sizeof file);
   (void)VG_(stat)(path, &file.status);
   file.path = VG_(strdup)("late_lines.path", path);
   VG_(addToXA)(reading.files, &file);
}

/* What the files of the object have.  False if one cannot be read.  */
static Bool measure(ElfDebug* debug)
{
   SizeT size = VG_(DebugInfo_get_text_size)((DebugInfo*)reading.of->node.key);
   *debug = (ElfDebug){.wants_sum = translation_cache_is_open(),
                       .sum = hash_checksum(0, &size, sizeof size)};
   for (Word i = 0; i < VG_(sizeXA)(reading.files); i++) {
      const ReadFile* file = VG_(indexXA)(reading.files, i);
      if (!elf_sections_add_debug(file->path, debug))
         return False;
   }
   return True;
}

/* Reads the lines of the object's code, unless the core must; `files` as in Known.  */
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

static OwnLines* own_lines_of(Known* of, XArray* files)
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

/* Decides what of the object that is being read is put off.  If that is wanted after all,
   symbols are read a second time: not worth while where these are the larger part.  Lines
   are not likely to be wanted of the core if they can be read without it.  Call frame
   information waits together with lines.  */
static void decide(void)
{
   Known* of = reading.of;
   if (reading.n_decided == VG_(sizeXA)(reading.files))
      return;
   reading.n_decided = VG_(sizeXA)(reading.files);
   ElfDebug debug;
   if (!measure(&debug))
      return;
   if (debug.debug_size == 0)
      of->frames_wait = debug.frames_size > debug.symbols_size;
   else if (debug.debug_size > debug.symbols_size) {
      of->lines = stored_lines_of(debug.sum);
      of->lines_wait = of->frames_wait =
         will_not_be_asked_for(of->lines) || own_lines_of(of, reading.files) != NULL;
   }
}

static Bool lines_may_wait(void)
{
   if (reading.of == NULL || reading.must_have_all || nothing_waits)
      return False;
   decide();
   return reading.of->lines_wait;
}

static Bool frames_may_wait(void)
{
   if (reading.of == NULL || reading.must_have_all || nothing_waits)
      return False;
   decide();
   return reading.of->frames_wait;
}

/* Those of inlined functions and variables come with the lines.  */
static Bool can_be_put_off(const Known* info)
{
   return info != NULL && !is_put_off(info) && info->lines == NULL &&
          core_reads_lines_alone();
}

static void* copy_of(const void* bytes, SizeT size)
{
   void* copy = VG_(malloc)("late_lines.copy", size);
   VG_(memcpy)(copy, bytes, size);
   return copy;
}

static Bool read_object(DebugInfo* info)
{
   Known* of = known_of(info);
   if (!can_be_put_off(of))
      return core_debug_read(info);
   void* before = copy_of(info, of->size);
   reading.of = of;
   reading.files =
      VG_(newXA)(VG_(malloc), "late_lines.files", VG_(free), sizeof(ReadFile));
   reading.n_decided = 0;
   Bool is_read = core_debug_read(info);
   of_lines.put_off += of->lines_wait;
   of_frames.put_off += of->frames_wait;
   if (is_put_off(of)) {
      of->before = before;
      of->files = reading.files;
   } else {
      VG_(free)(before);
      forget_files(reading.files);
   }
   reading.of = NULL;
   reading.files = NULL;
   return is_read;
}

static void note_completed(DebugInfo* info)
{
   Known* of = known_of(info);
   if (of != NULL && is_put_off(of) && of->without == NULL)
      of->without = copy_of(info, of->size);
}

/*--------------------------------------------------------------------*/
/* When what was put off is wanted                                     */

static Bool files_are_same(const Known* info)
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

/* Takes into `now` what differs between `without` and `whole`.  False, and nothing is
   changed, if that is not what `now` still has of the former.  */
static Bool take_what_was_read(UChar* now, const Known* info, const UChar* whole)
{
   for (SizeT i = 0; i < info->size; i++)
      if (whole[i] != info->without[i] && now[i] != info->without[i])
         return False;
   for (SizeT i = 0; i < info->size; i++)
      if (whole[i] != info->without[i])
         now[i] = whole[i];
   return True;
}

static Bool read_again(DebugInfo* info, const Known* of)
{
   if (of->without == NULL || !files_are_same(of))
      return False;
   UChar* whole = copy_of(of->before, of->size);
   reading.must_have_all = True;
   Bool is_read = core_debug_read((DebugInfo*)whole);
   reading.must_have_all = False;
   if (is_read) {
      core_debug_complete((DebugInfo*)whole);
      is_read = take_what_was_read((UChar*)info, of, whole);
   }
   VG_(free)(whole);
   return is_read;
}

static void read_now(DebugInfo* info, Known* of, const HChar* what)
{
   Bool lines_waited = of->lines_wait, frames_waited = of->frames_wait;
   /* So that nothing which reading asks for comes here again.  */
   of->lines_wait = of->frames_wait = False;
   if (read_again(info, of)) {
      of_lines.read += lines_waited;
      of_frames.read += frames_waited;
   } else
      VG_(umsg)("warning: the %s of '%s' cannot be read any more\n", what,
                VG_(DebugInfo_get_filename)(info));
   forget(of);
}

static void read_lines_now(DebugInfo* info)
{
   Known* of = known_of(info);
   if (of != NULL && of->lines_wait)
      read_now(info, of, "source lines");
}

static void read_frames_of(Known* of)
{
   if (of->frames_wait)
      read_now((DebugInfo*)of->node.key, of, "call frame information");
}

static void read_lines_of(Known* of)
{
   if (is_put_off(of))
      read_now((DebugInfo*)of->node.key, of, "source lines");
}

/* Calls `action` for each object that is there; what is known may be of one that is
   gone.  Searches in between change the order of the core's list.  */
static void for_all_objects(void (*action)(Known* of))
{
   XArray* there = VG_(newXA)(VG_(malloc), "late_lines.there", VG_(free), sizeof(Known*));
   for (const DebugInfo* info = VG_(next_DebugInfo)(NULL); info != NULL;
        info = VG_(next_DebugInfo)(info)) {
      Known* of = known_of(info);
      if (of != NULL)
         VG_(addToXA)(there, &of);
   }
   for (Word i = 0; i < VG_(sizeXA)(there); i++)
      action(*(Known**)VG_(indexXA)(there, i));
   VG_(deleteXA)(there);
}

void late_lines_read_all(void)
{
   nothing_waits = True;
   for_all_objects(read_lines_of);
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
   Known* of = info != NULL ? known_of(info) : NULL;
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

static Known* known_at(Addr address)
{
   if (address < last.start || address > last.end)
      find_object(address);
   return last.of;
}

/* `address` as the object's file numbers it.  If its lines have been put off, they are
   sought here.  */
static Bool find_own(Known* of, Addr address, SourceLine* line)
{
   if (of->lines_wait && !of->own_is_sought && files_are_same(of))
      (void)own_lines_of(of, of->files);
   return of->own != NULL && own_lines_find(of->own, address, line);
}

static Bool recall(Addr address, SourceLine* line)
{
   Known* of = known_at(address);
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

static void learn(Addr address, const SourceLine* line)
{
   const Known* of = known_at(address);
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
      .frames_may_wait = frames_may_wait,
      .lines_wanted = read_lines_now,
      .frames_wanted = read_frames_now,
   };
   is_instrumenting = is_on;
   known = VG_(HT_construct)("late_lines.known");
   address_set_line_memory(&memory);
   core_debug_lead(&hooks);
}

void late_lines_print_stats(void)
{
   VG_(umsg)("source lines: of %u objects put off, of %u read when asked for\n",
             of_lines.put_off, of_lines.read);
   VG_(umsg)("source lines: of %u objects read without the core\n", n_own);
   VG_(umsg)("call frame information: of %u objects put off, of %u read when asked for\n",
             of_frames.put_off, of_frames.read);
}

#else

void late_lines_init(Bool (*is_on)(void)) { (void)is_on; }

void late_lines_forget_ranges(void) {}

void late_lines_read_all(void) {}

void late_lines_print_stats(void) {}

#endif
