/* SPDX-License-Identifier: GPL-2.0-or-later

   See declarations.h.  Owns the fields declared_... of Function.  */

#include "guest/declarations.h"

#include "dwarf/function_names.h"
#include "dwarf/inlining.h"
#include "dwarf/units.h"
#include "guest/address.h"
#include "guest/debug_files.h"
#include "guest/inlined_code.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"

/* The address that the object's file gives to an offset in it; 0: none.  */
static Addr file_address_of(const Object* object, ULong offset)
{
   const ElfSection* section = elf_sections_find(object->sections, offset);
   return section != NULL ? section->address + (Addr)(offset - section->file_offset) : 0;
}

/* By debug information; in separate files, too, if these are read for inlined functions
   anyway.  Sets *may_be_stored if later runs will find the same.  */
static FunctionPlace read_place(Object* object, Addr entry, Bool* may_be_stored)
{
   FunctionPlace place = {NULL, 0};
   DwarfFile* file =
      debug_files_of(object, inlined_code_is_wanted() ? DebugAnywhere : DebugInObject);
   *may_be_stored = file != NULL && !units_is_split(file, entry);
   ULong offset;
   if (file != NULL && inlining_function_at(file, entry, &file, &offset))
      place = function_names_place(file, offset);
   return place;
}

/* A path or a line that is missing makes the place useless.  */
static FunctionPlace look_up(const Function* function)
{
   FunctionPlace stored = {NULL, 0};
   Addr entry = file_address_of(function->object, function->entry);
   if (entry == 0)
      return stored;
   const LineMemory* memory = inlined_code_is_wanted() ? address_line_memory() : NULL;
   Bool is_stored = memory != NULL && memory->recall_declared(function->object, entry,
                                                              &stored.path, &stored.line);
   if (is_stored && options.check == CheckDumps)
      return stored;
   Bool may_be_stored;
   FunctionPlace place = read_place(function->object, entry, &may_be_stored);
   if (is_stored)
      tl_assert2(place.line == stored.line &&
                    (place.path == NULL) == (stored.path == NULL),
                 "the place of '%s' that was stored is not what debug information has",
                 function->name);
   else if (memory != NULL && may_be_stored)
      memory->learn_declared(function->object, entry, place.path, place.line);
   return place;
}

Declaration declarations_of(Function* function)
{
   if (function->entry == SYMBOLS_NO_ENTRY)
      return (Declaration){function->file, function->line};
   if (function->declared_in == NULL) {
      FunctionPlace place = look_up(function);
      const Bool is_known = place.path != NULL && place.line != 0;
      function->declared_in = is_known ? symbols_intern_file(place.path) : function->file;
      function->declared_line = is_known ? place.line : function->line;
   }
   return (Declaration){function->declared_in, function->declared_line};
}
