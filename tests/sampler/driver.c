/* SPDX-License-Identifier: GPL-2.0-or-later

   Parts of the sampler by themselves, for tests that may not sample, and for hostile input
   under sanitizers.

      driver unwind OBJECT REGISTERS STACK [ASKED]
                                    frames of a stack, a name in each line, and the end;
                                    REGISTERS has 17 numbers in hexadecimal digits
      driver runner FILE...         bytes of each file as a client's; the tags of the answers
      driver perfmap|jitdump FILE ADDRESS...   the name of each address
      driver elf FILE...            all that is read of an ELF file
      driver record FILE...         bytes of each file as a record of the kernel  */

#include "cfi.h"
#include "debug_file.h"
#include "inlining.h"
#include "jit_names.h"
#include "memory.h"
#include "message.h"
#include "record.h"
#include "runner_protocol.h"
#include "symbols.h"
#include "unwind.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t* read_file(const char* path, size_t* size)
{
   FILE* file = fopen(path, "rb");
   uint8_t* bytes = NULL;
   size_t room = 0, got;
   *size = 0;
   if (file == NULL)
      refuse("%s: cannot be read", path);
   do {
      bytes = reallocate(bytes, room += 65536, 1);
      got = fread(bytes + *size, 1, room - *size, file);
      *size += got;
   } while (*size == room);
   fclose(file);
   /* In a block of its own size, so that a sanitizer sees what is read behind it.  */
   return reallocate(bytes, *size, 1);
}

static Object* open_object(const char* path)
{
   struct stat status;
   int fd = open(path, O_RDONLY);
   if (fd < 0 || fstat(fd, &status) != 0)
      refuse("%s: cannot be read", path);
   return object_of_file(fd, &status, path);
}

/* --- unwind --------------------------------------------------------------------------- */

static bool find(void* context, uint64_t address, CodePlace* place)
{
   Object* object = context;
   for (unsigned i = 0; i < object->segment_count; i++) {
      const Segment* segment = &object->segments[i];
      if (segment->executable && address >= segment->address &&
          address < segment->address + segment->memory_size) {
         *place = (CodePlace){object, address};
         return true;
      }
   }
   return false;
}

static int do_unwind(int count, char** words)
{
   static UnwindResult result;
   static const char* const ends[] = {"whole", "too deep", "no rule"};
   Sample sample = {.has_registers = true};
   size_t size;
   if (count < 3)
      return 2;
   Object* object = open_object(words[0]);
   char* at = words[1];
   for (unsigned i = 0; i < REGISTER_COUNT; i++)
      sample.registers[i] = strtoull(at, &at, 16);
   sample.stack = read_file(words[2], &size);
   sample.stack_size = (unsigned)size;
   sample.stack_asked = count > 3 ? (unsigned)atoi(words[3]) : 65528;
   unwind(&sample, find, object, &result);
   for (unsigned i = 0; i < result.count; i++) {
      const char* name = symbols_name(object, result.frames[i].address);
      puts(name != NULL ? name : "?");
   }
   puts(ends[result.end]);
   return 0;
}

/* --- runner --------------------------------------------------------------------------- */

static bool on;
static unsigned answers;

static void switch_sampling(bool to) { on = to; }
static bool is_sampling(void) { return on; }
static void mark(MarkKind kind, uint32_t pid, const char* text)
{
   free(record_mark(kind, pid, 0, text));
}
static void take_answer(const void* bytes, size_t size)
{
   uint32_t tag;
   memcpy(&tag, (const uint8_t*)bytes + 4, sizeof tag);
   answers += size != 0 && tag != 0;
}

static int do_runner(int count, char** files)
{
   static const ControlActions actions = {switch_sampling, is_sampling, mark};
   runner_protocol_begin(&actions, take_answer);
   for (int i = 0; i < count; i++) {
      size_t size, at = 0, piece = 1;
      uint8_t* bytes = read_file(files[i], &size);
      for (; at < size; at += piece, piece = piece % 37 + 1)
         runner_protocol_take(bytes + at, piece < size - at ? piece : size - at);
      free(bytes);
      runner_protocol_gone();
   }
   printf("%u answers\n", answers);
   return 0;
}

/* --- names of JIT code ---------------------------------------------------------------- */

static int do_jit(int count, char** words)
{
   JitNames* names = NULL;
   if (count < 1)
      return 2;
   /* In the place of a perf map, too: every file is added as a dump by its name.  */
   jit_names_add_dump(&names, (uint32_t)getpid(), words[0]);
   for (int i = 1; i < count; i++) {
      char* time;
      uint64_t address = strtoull(words[i], &time, 16);
      const char* name =
         jit_names_find_late(&names, (uint32_t)getpid(), address,
                             *time == '@' ? strtoull(time + 1, NULL, 10) : 1u << 30);
      puts(name != NULL ? name : "?");
   }
   return 0;
}

static int do_perfmap(int count, char** words)
{
   char path[64];
   size_t size;
   JitNames* names = NULL;
   if (count < 1)
      return 2;
   uint8_t* bytes = read_file(words[0], &size);
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(path, "wb");
   if (map == NULL || fwrite(bytes, 1, size, map) != size || fclose(map) != 0)
      refuse("%s: cannot be written", path);
   free(bytes);
   for (int i = 1; i < count; i++) {
      const char* name =
         jit_names_find(&names, (uint32_t)getpid(), strtoull(words[i], NULL, 16), 1);
      puts(name != NULL ? name : "?");
   }
   unlink(path);
   return 0;
}

/* --- ELF files and records ------------------------------------------------------------ */

static int do_elf(int count, char** files)
{
   unsigned names = 0, rows = 0, frames = 0;
   for (int i = 0; i < count; i++) {
      Object* object = open_object(files[i]);
      uint64_t start = 0, end = 0;
      for (unsigned j = 0; j < object->segment_count; j++) {
         if (object->segments[j].executable) {
            start = object->segments[j].address;
            end = start + (object->segments[j].memory_size & 0xffff);
         }
      }
      for (uint64_t address = start; address < end; address += 7) {
         InlineFrame inlined[INLINING_MOST];
         uint64_t function;
         names += symbols_name(object, address) != NULL;
         const CfiRow* row = cfi_row(object, address);
         frames += inlining_frames(object, address, inlined);
         cfi_function_start(object, address, &function);
         if (row != NULL) {
            uint8_t stack[256] = {0};
            bool is_last;
            MachineState state = {.known = (1u << REGISTER_COUNT) - 1,
                                  .stack = stack,
                                  .stack_size = sizeof stack};
            rows += cfi_step(row, &state, &is_last);
         }
      }
   }
   printf("%u names, %u steps, %u functions\n", names, rows, frames);
   return 0;
}

static int do_record(int count, char** files)
{
   unsigned good = 0;
   for (int i = 0; i < count; i++) {
      size_t size;
      uint8_t* bytes = read_file(files[i], &size);
      Record* record = record_read(bytes, size, 16384);
      good += record != NULL;
      free(record);
      free(bytes);
   }
   printf("%u records\n", good);
   return 0;
}

int main(int count, char** arguments)
{
   static const struct {
      const char* name;
      int (*run)(int count, char** words);
   } commands[] = {{"unwind", do_unwind},   {"runner", do_runner}, {"jitdump", do_jit},
                   {"perfmap", do_perfmap}, {"elf", do_elf},       {"record", do_record}};
   for (unsigned i = 0; count > 2 && i < sizeof commands / sizeof commands[0]; i++) {
      if (strcmp(commands[i].name, arguments[1]) == 0)
         return commands[i].run(count - 2, arguments + 2);
   }
   return 2;
}
