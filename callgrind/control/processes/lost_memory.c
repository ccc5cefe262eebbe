/* SPDX-License-Identifier: GPL-2.0-or-later

   See lost_memory.h.

   What a child lacks is what the system's list of its mappings lacks.  It is read only if
   the program has asked once that something is not copied.  */

#include "control/processes/lost_memory.h"

#include "base/system_filter.h"
#include "core/memory_map.h"
#include "core/two_tables.h"
#include "guest/memory_segments.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Linux's numbers, which the core's headers do not have.  */
#define DO_NOT_COPY 10 /* MADV_DONTFORK */
#define WIPE 18        /* MADV_WIPEONFORK */

#define CLIENT_SEGMENTS (SkAnonC | SkFileC | SkShmC)

typedef struct {
   Addr start, end;
} Range;

static Bool is_some_not_copied;
static XArray* wiped; /* of Range, at least; NULL: none */

static XArray* new_ranges(void)
{
   return VG_(newXA)(VG_(malloc), "lost_memory.ranges", VG_(free), sizeof(Range));
}

/*--------------------------------------------------------------------*/
/* Forked children                                                     */

static void note_advice(Addr start, SizeT size, UWord advice)
{
   if (advice == DO_NOT_COPY)
      is_some_not_copied = True;
   if (advice != WIPE)
      return;
   const Range range = {start, start + size};
   if (wiped == NULL)
      wiped = new_ranges();
   VG_(addToXA)(wiped, &range);
}

/* The whole text of a file of /proc, newly allocated; NULL if it cannot be read.  */
static HChar* read_all(const HChar* path)
{
   SizeT room = 65536, used = 0;
   const SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return NULL;
   HChar* text = VG_(malloc)("lost_memory.text", room);
   Int n;
   while ((n = VG_(read)((Int)sr_Res(opened), text + used, (Int)(room - used - 1))) > 0) {
      used += (SizeT)n;
      if (room - used < 4096) {
         room *= 2;
         text = VG_(realloc)("lost_memory.text", text, room);
      }
   }
   VG_(close)((Int)sr_Res(opened));
   text[used] = '\0';
   return text;
}

/* What is mapped, in the order of addresses; NULL if that cannot be known.  */
static XArray* mapped_ranges(void)
{
   HChar* text = read_all("/proc/self/maps");
   if (text == NULL)
      return NULL;
   XArray* ranges = new_ranges();
   for (HChar* line = text; line != NULL && *line != '\0';) {
      HChar* behind;
      Range range;
      range.start = (Addr)VG_(strtoull16)(line, &behind);
      range.end = *behind == '-' ? (Addr)VG_(strtoull16)(behind + 1, NULL) : 0;
      if (range.end > range.start)
         VG_(addToXA)(ranges, &range);
      line = VG_(strchr)(line, '\n');
      if (line != NULL)
         line++;
   }
   VG_(free)(text);
   return ranges;
}

/* Tells the core of what `segment` lacks.  */
static void compare(Range segment, const XArray* mapped)
{
   Addr at = segment.start;
   for (Word i = 0; i < VG_(sizeXA)(mapped) && at < segment.end; i++) {
      const Range* range = VG_(indexXA)(mapped, i);
      if (range->end <= at)
         continue;
      if (range->start >= segment.end)
         break;
      if (range->start > at)
         core_believe_unmapped(at, range->start - at);
      at = range->end;
   }
   if (at < segment.end)
      core_believe_unmapped(at, segment.end - at);
}

static void forget_what_is_not_copied(void)
{
   XArray* mapped = mapped_ranges();
   if (mapped == NULL || VG_(sizeXA)(mapped) == 0)
      return;
   Addr* starts;
   const Int n = memory_segments(CLIENT_SEGMENTS, &starts);
   for (Int i = 0; i < n; i++) {
      const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
      if (segment != NULL)
         compare((Range){segment->start, segment->end + 1}, mapped);
   }
   VG_(free)(starts);
   VG_(deleteXA)(mapped);
}

void lost_memory_in_child(void)
{
   if (is_some_not_copied && !system_filter_is_on())
      forget_what_is_not_copied();
   for (Word i = 0; wiped != NULL && i < VG_(sizeXA)(wiped); i++) {
      const Range* range = VG_(indexXA)(wiped, i);
      core_discard_at_once(range->start, range->end - range->start);
   }
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

/* Discards all code of the file, which may have become shorter.  */
static void discard_code_of(const struct vg_stat* file)
{
   Addr* starts;
   const Int n = memory_segments(SkFileC, &starts);
   for (Int i = 0; i < n; i++) {
      const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
      if (segment != NULL && segment->hasX && segment->dev == file->dev &&
          segment->ino == file->ino)
         core_discard_at_once(segment->start, segment->end + 1 - segment->start);
   }
   VG_(free)(starts);
}

void lost_memory_after_call(UInt call, const UWord* arguments)
{
   struct vg_stat file;
   if (call == __NR_madvise)
      note_advice(arguments[0], arguments[1], arguments[2]);
   else if ((call == __NR_ftruncate || call == __NR_truncate) && !system_filter_is_on()) {
      const HChar* path = (const HChar*)arguments[0]; /* which the call has just read */
      if (call == __NR_ftruncate ? VG_(fstat)((Int)arguments[0], &file) == 0
                                 : !sr_isError(VG_(stat)(path, &file)))
         discard_code_of(&file);
   }
}
