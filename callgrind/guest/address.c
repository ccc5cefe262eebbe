/* SPDX-License-Identifier: GPL-2.0-or-later

   Guest address -> object, function, source line; see address.h.

   The core's look-up functions return storage that the next call overwrites, and each
   costs a search.  So they are called when a superblock is translated, never when it
   runs, and two answers are remembered: the last mapping, because nearly every question
   is about it again, and for each function the range of addresses known to belong to it.

   Owns the fields known_... of Function.  */

#include "guest/address.h"

#include "guest/arch.h"
#include "guest/elf/elf_sections.h"
#include "guest/inlined_code.h"
#include "options/options.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* Counts the states of the address space: a range that was learnt in an earlier one is
   not valid any more.  */
static UInt mapping_epoch = 1;

/* The mapping that was asked for last.  */
static struct {
   Addr start, end; /* both included; start > end: nothing is remembered */
   ULong offset;    /* of `start` in the object's file */
   Object* object;
} last_mapping = {1, 0, 0, NULL};

static const LineMemory* line_memory; /* NULL: there is none */

/* The function that was found last: the next question is likely to be about it, too.  */
static Function* last_function;

/* Sets last_mapping to the mapping that holds `address`.  */
static void find_mapping(Addr address)
{
   if (address >= last_mapping.start && address <= last_mapping.end)
      return;
   const NSegment* segment = VG_(am_find_nsegment)(address);
   if (segment == NULL) {
      last_mapping.start = last_mapping.end = address;
      last_mapping.object = symbols_no_object();
      return;
   }
   last_mapping.start = segment->start;
   last_mapping.end = segment->end;
   last_mapping.offset = (ULong)segment->offset;
   last_mapping.object = symbols_no_object();
   if (segment->kind == SkFileC || segment->kind == SkFileV) {
      const HChar* path = VG_(am_get_filename)(segment);
      if (path == NULL)
         return;
      last_mapping.object = symbols_intern_object(path);
      if (segment->hasX)
         mappings_note(&last_mapping.object->mappings, segment->start,
                       segment->end - segment->start + 1, last_mapping.offset);
   }
}

void address_forget_ranges(void)
{
   last_mapping.start = 1;
   last_mapping.end = 0;
   mapping_epoch++;
   last_function = NULL;
}

/* Remembers where a function begins: the first of several that share its record.  */
static void learn_entry(Function* function, Addr entry, UInt line)
{
   if (function->entry != SYMBOLS_NO_ENTRY || !symbols_is_object(function->object))
      return;
   find_mapping(entry);
   if (last_mapping.object != function->object)
      return;
   function->entry = entry - last_mapping.start + last_mapping.offset;
   function->line = line;
}

/* Remembers that [start, address] belongs to `function`.  */
static void learn_range(Function* function, Addr start, Addr address)
{
   if (function->known_epoch != mapping_epoch || function->known_start != start) {
      function->known_epoch = mapping_epoch;
      function->known_start = start;
      function->known_last = address;
   } else if (address > function->known_last)
      function->known_last = address;
   last_function = function;
}

static Bool in_known_range(const Function* function, Addr address)
{
   return function != NULL && function->known_epoch == mapping_epoch &&
          address >= function->known_start && address <= function->known_last;
}

Place address_place_of(Addr address)
{
   find_mapping(address);
   Object* object = last_mapping.object;
   Place place = {object, address, False};
   if (!symbols_is_object(object))
      return place;

   ULong file_offset = address - last_mapping.start + last_mapping.offset;
   const ElfSection* section = elf_sections_find(object->sections, file_offset);
   if (section != NULL) {
      place.file_address = section->address + (Addr)(file_offset - section->file_offset);
      place.is_plt = section->is_plt;
      return place;
   }
   /* No section headers (sstrip): the core's own idea of the load bias.  */
   DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   if (info != NULL)
      place.file_address = address - (Addr)VG_(DebugInfo_get_text_bias)(info);
   place.is_plt = VG_(DebugInfo_sect_kind)(NULL, address) == Vg_SectPLT;
   return place;
}

/* Asks the core; says nothing of inlined functions.  */
static SourceLine ask_core(Addr address)
{
   static HChar* path; /* grown as needed, never shrunk */
   static SizeT path_size;
   static SourceFile* last;

   const HChar *name, *directory;
   SourceLine result = {symbols_no_file(), 0, NULL};
   UInt line;
   if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), address, &name, &directory,
                                  &line))
      return result;
   SizeT needed = VG_(strlen)(directory) + VG_(strlen)(name) + 2;
   if (needed > path_size) {
      path_size = needed * 2;
      path = VG_(realloc)("address.path", path, path_size);
   }
   if (directory[0] != '\0')
      VG_(sprintf)(path, "%s/%s", directory, name);
   else
      VG_(strcpy)(path, name);
   if (last == NULL || VG_(strcmp)(last->path, path) != 0)
      last = symbols_intern_file(path);
   result.file = last;
   result.line = line;
   return result;
}

void address_set_line_memory(const LineMemory* memory) { line_memory = memory; }

const LineMemory* address_line_memory(void) { return line_memory; }

/* As far as is known without inlined functions.  */
static SourceLine line_alone(Addr address)
{
   SourceLine line;
   if (line_memory == NULL)
      return ask_core(address);
   if (!line_memory->recall(address, &line)) {
      line = ask_core(address);
      line_memory->learn(address, &line);
   } else if (options.check != CheckDumps) {
      SourceLine now = ask_core(address);
      tl_assert2(source_line_is_same(&now, &line),
                 "the source line of 0x%lx that was stored is not the core's", address);
   }
   return line;
}

static const Inlined* inlined_at(Addr address, const SourceLine* line)
{
   const Inlined* stored = NULL;
   Place place = address_place_of(address);
   Bool is_stored =
      line_memory != NULL && line_memory->recall_inlined(address, place.object, &stored);
   if (is_stored && options.check == CheckDumps)
      return stored;
   Bool may_be_stored;
   const Inlined* found =
      inlined_code_at(address, place.file_address, place.object, line, &may_be_stored);
   if (is_stored)
      tl_assert2(found == stored,
                 "what was stored of inlined functions at 0x%lx is not "
                 "what debug information has",
                 address);
   else if (line_memory != NULL && may_be_stored)
      line_memory->learn_inlined(address, found);
   return found;
}

SourceLine address_line_of(Addr address)
{
   SourceLine line = line_alone(address);
   if (line.file != symbols_no_file() && inlined_code_is_wanted())
      line.inlined = inlined_at(address, &line);
   return line;
}

/* Where the symbol that covers `address` begins.  The core does not tell the offset of an
   address in its symbol, but prints "name+offset": it is read back from there.  */
static Addr symbol_start(Addr address, SizeT name_length)
{
   const HChar* text;
   if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), address, &text))
      return address;
   if (VG_(strlen)(text) <= name_length + 1 || text[name_length] != '+')
      return address;
   HChar* end;
   Long offset = VG_(strtoll10)(text + name_length + 1, &end);
   return *end == '\0' && offset > 0 ? address - (Addr)offset : address;
}

/* The function of the code at `place`, whose entry is at `entry` in memory, named as code
   without a symbol is: by its address, with `suffix` behind.  */
static Function* named_by_address(Addr entry, const Place* place, const HChar* suffix)
{
   HChar name[64];
   VG_(snprintf)(name, sizeof name, "0x%016llx%s", (ULong)place->file_address, suffix);
   Function* function = symbols_intern_function(place->object, symbols_no_file(), name);
   learn_entry(function, entry, 0);
   return function;
}

/* `function`, or the shared stub, as a stub if a thunk begins at `start`.  */
static Function* as_stub_if_thunk(Function* function, Addr start)
{
   return function->kind == FunctionVisible && arch_is_thunk(start)
             ? symbols_as_stub(function)
             : function;
}

/* What call frame information knows at `place`.  */
static const FunctionExtent* extent_at(const Place* place)
{
   return symbols_is_object(place->object)
             ? elf_sections_function(place->object->sections, place->object->path,
                                     place->file_address)
             : NULL;
}

Bool address_has_frame_information(const Place* place)
{
   return extent_at(place) != NULL;
}

/* The function that call frame information knows at `place`.  */
static Function* nameless_function(Addr address, const Place* place)
{
   const FunctionExtent* extent = extent_at(place);
   if (extent == NULL)
      return NULL;
   Place entry = *place;
   entry.file_address = extent->start;
   Addr start = address - (place->file_address - extent->start);
   Function* function = as_stub_if_thunk(named_by_address(start, &entry, ""), start);
   learn_range(function, start, start + (extent->end - extent->start) - 1);
   return function;
}

Function* address_function_of(Addr address, const Place* place)
{
   if (place->is_plt) {
      Function* stub = named_by_address(address, place, " [PLT]");
      return options.skip_plt ? symbols_as_stub(stub) : stub;
   }

   if (in_known_range(last_function, address))
      return last_function;

   const HChar* found;
   if (!VG_(get_fnname)(VG_(current_DiEpoch)(), address, &found) || found[0] == '\0')
      return nameless_function(address, place);
   HChar* name = VG_(strdup)("address.name", found);
   /* Its file is that of its first instruction, whichever of its superblocks is seen
      first: others may begin in inlined code.  */
   Addr start = symbol_start(address, VG_(strlen)(name));
   SourceLine line = address_line_of(start);
   Function* function = symbols_intern_function(place->object, line.file, name);
   VG_(free)(name);
   learn_entry(function, start, line.line);
   learn_range(function, start, address);
   return function;
}

Bool address_is_inside(const Function* function, Addr address)
{
   if (in_known_range(function, address))
      return True;
   Place place = address_place_of(address);
   return address_function_of(address, &place) == function;
}

/* Several functions may share one record: a class's destructors have one name.  */
static void learn_range_again(const Function* function, Addr address)
{
   if (in_known_range(function, address))
      return;
   Place place = address_place_of(address);
   (void)address_function_of(address, &place);
}

Bool address_is_start(const Function* function, Addr address)
{
   if (function->is_unbounded)
      return True; /* nothing says otherwise */
   learn_range_again(function, address);
   return function->known_start == address;
}

Addr address_start_of(const Function* function, Addr address)
{
   if (function->is_unbounded)
      return 0;
   learn_range_again(function, address);
   return in_known_range(function, address) ? function->known_start : 0;
}

Function* address_unbounded_function(Addr address, const Place* place)
{
   Function* function = symbols_as_unbounded(named_by_address(address, place, ""));
   return as_stub_if_thunk(function, address);
}

Function* address_outermost_function(Addr address, const Place* place)
{
   ElfSections* sections = place->object->sections;
   Place entry = *place;
   if (elf_sections_is_entry_code(sections, place->object->path, place->file_address))
      entry.file_address = sections->entry;
   return address_unbounded_function(address - (place->file_address - entry.file_address),
                                     &entry);
}

Bool address_is_jit_code(const Place* place) { return !symbols_is_object(place->object); }
