/* SPDX-License-Identifier: GPL-2.0-or-later

   See declarations.h.  Owns the fields declared_... of Function.  */

#include "guest/declarations.h"

#include "dwarf/function_names.h"
#include "dwarf/inlining.h"
#include "guest/debug_files.h"

/* The address that the object's file gives to an offset in it; 0: none.  */
static Addr file_address_of(const Object* object, ULong offset)
{
   const ElfSection* section = elf_sections_find(object->sections, offset);
   return section != NULL ? section->address + (Addr)(offset - section->file_offset) : 0;
}

/* A path or a line that is missing makes the place useless.  */
static FunctionPlace look_up(const Function* function)
{
   FunctionPlace place = {NULL, 0};
   Addr entry = file_address_of(function->object, function->entry);
   DwarfFile* file = entry != 0 ? debug_files_of(function->object, DebugInObject) : NULL;
   ULong offset;
   if (file != NULL && inlining_function_at(file, entry, &file, &offset))
      place = function_names_place(file, offset);
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
