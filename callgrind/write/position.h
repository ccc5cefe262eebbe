/* SPDX-License-Identifier: GPL-2.0-or-later

   Names, positions and costs as the callgrind format writes them.  A name is spelt out
   once and then referred to by a number; a position is written as the difference to the
   last one.  --compress-strings=no and --compress-pos=no switch that off.  */

#ifndef CALLGRIND_POSITION_H
#define CALLGRIND_POSITION_H

#include "model/context.h"
#include "write/output.h"

/* What a reader of the part knows at the point that has been written.  */
typedef struct {
   Output* output;
   UChar* objects_spelt; /* by id: 1 if the name is spelt out already */
   UChar* files_spelt;
   UChar* contexts_spelt;
   Bool has_base; /* positions can be written as differences to these */
   ULong base_address;
   UInt base_line;
} PositionState;

/* Begins a part that is written to `output`; position_end() frees what that
   allocates.  */
void position_begin(PositionState* state, Output* output);
void position_end(PositionState* state);

/* Write "key=name\n".  A context's name has its function's name, its recursion level and
   its callers.  */
void position_object(PositionState* state, const HChar* key, const Object* object);
void position_file(PositionState* state, const HChar* key, const SourceFile* file);
void position_context(PositionState* state, const HChar* key, const Context* context);

/* Writes that what follows is code of the inlined function `name`, or the function's own
   if that is empty.  */
void position_inlined(const PositionState* state, const HChar* name);

/* Writes the position of a cost line, and a blank.  From now on differences are to this
   position.  */
void position_of_cost(PositionState* state, ULong address, UInt line);

/* Writes the position of the target of a call or a jump, and a blank.  */
void position_of_target(const PositionState* state, ULong address, UInt line);

/* Writes a cost vector, "1 2 3\n", without the zeros at its end.  */
void position_costs(Output* output, const ULong* cost);

#endif
