/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined functions by DWARF; see inlining.h.  The address ranges of compilation units
   are read once per object; those of functions, when an address of their unit is looked
   up for the first time.  Each has a depth, so the functions at an address are the
   ranges that contain it, one for each depth.  Only their names and sources are read.

   Of a unit in two parts (-gsplit-dwarf), the one in the program has the ranges and the
   source files, and the one in a .dwo file the functions.  libdw finds that file beside
   the program, or where the compiler has put it; newer ones open a package (.dwp) of the
   program's name, too.  */

#include "code/inlining.h"

#include "base/first_above.h"
#include "base/memory.h"
#include "code/debug_file.h"
#include "code/die_text.h"
#include "code/function_names.h"
#include "code/source_files.h"

#include <dwarf.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 256 /* nesting of DIEs; a hostile file may have more */

typedef struct {
   uint64_t start, end;
   unsigned unit;
} UnitRange;

typedef struct {
   uint64_t start, end;
   unsigned depth; /* of functions in functions: 0 for a real one */
   Dwarf_Die die;
   InlineFrame frame; /* its name is NULL until it is looked up */
} FunctionRange;

/* The source files of a unit, read when one of its functions is looked up.  */
typedef struct UnitFiles {
   struct UnitFiles* next;
   Dwarf_CU* unit;
   SourceFiles* files;
} UnitFiles;

typedef struct {
   Dwarf_Die die;
   Dwarf_Die full; /* the same, or the other part of it, once it is read */
   bool is_read;   /* `functions` has been filled */
   FunctionRange* functions;
   size_t count, room;
} Unit;

struct InlineIndex {
   UnitRange* ranges;
   size_t range_count, range_room;
   Unit* units;
   unsigned unit_count;
   UnitFiles* unit_files;
};

static void add_range(InlineIndex* index, uint64_t start, uint64_t end, unsigned unit)
{
   if (start >= end)
      return;
   if (index->range_count == index->range_room) {
      index->range_room = index->range_room ? 2 * index->range_room : 64;
      index->ranges =
         memory_reallocate(index->ranges, index->range_room, sizeof(UnitRange));
   }
   index->ranges[index->range_count++] = (UnitRange){start, end, unit};
}

static int by_start(const void* left, const void* right)
{
   const UnitRange *a = left, *b = right;
   return a->start < b->start ? -1 : a->start > b->start;
}

static InlineIndex* read_units(Object* object)
{
   InlineIndex* index = memory_allocate(sizeof *index);
   Dwarf* dwarf = debug_file_dwarf(object);
   Dwarf_Off offset = 0, next;
   size_t header_size;
   while (dwarf != NULL &&
          dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
      Dwarf_Die die;
      if (dwarf_offdie(dwarf, offset + header_size, &die) != NULL &&
          (dwarf_tag(&die) == DW_TAG_compile_unit ||
           dwarf_tag(&die) == DW_TAG_skeleton_unit)) {
         Dwarf_Addr base, start, end;
         ptrdiff_t at = 0;
         while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0)
            add_range(index, start, end, index->unit_count);
         index->units =
            memory_reallocate(index->units, index->unit_count + 1, sizeof(Unit));
         index->units[index->unit_count++] = (Unit){.die = die, .full = die};
      }
      if (next <= offset)
         break;
      offset = next;
   }
   if (index->range_count != 0)
      qsort(index->ranges, index->range_count, sizeof(UnitRange), by_start);
   return index;
}

static const char* linkage_name(Dwarf_Die* die)
{
   Dwarf_Attribute attribute;
   const char* name = NULL;
   if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL ||
       dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) != NULL)
      name = die_text(&attribute);
   return name;
}

static const char* source_of(InlineIndex* index, Dwarf_Die* die)
{
   Dwarf_Attribute attribute;
   Dwarf_Word number;
   if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) == NULL ||
       dwarf_formudata(&attribute, &number) != 0)
      return NULL;
   UnitFiles* entry = index->unit_files;
   while (entry != NULL && entry->unit != attribute.cu)
      entry = entry->next;
   if (entry == NULL) {
      Dwarf_Die inside = {.cu = attribute.cu, .addr = attribute.valp}, unit;
      if (dwarf_diecu(&inside, &unit, NULL, NULL) == NULL)
         return NULL;
      for (unsigned i = 0; i < index->unit_count; i++) {
         if (index->units[i].full.cu == attribute.cu)
            unit = index->units[i].die;
      }
      entry = memory_allocate(sizeof *entry);
      entry->unit = attribute.cu;
      entry->files = source_files_read(&unit);
      entry->next = index->unit_files;
      index->unit_files = entry;
   }
   return source_files_path(entry->files, number);
}

static void find_definition(InlineIndex* index, Dwarf_Die* die, InlineFrame* frame)
{
   int line;
   frame->source = source_of(index, die);
   if (dwarf_decl_line(die, &line) == 0 && line > 0)
      frame->line = (unsigned)line;
}

static InlineFrame describe(InlineIndex* index, Dwarf_Die* die)
{
   InlineFrame frame = {.name = linkage_name(die)};
   Dwarf_Die scope;
   bool has_scope = false;
   if (frame.name == NULL)
      frame.name = function_names_qualified(die, &scope, &has_scope);
   if (frame.name == NULL)
      frame.name = "(unnamed)";
   find_definition(index, die, &frame);
   /* gcc does not say where a lambda's function is, but where its class is.  */
   if (frame.line == 0 && has_scope) {
      InlineFrame around = {.name = frame.name};
      find_definition(index, &scope, &around);
      if (around.line != 0 && (around.source != NULL || frame.source == NULL))
         frame = around;
   }
   return frame;
}

static void add_function(Unit* unit, Dwarf_Die* die, unsigned depth)
{
   Dwarf_Addr base, start, end;
   ptrdiff_t at = 0;
   while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
      if (start >= end)
         continue;
      if (unit->count == unit->room) {
         unit->room = unit->room ? 2 * unit->room : 64;
         unit->functions =
            memory_reallocate(unit->functions, unit->room, sizeof(FunctionRange));
      }
      unit->functions[unit->count++] =
         (FunctionRange){start, end, depth, *die, {.name = NULL}};
   }
}

/* Adds all functions below `parent`, which itself is `level` DIEs deep.  */
static void read_children(Unit* unit, Dwarf_Die* parent, unsigned depth, unsigned level)
{
   Dwarf_Die die;
   if (level > DEEPEST || dwarf_child(parent, &die) != 0)
      return;
   do {
      switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram:
         add_function(unit, &die, 0);
         read_children(unit, &die, 1, level + 1);
         break;
      case DW_TAG_inlined_subroutine:
         add_function(unit, &die, depth);
         read_children(unit, &die, depth + 1, level + 1);
         break;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type: read_children(unit, &die, depth, level + 1); break;
      default: break;
      }
   } while (dwarf_siblingof(&die, &die) == 0);
}

/* --- Units in two parts ------------------------------------------------------------- */

/* Whether a file can be opened without waiting; what is not there will not be.  The
   folder is `first` as far as the last slash, or all of `first`.  */
static bool is_harmless(const char* first, bool is_file, const char* name)
{
   char path[PATH_MAX];
   struct stat status;
   const char* slash = strrchr(first, '/');
   int length = is_file && slash != NULL ? (int)(slash - first) : (int)strlen(first);
   int needed = name[0] == '/'
                   ? snprintf(path, sizeof path, "%s", name)
                   : snprintf(path, sizeof path, "%.*s/%s", length, first, name);
   return needed >= 0 && (size_t)needed < sizeof path &&
          (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

static const char* text_of(Dwarf_Die* die, unsigned name, unsigned old_name)
{
   Dwarf_Attribute attribute;
   if (dwarf_attr(die, name, &attribute) == NULL &&
       dwarf_attr(die, old_name, &attribute) == NULL)
      return NULL;
   return die_text(&attribute);
}

/* The package has the program's name.  */
static bool has_harmless_package(const char* program)
{
   char path[PATH_MAX + 8];
   snprintf(path, sizeof path, "%s.dwp", program);
   return is_harmless("", false, path);
}

/* The name of the other file is the program's, which may have put a pipe there.  */
static void find_other_part(const Object* object, Unit* unit)
{
   const char* name = text_of(&unit->die, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
   const char* compiled_in = text_of(&unit->die, DW_AT_comp_dir, DW_AT_comp_dir);
   char link[64], program[PATH_MAX];
   Dwarf_Die other;
   if (name == NULL || object->fd < 0)
      return;
   snprintf(link, sizeof link, "/proc/self/fd/%d", object->fd);
   ssize_t length = readlink(link, program, sizeof program - 1);
   if (length <= 0)
      return;
   program[length] = '\0';
   if (has_harmless_package(program) && is_harmless(program, true, name) &&
       is_harmless(compiled_in != NULL ? compiled_in : "", false, name) &&
       dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &other, NULL, NULL, NULL) == 0 &&
       other.addr != NULL)
      unit->full = other;
}

static Unit* unit_of(const Object* object, InlineIndex* index, uint64_t address)
{
   size_t next = first_above(index->ranges, index->range_count, sizeof(UnitRange),
                             offsetof(UnitRange, start), address);
   if (next == 0 || index->ranges[next - 1].end <= address)
      return NULL;
   Unit* unit = &index->units[index->ranges[next - 1].unit];
   if (!unit->is_read) {
      unit->is_read = true;
      find_other_part(object, unit);
      read_children(unit, &unit->full, 0, 0);
   }
   return unit;
}

unsigned inlining_frames(Object* object, uint64_t address,
                         InlineFrame frames[INLINING_MAX_FRAMES])
{
   unsigned count = 0;
   if (object->inlining == NULL)
      object->inlining = read_units(object);
   Unit* unit = unit_of(object, object->inlining, address);
   if (unit == NULL)
      return 0;
   for (unsigned depth = 0; depth < INLINING_MAX_FRAMES; depth++) {
      unsigned before = count;
      for (size_t i = 0; i < unit->count && count == before; i++) {
         FunctionRange* function = &unit->functions[i];
         if (function->depth != depth || function->start > address ||
             function->end <= address)
            continue;
         if (function->frame.name == NULL)
            function->frame = describe(object->inlining, &function->die);
         frames[count++] = function->frame;
      }
      if (count == before)
         break;
   }
   return count;
}
