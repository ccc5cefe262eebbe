/* SPDX-License-Identifier: GPL-2.0-or-later

   Lines that define what others refer to by a number: the process, objects, source files
   and functions, as in the tree format (docs/tree-format.md).  Ids begin at 1, in the
   order in which things are first needed.  */

#ifndef CALLGRIND_DEFINITIONS_H
#define CALLGRIND_DEFINITIONS_H

#include "guest/symbols.h"

/* Begins a document in which nothing is defined; words.h says where it goes.  With
   `has_places`, it says where objects were in memory, and where in them functions begin.
   And ends it.  */
void definitions_begin(Bool has_places);
void definitions_end(void);

/* Each defines something if it is not yet defined, and returns its id in the file, or 0
   if it is not known.  */
UInt definitions_object(const Object* object);
UInt definitions_source(const SourceFile* file);
UInt definitions_function(Function* function);

/* The function's id, which has been defined.  */
UInt definitions_id_of(UInt function);

/* Defines a function that is none of the model's, and returns its id.  */
UInt definitions_name(UInt object, UInt source, UInt line, const HChar* name);

/* `creator`: the program that writes the file.  `process`: this one, as the first.  */
void definitions_creator(void);
void definitions_process(void);

#endif
