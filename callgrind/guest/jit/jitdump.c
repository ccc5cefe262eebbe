/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads dumps of JIT code; see jitdump.h.  */

#include "guest/jit/jitdump.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/tail_reader.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#define DUMP_MAGIC 0x4a695444u
#define DUMP_VERSION 1

/* As in the file: compilers add no padding to these structures.  */
typedef struct {
   UInt magic, version;
   UInt size; /* of the header, in bytes; records follow */
   UInt machine, padding, process;
   ULong time, flags;
} DumpHeader;

typedef struct {
   UInt kind;
   UInt size; /* of the record including this, in bytes */
   ULong time;
} RecordStart;

enum { CodeLoaded = 0, CodeMoved = 1 };

/* What follows the start of a CodeLoaded; then the name, ended by a NUL, and the
   code.  */
typedef struct {
   UInt process, thread;
   ULong memory, start, size, index;
} LoadedRecord;

typedef struct {
   UInt process, thread;
   ULong memory, old_start, start, size, index;
} MovedRecord;

static TailReader dump;

void jitdump_mapped(Addr start)
{
   const NSegment* segment = VG_(am_find_nsegment)(start);
   if (segment == NULL || segment->kind != SkFileC)
      return;
   const HChar* path = VG_(am_get_filename)(segment);
   const HChar* name = path != NULL ? VG_(strrchr)(path, '/') : NULL;
   HChar sought[32];
   VG_(snprintf)(sought, sizeof sought, "/jit-%d.dump", VG_(getpid)());
   if (name == NULL || VG_(strcmp)(name, sought) != 0 ||
       (dump.path != NULL && VG_(strcmp)(dump.path, path) == 0))
      return;
   tail_reader_begin(&dump, path, False);
}

static void take_record(const RecordStart* start, const UChar* bytes, SizeT n)
{
   LoadedRecord loaded;
   MovedRecord moved;
   if (start->kind == CodeLoaded && n > sizeof loaded) {
      VG_(memcpy)(&loaded, bytes, sizeof loaded);
      jit_names_add((Addr)loaded.start, (SizeT)loaded.size,
                    (const HChar*)bytes + sizeof loaded, n - sizeof loaded);
   } else if (start->kind == CodeMoved && n >= sizeof moved) {
      VG_(memcpy)(&moved, bytes, sizeof moved);
      const HChar* name = jit_names_at((Addr)moved.old_start);
      if (name != NULL)
         jit_names_add((Addr)moved.start, (SizeT)moved.size, name, VG_(strlen)(name));
   }
}

/* The length of the header; 0 if it is not complete, or not a header.  */
static SizeT take_header(const UChar* bytes, SizeT n)
{
   DumpHeader header;
   if (n < sizeof header)
      return 0;
   VG_(memcpy)(&header, bytes, sizeof header);
   if (header.magic != DUMP_MAGIC || header.version != DUMP_VERSION ||
       header.size < sizeof header) {
      dump.is_bad = True;
      return 0;
   }
   return header.size <= n ? header.size : 0;
}

static SizeT take_records(const UChar* bytes, SizeT n)
{
   SizeT at = 0;
   if (dump.offset == 0 && (at = take_header(bytes, n)) == 0)
      return 0;
   RecordStart start;
   while (n - at >= sizeof start) {
      VG_(memcpy)(&start, bytes + at, sizeof start);
      if (start.size < sizeof start) {
         dump.is_bad = True;
         break;
      }
      if (start.size > n - at)
         break;
      take_record(&start, bytes + at + sizeof start, start.size - sizeof start);
      at += start.size;
   }
   return at;
}

void jitdump_read(void) { tail_reader_read(&dump, take_records); }

void jitdump_forget(void)
{
   VG_(free)(dump.path);
   VG_(memset)(&dump, 0, sizeof dump);
}
