/* SPDX-License-Identifier: GPL-2.0-or-later

   See definitions.h.  */

#include "write/definitions.h"

#include "guest/declarations.h"
#include "write/words.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

/* By the id in the model: the id in the file, 0 if it is not defined yet.  */
static UInt *functions, *objects, *files;

/* Of `files`, which grows: a declaration may be in one that no code is from.  */
static UInt files_room;

/* How many are defined.  */
static UInt n_functions, n_objects, n_files;

static Bool has_places;

void definitions_begin(Bool places)
{
   has_places = places;
   functions =
      VG_(calloc)("definitions.functions", symbols_n_functions() + 1, sizeof(UInt));
   objects = VG_(calloc)("definitions.objects", symbols_n_objects() + 1, sizeof(UInt));
   files_room = symbols_n_files() + 1;
   files = VG_(calloc)("definitions.files", files_room, sizeof(UInt));
   n_functions = n_objects = n_files = 0;
}

void definitions_end(void)
{
   VG_(free)(functions);
   VG_(free)(objects);
   VG_(free)(files);
}

static void write_mappings(const Object* object, UInt id)
{
   for (const Mapping* at = object->mappings; at != NULL; at = at->next) {
      words_first("map 1");
      words_number(id);
      words_hexadecimal(at->start);
      words_hexadecimal(at->size);
      words_hexadecimal(at->offset);
      words_end_line();
   }
}

UInt definitions_object(const Object* object)
{
   if (!symbols_is_object(object))
      return 0;
   if (objects[object->id] == 0) {
      objects[object->id] = ++n_objects;
      words_first("object");
      words_number(n_objects);
      words_add(object->build_id != NULL ? object->build_id : "-");
      words_text(object->path);
      if (has_places)
         write_mappings(object, n_objects);
   }
   return objects[object->id];
}

static void make_room_for_file(UInt id)
{
   if (id < files_room)
      return;
   UInt room = 2 * id;
   files = VG_(realloc)("definitions.files", files, room * sizeof(UInt));
   VG_(memset)(files + files_room, 0, (room - files_room) * sizeof(UInt));
   files_room = room;
}

UInt definitions_source(const SourceFile* file)
{
   if (!symbols_is_file(file))
      return 0;
   make_room_for_file(file->id);
   if (files[file->id] == 0) {
      files[file->id] = ++n_files;
      words_first("source");
      words_number(n_files);
      words_text(file->path);
   }
   return files[file->id];
}

UInt definitions_name(UInt object, UInt source, UInt line, const HChar* name)
{
   words_first("function");
   words_number(++n_functions);
   words_number(object);
   words_number(source);
   words_number(line);
   words_text(name);
   return n_functions;
}

UInt definitions_function(Function* function)
{
   if (functions[function->id] != 0)
      return functions[function->id];
   UInt object = definitions_object(function->object);
   Declaration declaration = declarations_of(function);
   UInt source = definitions_source(declaration.file);
   UInt id = definitions_name(object, source, declaration.line, function->name);
   functions[function->id] = id;
   if (has_places && function->entry != SYMBOLS_NO_ENTRY) {
      words_first("entry");
      words_number(id);
      words_hexadecimal(function->entry);
      words_end_line();
   }
   return id;
}

UInt definitions_id_of(UInt function) { return functions[function]; }

void definitions_creator(void)
{
   words_first("creator");
   words_text("callgrind-exact " CT_VERSION " (Valgrind " CORE_VERSION ")");
}

void definitions_process(void)
{
   words_first("process 1");
   words_number((ULong)VG_(getpid)());
   words_first(" 0 ");
   words_escaped(VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      words_first(" ");
      words_escaped(*(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   words_end_line();
}
