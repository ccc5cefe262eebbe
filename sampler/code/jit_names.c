/* SPDX-License-Identifier: GPL-2.0-or-later

   Perf maps and jitdump; see jit_names.h.  Both are read as far as they were written, again
   when a name is asked for and they have grown.  Of several names for an address, the
   latest one that is not later than the sample holds; a perf map has no times, so there a
   name is as old as our reading.  The formats: linux/tools/perf/Documentation,
   jit-interface.txt and jitdump-specification.txt.  */

#include "code/jit_names.h"

#include "base/first_above.h"
#include "base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_NAME 4096
#define LONGEST_RECORD (64u << 20)
#define MAX_ENTRIES (8u << 20)
#define MAX_STEPS_BACK 4096        /* entries that are looked at for one address */
#define READ_AGAIN_AFTER 50000000u /* nanoseconds */
#define DUMP_MAGIC 0x4a695444u
#define DUMP_CODE_LOAD 0
#define DUMP_CODE_MOVE 1

typedef struct {
   uint64_t start, end, time;
   size_t order;
   char* name;
} Entry;

/* A file that grows.  */
typedef struct {
   int fd; /* -1: not open */
   bool is_dump, is_bad, has_header;
   bool has_other_clock;
   char path[PATH_MAX];
   char* rest; /* bytes that were read, but are not whole yet */
   size_t rest_size;
} Source;

struct JitNames {
   JitNames* parent;
   uint32_t pid;
   Source* sources; /* the first is the perf map */
   unsigned source_count;
   Entry* entries;
   size_t count, room;
   uint64_t longest;
   bool is_sorted;
   uint64_t read_at;
};

static int64_t start_time;

void jit_names_set_start(int64_t time) { start_time = time; }

bool jit_names_is_dump(const char* path)
{
   const char* name = strrchr(path, '/');
   unsigned pid;
   int end = 0;
   return name != NULL && sscanf(name, "/jit-%u.dump%n", &pid, &end) == 1 && end != 0 &&
          name[end] == '\0';
}

static Source* add_source(JitNames* names, const char* path, bool is_dump)
{
   names->sources =
      memory_reallocate(names->sources, names->source_count + 1, sizeof(Source));
   Source* source = &names->sources[names->source_count++];
   memset(source, 0, sizeof *source);
   source->fd = -1;
   source->is_dump = is_dump;
   snprintf(source->path, sizeof source->path, "%s", path);
   return source;
}

static JitNames* make(uint32_t pid)
{
   char path[64];
   JitNames* names = memory_allocate(sizeof *names);
   names->pid = pid;
   snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
   add_source(names, path, false);
   return names;
}

void jit_names_add_dump(JitNames** names, uint32_t pid, const char* path)
{
   if (*names == NULL)
      *names = make(pid);
   for (unsigned i = 0; i < (*names)->source_count; i++) {
      if (strcmp((*names)->sources[i].path, path) == 0)
         return;
   }
   add_source(*names, path, true);
}

JitNames* jit_names_of_child(JitNames* parent, uint32_t pid)
{
   if (parent == NULL)
      return NULL;
   JitNames* names = make(pid);
   names->parent = parent;
   return names;
}

static void add_entry(JitNames* names, uint64_t start, uint64_t size, uint64_t time,
                      const char* name, size_t length)
{
   if (size == 0 || start + size < start || length == 0 || names->count >= MAX_ENTRIES)
      return;
   if (names->count == names->room) {
      names->room = names->room ? 2 * names->room : 256;
      names->entries = memory_reallocate(names->entries, names->room, sizeof(Entry));
   }
   if (length > LONGEST_NAME)
      length = LONGEST_NAME;
   char* copy = memory_allocate(length + 1);
   memcpy(copy, name, length);
   names->entries[names->count] = (Entry){start, start + size, time, names->count, copy};
   names->count++;
   names->is_sorted = false;
   if (size > names->longest)
      names->longest = size;
}

/* Whole lines, "START SIZE NAME" with hexadecimal numbers; how many bytes they have.  */
static size_t take_lines(JitNames* names, const char* bytes, size_t size, uint64_t time)
{
   size_t at = 0;
   const char* end;
   while ((end = memchr(bytes + at, '\n', size - at)) != NULL) {
      const char* line = bytes + at;
      char numbers[64];
      char* next;
      size_t length = (size_t)(end - line);
      size_t head = length < sizeof numbers - 1 ? length : sizeof numbers - 1;
      at += length + 1;
      memcpy(numbers, line, head);
      numbers[head] = '\0';
      uint64_t start = strtoull(numbers, &next, 16);
      if (next == numbers || *next != ' ')
         continue;
      char* second = next + 1;
      uint64_t count = strtoull(second, &next, 16);
      if (next == second || *next != ' ')
         continue;
      size_t name_at = (size_t)(next + 1 - numbers);
      if (name_at < length)
         add_entry(names, start, count, time, line + name_at, length - name_at);
   }
   return at;
}

static uint32_t u32_at(const char* bytes)
{
   uint32_t value;
   memcpy(&value, bytes, sizeof value);
   return value;
}

static uint64_t u64_at(const char* bytes)
{
   uint64_t value;
   memcpy(&value, bytes, sizeof value);
   return value;
}

/* Code that was moved keeps its name.  */
static void move_code(JitNames* names, const char* record, uint64_t time)
{
   uint64_t from = u64_at(record + 32), to = u64_at(record + 40),
            size = u64_at(record + 48);
   for (size_t i = names->count; i-- > 0;) {
      if (names->entries[i].start == from) {
         const char* name = names->entries[i].name;
         add_entry(names, to, size, time, name, strlen(name));
         return;
      }
   }
}

static void take_dump_record(JitNames* names, const Source* source, const char* record,
                             size_t size)
{
   uint64_t time = source->has_other_clock ? 0 : u64_at(record + 8);
   switch (u32_at(record)) {
   case DUMP_CODE_LOAD:
      if (size > 56)
         add_entry(names, u64_at(record + 32), u64_at(record + 40), time, record + 56,
                   strnlen(record + 56, size - 56));
      break;
   case DUMP_CODE_MOVE:
      if (size >= 64)
         move_code(names, record, time);
      break;
   default: break;
   }
}

/* Whole records of a jitdump file; how many bytes they have.  */
static size_t take_dump(JitNames* names, Source* source, const char* bytes, size_t size)
{
   size_t at = 0;
   if (!source->has_header) {
      if (size < 40)
         return 0;
      uint32_t header_size = u32_at(bytes + 8);
      if (u32_at(bytes) != DUMP_MAGIC || header_size < 40 || header_size > 4096) {
         source->is_bad = true; /* another byte order is of another machine */
         return size;
      }
      if (size < header_size)
         return 0;
      source->has_header = true;
      source->has_other_clock = (u64_at(bytes + 32) & 1) != 0;
      at = header_size;
   }
   while (size - at >= 16) {
      uint32_t length = u32_at(bytes + at + 4);
      if (length < 16 || length > LONGEST_RECORD) {
         source->is_bad = true;
         return size;
      }
      if (length > size - at)
         break;
      take_dump_record(names, source, bytes + at, length);
      at += length;
   }
   return at;
}

/* A file of the process, or of ours; others could tell us anything.  */
static bool open_source(const JitNames* names, Source* source)
{
   char path[64];
   struct stat status, process;
   source->fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
   if (source->fd < 0) {
      char inside[PATH_MAX + 64];
      snprintf(inside, sizeof inside, "/proc/%u/root%s", names->pid, source->path);
      source->fd = open(inside, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
   }
   if (source->fd < 0)
      return false;
   snprintf(path, sizeof path, "/proc/%u", names->pid);
   if (fstat(source->fd, &status) == 0 && S_ISREG(status.st_mode) &&
       (status.st_uid == geteuid() ||
        (stat(path, &process) == 0 && status.st_uid == process.st_uid)) &&
       status.st_mtime >= start_time)
      return true;
   close(source->fd);
   source->fd = -1;
   return false;
}

static void read_source(JitNames* names, Source* source, uint64_t time)
{
   static char bytes[1 << 16];
   ssize_t size;
   if (source->is_bad || (source->fd < 0 && !open_source(names, source)))
      return;
   while ((size = read(source->fd, bytes, sizeof bytes)) > 0) {
      size_t total = source->rest_size + (size_t)size;
      source->rest = memory_reallocate(source->rest, total, 1);
      memcpy(source->rest + source->rest_size, bytes, (size_t)size);
      size_t taken = source->is_dump ? take_dump(names, source, source->rest, total)
                                     : take_lines(names, source->rest, total, time);
      source->rest_size = total - taken;
      memmove(source->rest, source->rest + taken, source->rest_size);
      /* A line without end is no line.  */
      if (!source->is_dump && source->rest_size > LONGEST_RECORD)
         source->is_bad = true;
      if (source->is_bad)
         return;
   }
}

static int by_start(const void* left, const void* right)
{
   const Entry *a = left, *b = right;
   if (a->start != b->start)
      return a->start < b->start ? -1 : 1;
   return a->order < b->order ? -1 : a->order > b->order;
}

static const Entry* find_entry(JitNames* names, uint64_t address, uint64_t time)
{
   if (!names->is_sorted && names->count != 0)
      qsort(names->entries, names->count, sizeof(Entry), by_start);
   names->is_sorted = true;
   size_t next = first_above(names->entries, names->count, sizeof(Entry),
                             offsetof(Entry, start), address);
   const Entry *best = NULL, *later = NULL;
   for (size_t i = next, steps = 0; i-- > 0 && steps < MAX_STEPS_BACK; steps++) {
      const Entry* entry = &names->entries[i];
      if (address - entry->start >= names->longest)
         break;
      if (entry->end <= address)
         continue;
      if (entry->time <= time) {
         if (best == NULL || entry->order > best->order)
            best = entry;
      } else if (later == NULL || entry->order < later->order) {
         later = entry; /* read after the sample, but perhaps written before */
      }
   }
   return best != NULL ? best : later;
}

static const char* find(JitNames* names, uint64_t address, uint64_t time, bool late)
{
   for (; names != NULL; names = names->parent) {
      if (late || names->read_at == 0 || time > names->read_at + READ_AGAIN_AFTER) {
         for (unsigned i = 0; i < names->source_count; i++)
            read_source(names, &names->sources[i], time);
         names->read_at = time;
      }
      const Entry* entry = find_entry(names, address, time);
      if (entry != NULL)
         return entry->name;
   }
   return NULL;
}

const char* jit_names_find(JitNames** names, uint32_t pid, uint64_t address,
                           uint64_t time)
{
   if (*names == NULL)
      *names = make(pid);
   return find(*names, address, time, false);
}

const char* jit_names_find_late(JitNames** names, uint32_t pid, uint64_t address,
                                uint64_t time)
{
   if (*names == NULL)
      *names = make(pid);
   return find(*names, address, time, true);
}
