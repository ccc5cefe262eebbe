/* SPDX-License-Identifier: GPL-2.0-or-later

   See system_maps.h.  The form is that of proc(5).  Files have device and inode 0: those
   differ from one machine to the next.  */

#include "surroundings/system_maps.h"

#include "guest/memory_segments.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define PROGRAM_KINDS (SkFileC | SkAnonC | SkShmC)
#define LINE_WITHOUT_NAME 128

/* The program may execute one page of the tool: where signal handlers return to.  That
   mapping has the tool's name, and is not told.  */
#define TOOL_SIZE 0x4000000

static Bool is_of_tool(Addr start)
{
   const Addr here = (Addr)&is_of_tool;
   return start > here - TOOL_SIZE && start < here + TOOL_SIZE;
}

/* Sets *starts to a newly allocated array of where the program's segments start, in their
   order, and returns how many there are.  */
static Int find_segments(Addr** starts)
{
   const Int n = memory_segments(PROGRAM_KINDS, starts);
   Int kept = 0;
   for (Int i = 0; i < n; i++)
      if (!is_of_tool((*starts)[i]))
         (*starts)[kept++] = (*starts)[i];
   return kept;
}

static const HChar* name_of(const NSegment* segment, Addr stack)
{
   if (segment->start <= stack && stack <= segment->end)
      return "[stack]";
   if (segment->isCH)
      return "[heap]";
   const HChar* name = segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
   return name == NULL ? "" : name;
}

/* Writes the line of a segment to `at`, or, if that is NULL, nothing; returns how many
   bytes it has at most.  */
static SizeT write_line(HChar* at, const NSegment* segment, Addr stack)
{
   const HChar* name = name_of(segment, stack);
   if (at != NULL)
      VG_(sprintf)(at, "%08lx-%08lx %c%c%c%c %08llx 00:00 0 %s%s\n", segment->start,
                   segment->end + 1, segment->hasR ? 'r' : '-', segment->hasW ? 'w' : '-',
                   segment->hasX ? 'x' : '-', segment->kind == SkShmC ? 's' : 'p',
                   (ULong)segment->offset, name[0] == '\0' ? "" : "                    ",
                   name);
   return LINE_WITHOUT_NAME + VG_(strlen)(name);
}

HChar* system_maps_text(Addr stack)
{
   Addr* starts;
   const Int n = find_segments(&starts);
   SizeT size = 1;
   for (Int i = 0; i < n; i++)
      size += write_line(NULL, VG_(am_find_nsegment)(starts[i]), stack);
   HChar* text = VG_(malloc)("system_maps.text", size);
   HChar* end = text;
   *end = '\0';
   for (Int i = 0; i < n; i++) {
      write_line(end, VG_(am_find_nsegment)(starts[i]), stack);
      end += VG_(strlen)(end);
   }
   VG_(free)(starts);
   return text;
}
