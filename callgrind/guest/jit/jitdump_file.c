/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads dumps of JIT code; see jitdump_file.h.  */

#include "guest/jit/jitdump_file.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/tail_reader.h"
#include "jit/jitdump.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

/* The longest name of which all is kept.  */
#define LONGEST_NAME 65536

static TailReader file;
static Jitdump dump;
static UChar kept[JITDUMP_MIN_ROOM + LONGEST_NAME];

void jitdump_file_mapped(Addr start)
{
   const NSegment* segment = VG_(am_find_nsegment)(start);
   if (segment == NULL || segment->kind != SkFileC)
      return;
   const HChar* path = VG_(am_get_filename)(segment);
   const HChar* name = path != NULL ? VG_(strrchr)(path, '/') : NULL;
   HChar sought[32];
   VG_(snprintf)(sought, sizeof sought, "/jit-%d.dump", VG_(getpid)());
   if (name == NULL || VG_(strcmp)(name, sought) != 0 ||
       (file.path != NULL && VG_(strcmp)(file.path, path) == 0))
      return;
   tail_reader_begin(&file, path, False);
   jitdump_begin(&dump, kept, sizeof kept);
}

static void take(const UChar* bytes, SizeT size, Bool is_start)
{
   if (is_start)
      jitdump_begin(&dump, kept, sizeof kept);
   jitdump_take(&dump, bytes, size, &jit_names_sink);
}

void jitdump_file_read(void)
{
   if (!dump.is_bad)
      tail_reader_read(&file, take);
}

void jitdump_file_forget(void)
{
   VG_(free)(file.path);
   VG_(memset)(&file, 0, sizeof file);
   jitdump_begin(&dump, kept, sizeof kept);
}
