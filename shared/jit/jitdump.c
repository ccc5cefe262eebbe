/* SPDX-License-Identifier: GPL-2.0-or-later

   See jitdump.h.  Of the header and of each record the first bytes are kept; the others,
   which are the code, are passed over.  */

#include "jit/jitdump.h"

#define DUMP_MAGIC 0x4a695444u
#define DUMP_VERSION 1u

#define HEADER_SIZE 40u
#define LONGEST_HEADER 4096u
#define RECORD_SIZE 16u /* of what all records begin with */
#define LONGEST_RECORD (64u << 20)

/* Offsets in the header.  */
enum { AtMagic = 0, AtVersion = 4, AtHeaderSize = 8, AtFlags = 32 };

#define FLAG_OTHER_CLOCK 1u

/* Offsets in records.  */
enum {
   AtKind = 0,
   AtSize = 4,
   AtTime = 8,
   AtLoadedStart = 32,
   AtLoadedSize = 40,
   AtLoadedName = 56,
   AtMovedFrom = 32,
   AtMovedTo = 40,
   AtMovedSize = 48,
   MOVED_SIZE = 64
};

enum { CodeLoaded = 0, CodeMoved = 1 };

void jitdump_begin(Jitdump* dump, unsigned char* kept, size_t room)
{
   *dump = (Jitdump){.kept = kept, .room = room};
}

/* Numbers of the machine's byte order, at any offset.  */
static uint32_t u32_at(const unsigned char* bytes)
{
   uint32_t value;
   unsigned char* to = (unsigned char*)&value;
   for (size_t i = 0; i < sizeof value; i++)
      to[i] = bytes[i];
   return value;
}

static uint64_t u64_at(const unsigned char* bytes)
{
   uint64_t value;
   unsigned char* to = (unsigned char*)&value;
   for (size_t i = 0; i < sizeof value; i++)
      to[i] = bytes[i];
   return value;
}

/* The length of the header or record that is being read; 0 if that is not known yet.
   Sets is_bad if it cannot be.  */
static uint64_t length_of(Jitdump* dump)
{
   if (dump->n_kept < (dump->has_header ? RECORD_SIZE : HEADER_SIZE))
      return 0;
   if (dump->has_header) {
      uint32_t length = u32_at(dump->kept + AtSize);
      dump->is_bad = length < RECORD_SIZE || length > LONGEST_RECORD;
      return length;
   }
   uint32_t length = u32_at(dump->kept + AtHeaderSize);
   dump->is_bad = u32_at(dump->kept + AtMagic) != DUMP_MAGIC ||
                  u32_at(dump->kept + AtVersion) != DUMP_VERSION ||
                  length < HEADER_SIZE || length > LONGEST_HEADER;
   return length;
}

static void take_loaded(const Jitdump* dump, uint64_t time, const NameSink* sink)
{
   const char* name = (const char*)dump->kept + AtLoadedName;
   size_t most = dump->n_kept - AtLoadedName, length = 0;
   while (length < most && name[length] != '\0')
      length++;
   sink->named(sink->context, u64_at(dump->kept + AtLoadedStart),
               u64_at(dump->kept + AtLoadedSize), time, name, length);
}

/* The header or record is whole.  */
static void take_whole(Jitdump* dump, const NameSink* sink)
{
   const unsigned char* kept = dump->kept;
   if (!dump->has_header) {
      dump->has_header = true;
      dump->has_other_clock = (u64_at(kept + AtFlags) & FLAG_OTHER_CLOCK) != 0;
      return;
   }
   uint64_t time = dump->has_other_clock ? 0 : u64_at(kept + AtTime);
   uint32_t kind = u32_at(kept + AtKind);
   if (kind == CodeLoaded && dump->n_kept > AtLoadedName)
      take_loaded(dump, time, sink);
   else if (kind == CodeMoved && dump->n_kept >= MOVED_SIZE)
      sink->moved(sink->context, u64_at(kept + AtMovedFrom), u64_at(kept + AtMovedTo),
                  u64_at(kept + AtMovedSize), time);
}

/* Passes over bytes, and keeps them as far as there is room.  */
static void pass(Jitdump* dump, const unsigned char* bytes, size_t n)
{
   for (size_t i = 0; i < n && dump->n_kept < dump->room; i++)
      dump->kept[dump->n_kept++] = bytes[i];
   dump->n_passed += n;
}

void jitdump_take(Jitdump* dump, const void* bytes, size_t n, const NameSink* sink)
{
   const unsigned char* byte = bytes;
   while (n > 0 && !dump->is_bad) {
      uint64_t length = length_of(dump);
      uint64_t missing = length - dump->n_passed;
      if (length == 0)
         missing = (dump->has_header ? RECORD_SIZE : HEADER_SIZE) - dump->n_kept;
      size_t now = missing < n ? (size_t)missing : n;
      pass(dump, byte, now);
      byte += now;
      n -= now;
      if (length_of(dump) != 0 && !dump->is_bad && dump->n_passed == length_of(dump)) {
         take_whole(dump, sink);
         dump->n_kept = 0;
         dump->n_passed = 0;
      }
   }
}
