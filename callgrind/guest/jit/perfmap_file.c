/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads perf's maps of names; see perfmap_file.h.  */

#include "guest/jit/perfmap_file.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/tail_reader.h"
#include "jit/perf_map.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

/* The longest line of which all is kept.  */
#define LONGEST_LINE 65536

static TailReader file;
static PerfMap map;
static HChar line[LONGEST_LINE];

static void begin(void) { perf_map_begin(&map, line, sizeof line); }

void perfmap_file_begin(void)
{
   HChar path[64];
   VG_(snprintf)(path, sizeof path, "/tmp/perf-%d.map", VG_(getpid)());
   tail_reader_begin(&file, path, True);
   begin();
}

static void take(const UChar* bytes, SizeT size, Bool is_start)
{
   if (is_start)
      begin();
   perf_map_take(&map, bytes, size, &jit_names_sink);
}

void perfmap_file_read(void) { tail_reader_read(&file, take); }
