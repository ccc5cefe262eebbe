/* SPDX-License-Identifier: GPL-2.0-or-later

   See read_ahead.h.  */

#include "control/limits/read_ahead.h"

#include "core/debug_options.h"
#include "guest/debug_files.h"
#include "guest/elf/elf_sections.h"
#include "guest/jit/jit_functions.h"
#include "guest/memory_segments.h"
#include "guest/symbols.h"
#include "lines/late_lines.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"

#define EXECUTED_BY_OTHERS 01
#define READ_BY_OTHERS 04

/* Calls `action` with the path of each file that is mapped as code, more than once if it
   is mapped several times, until that returns False.  */
static void for_mapped_files(Bool (*action)(const HChar* path))
{
   Addr* starts;
   const Int n = memory_segments(SkFileC, &starts);
   for (Int i = 0; i < n; i++) {
      const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
      const HChar* path =
         segment != NULL && segment->hasX ? VG_(am_get_filename)(segment) : NULL;
      if (path != NULL && !action(path))
         break;
   }
   VG_(free)(starts);
}

static void read_debug_files(const HChar* path, Object* object)
{
   const DebugSearch search = core_reads_inline_info() ? DebugAnywhere : DebugInObject;
   if (object != NULL)
      (void)debug_files_of(object, search);
   else
      debug_files_read_ahead(path, search);
}

static Bool read_file(const HChar* path)
{
   Object* object = symbols_find_object(path);
   if (object != NULL)
      elf_sections_read_functions(object->sections, path);
   else
      elf_sections_read_ahead(path);
   read_debug_files(path, object);
   return True;
}

void read_ahead(void)
{
   late_lines_read_all();
   for_mapped_files(read_file);
   jit_functions_take_late_names();
}

/*--------------------------------------------------------------------*/
/* Other users                                                         */

static Bool has(const HChar* path, UInt right)
{
   struct vg_stat status;
   return !sr_isError(VG_(stat)(path, &status)) && (status.mode & right) != 0;
}

static Bool others_may_not;

static Bool look_for_others(const HChar* path)
{
   HChar* folder = VG_(strdup)("read_ahead.folder", path);
   Bool may = has(path, READ_BY_OTHERS);
   for (HChar* slash; may && (slash = VG_(strrchr)(folder, '/')) != NULL;) {
      *slash = '\0';
      may = has(folder[0] != '\0' ? folder : "/", EXECUTED_BY_OTHERS);
   }
   VG_(free)(folder);
   others_may_not = !may;
   return may;
}

void read_ahead_for_others(void)
{
   others_may_not = False;
   for_mapped_files(look_for_others);
   if (others_may_not)
      read_ahead();
}
