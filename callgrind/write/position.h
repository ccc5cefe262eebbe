/* SPDX-License-Identifier: GPL-2.0-or-later

   Names and positions as the callgrind format compresses them: a name is spelt
   out once and then referred to by number, a position is written as a difference
   to the last one.  --compress-strings and --compress-pos switch that off.  */

#ifndef CALLGRIND_POSITION_H
#define CALLGRIND_POSITION_H

#include "model/context.h"
#include "write/output.h"

/* What a reader of the part knows at the point where writing stands.  */
typedef struct {
   Output* output;
   UChar* objects_spelt; /* by id: the name has appeared in this part */
   UChar* files_spelt;
   UChar* contexts_spelt;
   Bool has_base; /* positions may be written as differences to these */
   ULong base_address;
   UInt base_line;
} PositionState;

void position_begin(PositionState* state, Output* output);
void position_end(PositionState* state);

/* Write "key=name\n".  A context's name is its function's and its recursion
   level.  */
void position_object(PositionState* state, const HChar* key, const Object* object);
void position_file(PositionState* state, const HChar* key, const SourceFile* file);
void position_context(PositionState* state, const HChar* key, const Context* context);

/* Write the position of a cost line and a blank; differences are taken from here
   on.  */
void position_of_cost(PositionState* state, ULong address, UInt line);

/* Write the position of a call's target and a blank.  */
void position_of_target(const PositionState* state, ULong address, UInt line);

#endif
