/* SPDX-License-Identifier: GPL-2.0-or-later

   Name and position compression; see position.h.  */

#include "write/position.h"

#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* From this difference on, positions are written absolutely.  */
#define MAX_DIFFERENCE 100

/* Ids of objects, and of files, by their id in the model: in the order in which they are
   written first, the same in all parts.  When the model came to know them depends on who
   asked, which may be the translation cache.  */
typedef struct {
   UInt* ids; /* 0: not written yet */
   UInt size, n;
} Numbering;

static Numbering object_ids, file_ids;

static UInt id_of(Numbering* numbering, UInt in_model)
{
   if (in_model >= numbering->size) {
      UInt size = 2 * (in_model + 1);
      numbering->ids =
         VG_(realloc)("position.ids", numbering->ids, size * sizeof *numbering->ids);
      VG_(memset)(numbering->ids + numbering->size, 0,
                  (size - numbering->size) * sizeof *numbering->ids);
      numbering->size = size;
   }
   if (numbering->ids[in_model] == 0)
      numbering->ids[in_model] = ++numbering->n;
   return numbering->ids[in_model];
}

static UInt n_contexts(void)
{
   UInt n = 0;
   for (const Context* context = context_first(); context != NULL;
        context = context->next)
      n++;
   return n;
}

void position_begin(PositionState* state, Output* output)
{
   state->output = output;
   state->objects_spelt = VG_(calloc)("position.objects", symbols_n_objects() + 1, 1);
   state->files_spelt = VG_(calloc)("position.files", symbols_n_files() + 1, 1);
   state->contexts_spelt = VG_(calloc)("position.contexts", n_contexts() + 1, 1);
   state->has_base = False;
   state->base_address = 0;
   state->base_line = 0;
}

void position_end(PositionState* state)
{
   VG_(free)(state->objects_spelt);
   VG_(free)(state->files_spelt);
   VG_(free)(state->contexts_spelt);
}

/* Where an inlined function would be named.  */
#define OWN_CODE "???"

static void put_key(const PositionState* state, const HChar* key)
{
   output_text(state->output, key);
   output_char(state->output, '=');
}

/* Readers take what begins like this for the id of a compressed name.  */
static Bool looks_compressed(const HChar* name)
{
   return name[0] == '(' && name[1] >= '0' && name[1] <= '9';
}

/* Writes what compression puts in front of a name; True if the name follows.  A name that
   looks compressed is always written so: behind an id, it is what it is.  */
static Bool put_id(const PositionState* state, UInt id, const HChar* name, UChar* spelt)
{
   if (!options.compress_strings && !looks_compressed(name))
      return True;
   output_char(state->output, '(');
   output_decimal(state->output, id);
   output_char(state->output, ')');
   Bool is_new = !spelt[id];
   spelt[id] = 1;
   if (is_new)
      output_char(state->output, ' ');
   return is_new;
}

void position_object(PositionState* state, const HChar* key, const Object* object)
{
   put_key(state, key);
   UInt id = id_of(&object_ids, object->id);
   if (put_id(state, id, object->path, state->objects_spelt))
      output_line_text(state->output, object->path);
   output_char(state->output, '\n');
}

void position_file(PositionState* state, const HChar* key, const SourceFile* file)
{
   put_key(state, key);
   UInt id = id_of(&file_ids, file->id);
   if (put_id(state, id, file->path, state->files_spelt))
      output_line_text(state->output, file->path);
   output_char(state->output, '\n');
}

/* f'caller'its caller, up to `n` of them.  */
static void put_callers(Output* output, const CallChain* callers, UInt n)
{
   for (; callers != NULL && n > 0; callers = callers->callers, n--) {
      output_char(output, '\'');
      output_line_text(output, callers->function->name);
   }
}

void position_context(PositionState* state, const HChar* key, const Context* context)
{
   put_key(state, key);
   if (put_id(state, context->id + 1, context->function->name, state->contexts_spelt)) {
      output_line_text(state->output, context->function->name);
      if (context->level > 1) {
         output_char(state->output, '\'');
         output_decimal(state->output, context->level);
      }
      if (context->chain != NULL)
         put_callers(state->output, context->chain->callers,
                     context->function->n_callers);
   }
   output_char(state->output, '\n');
}

/* These names have no ids.  Where one may be taken for something else, it is quoted.  */
void position_inlined(const PositionState* state, const HChar* name)
{
   const HChar* quote =
      looks_compressed(name) || VG_(strcmp)(name, OWN_CODE) == 0 ? "\"" : "";
   put_key(state, "cfni");
   output_text(state->output, quote);
   output_line_text(state->output, name[0] != '\0' ? name : OWN_CODE);
   output_text(state->output, quote);
   output_char(state->output, '\n');
}

static void put_number(const PositionState* state, ULong number, ULong base, Bool is_hex)
{
   Output* output = state->output;
   if (options.compress_positions && state->has_base) {
      if (number == base) {
         output_char(output, '*');
         return;
      }
      ULong distance = number > base ? number - base : base - number;
      if (distance < MAX_DIFFERENCE) {
         output_char(output, number > base ? '+' : '-');
         output_decimal(output, distance);
         return;
      }
   }
   if (is_hex)
      output_hex(output, number);
   else
      output_decimal(output, number);
}

void position_of_target(const PositionState* state, ULong address, UInt line)
{
   if (options.dump_instr) {
      put_number(state, address, state->base_address, True);
      output_char(state->output, ' ');
   }
   if (options.dump_line) {
      put_number(state, line, state->base_line, False);
      output_char(state->output, ' ');
   }
}

void position_of_cost(PositionState* state, ULong address, UInt line)
{
   position_of_target(state, address, line);
   state->has_base = True;
   state->base_address = address;
   state->base_line = line;
}

void position_costs(Output* output, const ULong* cost)
{
   ULong listed[COST_MAX_EVENTS];
   UInt n = cost_list(cost, 1, listed);
   for (UInt i = 0; i < n; i++) {
      if (i > 0)
         output_char(output, ' ');
      output_decimal(output, listed[i]);
   }
   output_char(output, '\n');
}
