/* SPDX-License-Identifier: GPL-2.0-or-later

   Names; see names.h.  What was found for a place in a file is kept: symbol tables and
   debug information are asked once per address.  */

#include "names.h"

#include "cfi.h"
#include "demangle.h"
#include "inlining.h"
#include "jit_names.h"
#include "kernel_names.h"
#include "memory.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE 65536

typedef struct KnownPlace {
   struct KnownPlace* next;
   CodePlace place;
   unsigned count;
   NamedFrame frames[];
} KnownPlace;

static Function* functions[TABLE_SIZE];
static KnownPlace* places[TABLE_SIZE];

Object* names_kernel_object(void)
{
   static Object* object;
   if (object == NULL)
      object = object_without_file("[kernel]", "-");
   return object;
}

Object* names_jit_object(void)
{
   static Object* object;
   if (object == NULL)
      object = object_without_file("[jit]", "-");
   return object;
}

static size_t hash_text(size_t hash, const char* text)
{
   for (; *text != '\0'; text++)
      hash = (hash ^ (unsigned char)*text) * 1099511628211u;
   return hash;
}

static bool same_text(const char* left, const char* right)
{
   return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

static Function* function_of(Object* object, const char* name, const char* source,
                             unsigned line, bool is_named)
{
   size_t hash = hash_text((size_t)object * 31 + line, name);
   Function** slot = &functions[(hash ^ hash >> 20) % TABLE_SIZE];
   for (Function* function = *slot; function != NULL; function = function->next) {
      if (function->object == object && function->line == line &&
          function->unknown_in == NULL && strcmp(function->name, name) == 0 &&
          same_text(function->source, source))
         return function;
   }
   Function* function = allocate(sizeof *function);
   function->object = object;
   function->name = copy_text(name);
   function->source = source != NULL ? copy_text(source) : NULL;
   function->line = line;
   function->is_named = is_named;
   function->next = *slot;
   *slot = function;
   return function;
}

static Function* nameless(Object* object, uint64_t address)
{
   char name[32];
   snprintf(name, sizeof name, "0x%016llx", (unsigned long long)address);
   return function_of(object, name, NULL, 0, false);
}

/* A name as people read it.  */
static Function* function_named(Object* object, const char* symbol, const char* source,
                                unsigned line)
{
   char* name = demangle(symbol);
   Function* function = function_of(object, name, source, line, true);
   free(name);
   return function;
}

/* The function of a file, and what is inlined into it there.  */
static unsigned look_up(const CodePlace* place, NamedFrame* frames)
{
   InlineFrame inlined[INLINING_MOST];
   Object* object = place->object;
   unsigned count = inlining_frames(object, place->address, inlined);
   const char* symbol = symbols_name(object, place->address);
   const char* source = count != 0 ? inlined[0].source : NULL;
   unsigned line = count != 0 ? inlined[0].line : 0;
   uint64_t start;
   if (count > NAMES_MOST)
      count = NAMES_MOST;
   if (symbol == NULL && count != 0)
      symbol = inlined[0].name;
   if (symbol != NULL)
      frames[0].function = function_named(object, symbol, source, line);
   else
      frames[0].function = nameless(
         object,
         cfi_function_start(object, place->address, &start) ? start : place->address);
   frames[0].kind = KIND_CALL;
   for (unsigned i = 1; i < count; i++) {
      frames[i].function =
         function_named(object, inlined[i].name, inlined[i].source, inlined[i].line);
      frames[i].kind = KIND_INLINED;
   }
   return count == 0 ? 1 : count;
}

static Function* jit_function(Process* process, uint64_t address, uint64_t time)
{
   const char* name = jit_names_find(&process->jit, process->pid, address, time);
   if (name != NULL)
      return function_of(names_jit_object(), name, NULL, 0, true);
   /* One for each address of the process, to be looked at again at the end.  */
   Function** slot = &functions[(address * 0x9e3779b97f4a7c15ull >> 40) % TABLE_SIZE];
   for (Function* function = *slot; function != NULL; function = function->next) {
      if (function->unknown_in == process && function->address == address)
         return function;
   }
   char text[32];
   snprintf(text, sizeof text, "0x%016llx", (unsigned long long)address);
   Function* function = allocate(sizeof *function);
   function->object = names_jit_object();
   function->name = copy_text(text);
   function->unknown_in = process;
   function->address = address;
   function->time = time;
   function->next = *slot;
   *slot = function;
   return function;
}

unsigned names_of_place(Process* process, const CodePlace* place, uint64_t time,
                        const NamedFrame** frames)
{
   static NamedFrame jit;
   if (place->object == NULL) {
      jit = (NamedFrame){jit_function(process, place->address, time), KIND_JIT};
      *frames = &jit;
      return 1;
   }
   size_t hash = ((size_t)place->object >> 4) * 31 + place->address;
   KnownPlace** slot = &places[hash * 0x9e3779b97f4a7c15ull >> 40 & (TABLE_SIZE - 1)];
   for (KnownPlace* known = *slot; known != NULL; known = known->next) {
      if (known->place.object == place->object &&
          known->place.address == place->address) {
         *frames = known->frames;
         return known->count;
      }
   }
   NamedFrame found[NAMES_MOST];
   unsigned count = look_up(place, found);
   KnownPlace* known = allocate(sizeof *known + count * sizeof(NamedFrame));
   known->place = *place;
   known->count = count;
   memcpy(known->frames, found, count * sizeof(NamedFrame));
   known->next = *slot;
   *slot = known;
   *frames = known->frames;
   return count;
}

Function* names_of_kernel(uint64_t address)
{
   const char* name = kernel_names_find(address);
   if (name != NULL)
      return function_of(names_kernel_object(), name, NULL, 0, true);
   /* Addresses of the kernel are secret where its names are.  */
   return function_of(names_kernel_object(), "[kernel]", NULL, 0, false);
}

Function* names_of_missing(bool too_deep)
{
   return function_of(NULL, too_deep ? "[truncated]" : "[unknown callers]", NULL, 0,
                      true);
}

Function* names_of_skipped(void) { return function_of(NULL, "(skipped)", NULL, 0, true); }

Function* names_look_again(Function* function)
{
   Process* process = function->unknown_in;
   if (process == NULL)
      return function;
   const char* name =
      jit_names_find_late(&process->jit, process->pid, function->address, function->time);
   return name != NULL ? function_of(names_jit_object(), name, NULL, 0, true) : function;
}
