/* SPDX-License-Identifier: GPL-2.0-or-later

   See late_objects.h.  */

#include "lines/late_objects.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#ifdef CORE_CAN_READ_LINES_LATE

static VgHashTable* known; /* NULL: before late_objects_init() */
static UInt n_own;

void late_objects_init(void) { known = VG_(HT_construct)("late_objects.known"); }

LateObject* late_object_of(const DebugInfo* record)
{
   return known != NULL ? VG_(HT_lookup)(known, (UWord)record) : NULL;
}

Bool late_object_waits(const LateObject* of)
{
   return of->symbols_wait || of->lines_wait || of->inlined_wait || of->frames_wait;
}

void late_object_forget(LateObject* of)
{
   debug_past_forget(&of->past);
   read_files_free(&of->files);
   of->symbols_wait = False;
   of->lines_wait = of->inlined_wait = of->frames_wait = False;
}

void late_objects_add(const DebugInfo* record, SizeT size)
{
   LateObject* of = VG_(HT_remove)(known, (UWord)record); /* of one that is gone */
   if (of != NULL) {
      late_object_forget(of);
      if (of->own != NULL)
         own_lines_free(of->own);
   } else
      of = VG_(malloc)("late_objects.known", sizeof *of);
   VG_(memset)(of, 0, sizeof *of);
   of->node.key = (UWord)record;
   of->size = size;
   VG_(HT_add_node)(known, of);
}

/* What is known may be of one that is gone.  Searches in between change the order of the
   core's list.  */
void late_objects_for_all(void (*action)(LateObject* of))
{
   XArray* there =
      VG_(newXA)(VG_(malloc), "late_objects.there", VG_(free), sizeof(LateObject*));
   for (const DebugInfo* record = VG_(next_DebugInfo)(NULL); record != NULL;
        record = VG_(next_DebugInfo)(record)) {
      LateObject* of = late_object_of(record);
      if (of != NULL)
         VG_(addToXA)(there, &of);
   }
   for (Word i = 0; i < VG_(sizeXA)(there); i++)
      action(*(LateObject**)VG_(indexXA)(there, i));
   VG_(deleteXA)(there);
}

/*--------------------------------------------------------------------*/

static OwnLines* read_own(const DebugInfo* info, const ReadFiles* files)
{
   Addr start =
      VG_(DebugInfo_get_text_avma)(info) - (Addr)VG_(DebugInfo_get_text_bias)(info);
   UInt n = read_files_count(files);
   const HChar** paths = VG_(malloc)("late_objects.paths", (n + 1) * sizeof *paths);
   for (UInt i = 0; i < n; i++)
      paths[i] = read_files_path(files, i);
   OwnLines* own =
      own_lines_read(paths, n, start, start + VG_(DebugInfo_get_text_size)(info));
   VG_(free)(paths);
   return own;
}

OwnLines* late_object_own_lines(LateObject* of)
{
   if (!of->own_is_sought) {
      of->own_is_sought = True;
      of->own = read_own((const DebugInfo*)of->node.key, &of->files);
      n_own += of->own != NULL;
   }
   return of->own;
}

UInt late_objects_read_here(void) { return n_own; }

#endif
