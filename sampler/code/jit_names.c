/* SPDX-License-Identifier: GPL-2.0-or-later

   Perf maps and jitdump; see jit_names.h.  Both are read as far as they are written,
   and further when a name is wanted later.  A perf map has no times, so a name counts
   from when it was read.  The formats: linux/tools/perf/Documentation,
   jit-interface.txt and jitdump-specification.txt.  */

#include "code/jit_names.h"

#include "base/memory.h"
#include "code/jit_table.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_RECORD (64u << 20)
#define READ_AGAIN_AFTER 50000000u /* nanoseconds */
#define DUMP_MAGIC 0x4a695444u
#define DUMP_CODE_LOAD 0
#define DUMP_CODE_MOVE 1

/* A file that grows.  */
typedef struct {
   int fd;       /* -1: not open */
   bool is_dump; /* otherwise a perf map */
   bool is_bad;  /* nothing more is read from it */
   bool has_header;
   bool has_other_clock; /* its times are not those of samples */
   char path[PATH_MAX];
   char* rest; /* the start of a line or record that has not been read to its end */
   size_t rest_size;
} Source;

struct JitNames {
   JitNames* parent; /* of the parent process; NULL: none */
   uint32_t pid;
   Source* sources; /* the first is the perf map */
   unsigned source_count;
   JitTable* table;  /* what the sources say */
   uint64_t read_at; /* the time of the sample for which they were read last; or 0 */
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
   names->table = jit_table_create();
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

/* Takes whole lines, "START SIZE NAME" with hexadecimal numbers.  Returns how many bytes
   they have.  */
static size_t take_lines(JitTable* table, const char* bytes, size_t size, uint64_t time)
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
         jit_table_add(table, start, count, time, line + name_at, length - name_at);
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

static void take_dump_record(JitTable* table, const Source* source, const char* record,
                             size_t size)
{
   uint64_t time = source->has_other_clock ? 0 : u64_at(record + 8);
   switch (u32_at(record)) {
   case DUMP_CODE_LOAD:
      if (size > 56)
         jit_table_add(table, u64_at(record + 32), u64_at(record + 40), time, record + 56,
                       strnlen(record + 56, size - 56));
      break;
   case DUMP_CODE_MOVE:
      if (size >= 64)
         jit_table_move(table, u64_at(record + 32), u64_at(record + 40),
                        u64_at(record + 48), time);
      break;
   default: break;
   }
}

/* Takes whole records of a jitdump file.  Returns how many bytes they have.  */
static size_t take_dump(JitTable* table, Source* source, const char* bytes, size_t size)
{
   size_t at = 0;
   if (!source->has_header) {
      if (size < 40)
         return 0;
      uint32_t header_size = u32_at(bytes + 8);
      if (u32_at(bytes) != DUMP_MAGIC || header_size < 40 || header_size > 4096) {
         source->is_bad = true; /* another byte order: from another machine */
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
      take_dump_record(table, source, bytes + at, length);
      at += length;
   }
   return at;
}

/* Opens a file if its owner is the user of the process, or ours: anybody may write a
   file of that name to /tmp.  */
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
      size_t taken = source->is_dump
                        ? take_dump(names->table, source, source->rest, total)
                        : take_lines(names->table, source->rest, total, time);
      source->rest_size = total - taken;
      memmove(source->rest, source->rest + taken, source->rest_size);
      /* A line without end is no line.  */
      if (!source->is_dump && source->rest_size > LONGEST_RECORD)
         source->is_bad = true;
      if (source->is_bad)
         return;
   }
}

/* A name in a process or those it was forked from.  `late`: nothing is written any
   more, so the files are read to their ends.  */
static const char* find(JitNames* names, uint64_t address, uint64_t time, bool late)
{
   for (; names != NULL; names = names->parent) {
      if (late || names->read_at == 0 || time > names->read_at + READ_AGAIN_AFTER) {
         for (unsigned i = 0; i < names->source_count; i++)
            read_source(names, &names->sources[i], time);
         names->read_at = time;
      }
      const char* name = jit_table_find(names->table, address, time);
      if (name != NULL)
         return name;
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
