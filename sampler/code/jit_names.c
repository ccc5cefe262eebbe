/* SPDX-License-Identifier: GPL-2.0-or-later

   Perf maps and jitdumps; see jit_names.h.  Both are read as far as they are written,
   and further when a name is wanted later.  A perf map has no times, so a name counts
   from when it was read.  What the files hold is read by shared/jit/.  */

#include "code/jit_names.h"

#include "base/memory.h"
#include "code/jit_table.h"
#include "jit/jitdump.h"
#include "jit/perf_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough of a line or record for the longest name that jit_table.h keeps.  */
#define KEPT_BYTES 8192
#define READ_AGAIN_AFTER 50000000u /* nanoseconds */

/* A file that grows.  */
typedef struct {
   int fd;       /* -1: not open */
   bool is_dump; /* otherwise a perf map */
   char* path;   /* of a jitdump, as the process sees it; owned */
   char* kept;   /* for the reader; NULL: not open so far */
   union {
      PerfMap map;
      Jitdump dump;
   } as;
} Source;

struct JitNames {
   JitNames* parent; /* of the parent process; NULL: none */
   JitOwner* owner;
   Source* sources; /* the first is the perf map */
   unsigned source_count;
   JitTable* table;  /* what the sources say */
   uint64_t read_at; /* the time of the sample for which they were read last; or 0 */
};

bool jit_names_is_dump(const char* path)
{
   const char* name = strrchr(path, '/');
   unsigned pid;
   int end = 0;
   return name != NULL && sscanf(name, "/jit-%u.dump%n", &pid, &end) == 1 && end != 0 &&
          name[end] == '\0';
}

static void add_source(JitNames* names, const char* path, bool is_dump)
{
   names->sources =
      memory_reallocate(names->sources, names->source_count + 1, sizeof(Source));
   Source* source = &names->sources[names->source_count++];
   memset(source, 0, sizeof *source);
   source->fd = -1;
   source->is_dump = is_dump;
   source->path = path != NULL ? memory_copy_text(path) : NULL;
}

static JitNames* make(JitOwner* owner)
{
   JitNames* names = memory_allocate(sizeof *names);
   names->owner = owner;
   names->table = jit_table_create();
   add_source(names, NULL, false);
   return names;
}

void jit_names_add_dump(JitNames** names, JitOwner* owner, const char* path)
{
   if (*names == NULL)
      *names = make(owner);
   for (unsigned i = 1; i < (*names)->source_count; i++) {
      if (strcmp((*names)->sources[i].path, path) == 0)
         return;
   }
   add_source(*names, path, true);
}

JitNames* jit_names_of_child(JitNames* parent, JitOwner* owner)
{
   if (parent == NULL)
      return NULL;
   JitNames* names = make(owner);
   names->parent = parent;
   return names;
}

/* Where the names of a source go.  */
typedef struct {
   JitTable* table;
   uint64_t time; /* from which the names of a perf map count */
   bool is_dump;
} Destination;

static void take_name(void* context, uint64_t start, uint64_t size, uint64_t time,
                      const char* name, size_t length)
{
   const Destination* to = context;
   jit_table_add(to->table, start, size, to->is_dump ? time : to->time, name, length);
}

static void take_move(void* context, uint64_t from, uint64_t to, uint64_t size,
                      uint64_t time)
{
   jit_table_move(((const Destination*)context)->table, from, to, size, time);
}

static void begin(Source* source)
{
   source->kept = memory_allocate(KEPT_BYTES);
   if (source->is_dump)
      jitdump_begin(&source->as.dump, (unsigned char*)source->kept, KEPT_BYTES);
   else
      perf_map_begin(&source->as.map, source->kept, KEPT_BYTES);
}

static bool open_source(const JitNames* names, Source* source)
{
   source->fd = source->is_dump ? jit_files_open_dump(names->owner, source->path)
                                : jit_files_open_map(names->owner);
   return source->fd >= 0;
}

static void read_source(JitNames* names, Source* source, uint64_t time)
{
   static char bytes[1 << 16];
   Destination to = {names->table, time, source->is_dump};
   const NameSink sink = {&to, take_name, take_move};
   ssize_t size;
   if (source->fd < 0 && !open_source(names, source))
      return;
   if (!jit_files_is_of_owner(names->owner, source->fd))
      return; /* another process has written to the same file since */
   if (source->kept == NULL)
      begin(source);
   while ((!source->is_dump || !source->as.dump.is_bad) &&
          (size = read(source->fd, bytes, sizeof bytes)) > 0) {
      if (source->is_dump)
         jitdump_take(&source->as.dump, bytes, (size_t)size, &sink);
      else
         perf_map_take(&source->as.map, bytes, (size_t)size, &sink);
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

const char* jit_names_find(JitNames** names, JitOwner* owner, uint64_t address,
                           uint64_t time)
{
   if (*names == NULL)
      *names = make(owner);
   return find(*names, address, time, false);
}

const char* jit_names_find_late(JitNames** names, JitOwner* owner, uint64_t address,
                                uint64_t time)
{
   if (*names == NULL)
      *names = make(owner);
   return find(*names, address, time, true);
}

void jit_names_end(JitNames* names)
{
   for (unsigned i = 0; i < names->source_count; i++)
      read_source(names, &names->sources[i], names->read_at);
}
