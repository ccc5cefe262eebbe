/* SPDX-License-Identifier: GPL-2.0-or-later

   Feeds the tool's readers of code files with mutated files, in one process:

      fuzz_code_files KIND SEED COUNT FILE...

   KIND is elf, dwarf, lines, split, eh_frame, perf_map or jitdump.  Each of COUNT inputs
   is one of the files, changed at random in a few places; number 0 to n - 1 are the files
   as they are.
   A sanitizer ends the run where something is read or written that must not be; the input
   is then in the file `failed.KIND` of the current folder.  Besides, what the readers of
   perf maps and jitdumps find must not depend on the pieces in which they get their
   bytes.  `fuzz_code_files path FILE` only reads that ELF file.

   Prints how many inputs there were, and how much was found in them: what is 0 is no
   test.  */

#define _GNU_SOURCE

#include "dwarf/function_names.h"
#include "dwarf/inlining.h"
#include "dwarf/line_table.h"
#include "guest/debug_files.h"
#include "guest/elf/debug_sections.h"
#include "guest/elf/elf_sections.h"
#include "guest/jit/jit_names.h"
#include "jit/jitdump.h"
#include "jit/perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
   UChar* bytes;
   size_t size;
} Input;

static ULong found; /* by the readers, in all inputs */

/* --- Chance ------------------------------------------------------------------------- */

static ULong state;

static ULong chance(ULong below)
{
   state ^= state << 13;
   state ^= state >> 7;
   state ^= state << 17;
   return below != 0 ? (state >> 11) % below : 0;
}

static void put_interesting(Input* input, size_t at)
{
   static const ULong values[] = {0,       1,          0x7f,       0xff, 0x7fffffff,
                                  ~0ull,   0x80000000, 0xffffffff, 2,    3,
                                  1 << 26, 8,          16,         64,   4096};
   ULong value = values[chance(sizeof values / sizeof values[0])];
   size_t size = (size_t)1 << chance(4);
   if (size <= input->size - at)
      memcpy(input->bytes + at, &value, size);
}

static void mutate(Input* input, size_t room)
{
   for (ULong n = 1ull << chance(5); n > 0 && input->size > 0; n--) {
      size_t at = (size_t)chance(input->size);
      size_t length = 1 + (size_t)chance(chance(4) == 0 ? 64 : 4);
      if (length > input->size - at)
         length = input->size - at;
      switch (chance(6)) {
      case 0: input->bytes[at] = (UChar)chance(256); break;
      case 1: input->bytes[at] ^= (UChar)(1 << chance(8)); break;
      case 2: put_interesting(input, at); break;
      case 3:
         memmove(input->bytes + at, input->bytes + at + length,
                 input->size - at - length);
         input->size -= length;
         break;
      case 4:
         if (input->size + length > room)
            break;
         memmove(input->bytes + at + length, input->bytes + at, input->size - at);
         input->size += length;
         break;
      default:
         memmove(input->bytes + at, input->bytes + chance(input->size - length + 1),
                 length);
      }
   }
   if (chance(8) == 0)
      input->size = (size_t)chance(input->size + 1);
}

/* --- ELF files ---------------------------------------------------------------------- */

/* A name under which the input can be opened.  */
static const char* path_of(const Input* input)
{
   static int file = -1;
   static char path[64];
   if (file < 0)
      file = memfd_create("input", 0);
   if (ftruncate(file, 0) != 0 ||
       pwrite(file, input->bytes, input->size, 0) != (ssize_t)input->size)
      abort();
   snprintf(path, sizeof path, "/proc/self/fd/%d", file);
   return path;
}

static void read_elf(const Input* input)
{
   const char* path = path_of(input);
   ElfSections sections = elf_sections_read(path);
   found += sections.n_sections + (sections.build_id != NULL);
   for (UInt i = 0; i < sections.n_sections && i < 100; i++) {
      Addr at = sections.sections[i].address;
      found += elf_sections_find(&sections, sections.sections[i].file_offset) != NULL;
      found += elf_sections_function(&sections, path, at) != NULL;
      found += elf_sections_is_entry_code(&sections, path, at);
   }
   free(sections.sections);
   free(sections.build_id);
   free(sections.functions.extents);
}

/* Where the code of the corpus is.  */
static void read_inlined(const Input* input, const char* path)
{
   DwarfFile* file = debug_files_read(path, NULL, DebugAnywhere);
   for (Addr at = 0x1000; file != NULL && at < 0x1040; at += 4) {
      InlinedCall* call;
      DwarfFile* in;
      ULong offset;
      if (inlining_function_at(file, at, &in, &offset))
         found += function_names_place(in, offset).line != 0;
      found += inlining_at(file, at, &call);
      for (; call != NULL; call = call->outer) {
         if (call->file == NULL)
            continue;
         FunctionDescription function =
            function_names_describe(call->file, call->function);
         found += function.name != NULL && strlen(function.name) < 4096;
         found += function.path != NULL && strlen(function.path) < input->size;
         free(function.name);
      }
   }
}

static void read_dwarf(const Input* input) { read_inlined(input, path_of(input)); }

static void read_lines(const Input* input)
{
   ElfFile file;
   if (!elf_file_open(path_of(input), &file))
      return;
   DwarfSection sections[DWARF_SECTIONS] = {{NULL, 0, NULL}};
   sections[SectionLine] = debug_sections_read(&file, "line");
   sections[SectionLineStr] = debug_sections_read(&file, "line_str");
   elf_file_close(&file);
   LineTable* table = line_table_read(sections, 0x1000, 0x1040);
   if (table == NULL)
      return;
   for (Addr at = 0xff8; at < 0x1048; at++) {
      const HChar* path;
      UInt line;
      if (line_table_find(table, at, &path, &line) == LineFound)
         found += strlen(path) < 4096;
   }
   line_table_free(table);
}

/* The input is also the package and the file in which a skeleton has its other part.  */
static void read_split(const Input* input)
{
   static const char path[] = "failed.split"; /* where it is kept */
   (void)!symlink(path, "failed.split.dwp");
   (void)!symlink(path, "split.dwo");
   read_inlined(input, path);
}

static void read_eh_frame(const Input* input)
{
   FunctionExtents extents = elf_functions_read(input->bytes, input->size, 0x1000);
   found += extents.n_extents;
   for (UInt i = 0; i < extents.n_extents; i++)
      if (extents.extents[i].end <= extents.extents[i].start ||
          (i > 0 && extents.extents[i].start < extents.extents[i - 1].start) ||
          !elf_functions_has_any(&extents, extents.extents[i].start,
                                 extents.extents[i].start))
         abort();
   free(extents.extents);
}

/* --- Names -------------------------------------------------------------------------- */

/* What a reader found, as a hash; names go to jit_names.c as well.  */
static void add_to_hash(ULong* hash, const void* bytes, size_t size)
{
   for (size_t i = 0; i < size; i++)
      *hash = (*hash ^ ((const UChar*)bytes)[i]) * 0x100000001b3ull;
}

static void take_name(void* hash, uint64_t start, uint64_t size, uint64_t time,
                      const char* name, size_t length)
{
   const uint64_t numbers[] = {start, size, time, length};
   found++;
   add_to_hash(hash, numbers, sizeof numbers);
   add_to_hash(hash, name, length);
   jit_names_sink.named(NULL, start, size, time, name, length);
   if (size != 0 && length != 0 && start + (size - 1) >= start &&
       strncmp(jit_names_at(start), name, length) != 0)
      abort();
}

static void take_move(void* hash, uint64_t from, uint64_t to, uint64_t size,
                      uint64_t time)
{
   const uint64_t numbers[] = {from, to, size, time};
   found++;
   add_to_hash(hash, numbers, sizeof numbers);
   jit_names_sink.moved(NULL, from, to, size, time);
}

/* Reads the input in pieces of at most `longest` bytes; returns the hash.  */
static ULong read_names(const Input* input, Bool is_dump, size_t longest)
{
   static char line[128];
   static UChar kept[JITDUMP_MIN_ROOM + 64];
   PerfMap map;
   Jitdump dump;
   ULong hash = 0xcbf29ce484222325ull;
   const NameSink sink = {&hash, take_name, take_move};
   perf_map_begin(&map, line, sizeof line);
   jitdump_begin(&dump, kept, sizeof kept);
   for (size_t at = 0, n; at < input->size; at += n) {
      n = 1 + (size_t)chance(longest);
      if (n > input->size - at)
         n = input->size - at;
      UChar* piece = malloc(n); /* so that a sanitizer sees its end */
      memcpy(piece, input->bytes + at, n);
      if (is_dump)
         jitdump_take(&dump, piece, n, &sink);
      else
         perf_map_take(&map, piece, n, &sink);
      free(piece);
   }
   return hash;
}

static void compare_pieces(const Input* input, Bool is_dump)
{
   ULong whole = read_names(input, is_dump, (size_t)1 << 40);
   if (whole != read_names(input, is_dump, 40) || whole != read_names(input, is_dump, 1))
      abort();
}

static void read_perf_map(const Input* input) { compare_pieces(input, False); }
static void read_jitdump(const Input* input) { compare_pieces(input, True); }

/* ------------------------------------------------------------------------------------ */

static const struct {
   const char* name;
   void (*read)(const Input* input);
} kinds[] = {{"elf", read_elf},           {"dwarf", read_dwarf},
             {"lines", read_lines},       {"split", read_split},
             {"eh_frame", read_eh_frame}, {"perf_map", read_perf_map},
             {"jitdump", read_jitdump}};

#define N_KINDS (sizeof kinds / sizeof kinds[0])

static Input read_file(const char* path)
{
   Input input = {malloc(1 << 20), 0};
   FILE* file = fopen(path, "rb");
   if (file == NULL) {
      fprintf(stderr, "%s: cannot be read\n", path);
      exit(2);
   }
   input.size = fread(input.bytes, 1, 1 << 20, file);
   fclose(file);
   return input;
}

static const char* failed_file(const char* kind)
{
   static char path[64];
   snprintf(path, sizeof path, "failed.%s", kind);
   return path;
}

/* So that it is there when a sanitizer ends the run.  The file is opened once.  */
static void keep(const char* kind, const Input* input)
{
   static int file = -1;
   if (file < 0)
      file = open(failed_file(kind), O_CREAT | O_TRUNC | O_WRONLY, 0600);
   if (ftruncate(file, (off_t)input->size) != 0 ||
       pwrite(file, input->bytes, input->size, 0) != (ssize_t)input->size)
      abort();
}

int main(int n_words, char** words)
{
   if (n_words == 3 && strcmp(words[1], "path") == 0) {
      printf("%d build id\n", elf_sections_read(words[2]).build_id != NULL);
      return 0;
   }
   size_t kind = 0, n_files = n_words > 4 ? (size_t)n_words - 4 : 0;
   while (n_words > 1 && kind < N_KINDS && strcmp(words[1], kinds[kind].name) != 0)
      kind++;
   if (n_files == 0 || kind == N_KINDS)
      return 2;
   ULong seed = strtoull(words[2], NULL, 0), count = strtoull(words[3], NULL, 0);
   Input* files = calloc(n_files, sizeof *files);
   for (size_t i = 0; i < n_files; i++)
      files[i] = read_file(words[4 + i]);
   jit_names_init();
   for (ULong i = 0; i < count; i++) {
      const Input* from = &files[i % n_files];
      size_t room = from->size + 4096;
      Input input = {malloc(room), from->size};
      memcpy(input.bytes, from->bytes, from->size);
      state = (seed << 32 ^ i) * 0x9e3779b97f4a7c15ull + 1;
      if (i >= n_files)
         mutate(&input, room);
      /* Exactly as large as the input.  */
      input.bytes = realloc(input.bytes, input.size != 0 ? input.size : 1);
      keep(kinds[kind].name, &input);
      kinds[kind].read(&input);
      free(input.bytes);
   }
   unlink(failed_file(kinds[kind].name));
   printf("%llu inputs, %llu found\n", count, found);
   return 0;
}
