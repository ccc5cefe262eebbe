/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding functions; see names.h.  What is found for a place in a file is kept, so
   symbol tables and debug information are searched once per address.  A file that was
   overwritten after it was mapped is not searched: it would give the names of other
   code.  */

#include "profile/names.h"

#include "base/memory.h"
#include "code/demangle.h"
#include "code/inlining.h"
#include "code/jit_names.h"
#include "code/kernel_names.h"
#include "code/symbols.h"
#include "unwind/cfi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE 65536

/* A place in a file, and what was found for it.  */
struct KnownPlace {
   KnownPlace* next;
   CodePlace place;
   NamedFrame pending;
   NamedFrame* frames; /* NULL: not resolved, `pending` stands for them */
   unsigned count;
};

static Function* functions[TABLE_SIZE];
static KnownPlace* places[TABLE_SIZE];
static Function* kernel_places[TABLE_SIZE]; /* by address */
static size_t kernel_place_count;
static bool has_ended;

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

/* --- Functions ---------------------------------------------------------------------- */

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
          function->pending == PendingNothing && strcmp(function->name, name) == 0 &&
          same_text(function->source, source))
         return function;
   }
   Function* function = memory_allocate(sizeof *function);
   function->object = object;
   function->name = memory_copy_text(name);
   function->source = source != NULL ? memory_copy_text(source) : NULL;
   function->line = line;
   function->is_named = is_named;
   function->next = *slot;
   *slot = function;
   return function;
}

static char* address_text(uint64_t address)
{
   char text[32];
   snprintf(text, sizeof text, "0x%016llx", (unsigned long long)address);
   return memory_copy_text(text);
}

static Function* unnamed(Object* object, uint64_t address)
{
   char* name = address_text(address);
   Function* function = function_of(object, name, NULL, 0, false);
   free(name);
   return function;
}

/* A function by its symbol, which is demangled.  */
static Function* function_named(Object* object, const char* symbol, const char* source,
                                unsigned line)
{
   char* name = demangle_symbol(symbol);
   Function* function = function_of(object, name, source, line, true);
   free(name);
   return function;
}

/* Notes where a function begins; of several that share a record, the first one
   counts.  */
static void note_entry(Function* function, uint64_t start)
{
   if (!function->has_entry)
      function->has_entry = object_offset(function->object, start, &function->entry);
}

/* Finds the function at a place in a file, and those inlined there.  Returns how
   many.  */
static unsigned look_up(const CodePlace* place, NamedFrame* frames)
{
   InlineFrame inlined[INLINING_MAX_FRAMES];
   Object* object = place->object;
   frames[0].kind = NodeCalled;
   if (!object_is_unchanged(object)) {
      frames[0].function = unnamed(object, place->address);
      return 1;
   }
   unsigned count = inlining_frames(object, place->address, inlined);
   uint64_t start;
   bool has_start = true;
   const char* symbol = symbols_name(object, place->address, &start);
   if (symbol == NULL)
      has_start = cfi_function_start(object, place->address, &start);
   const char* source = count != 0 ? inlined[0].source : NULL;
   unsigned line = count != 0 ? inlined[0].line : 0;
   if (count > NAMES_MAX_FRAMES)
      count = NAMES_MAX_FRAMES;
   if (symbol == NULL && count != 0)
      symbol = inlined[0].name;
   if (symbol != NULL)
      frames[0].function = function_named(object, symbol, source, line);
   else
      frames[0].function = unnamed(object, has_start ? start : place->address);
   if (has_start)
      note_entry(frames[0].function, start);
   for (unsigned i = 1; i < count; i++) {
      frames[i].function =
         function_named(object, inlined[i].name, inlined[i].source, inlined[i].line);
      frames[i].kind = NodeInlined;
   }
   return count == 0 ? 1 : count;
}

/* --- While the program is sampled --------------------------------------------------- */

static Function* pending_function(Pending pending, Object* object, uint64_t address)
{
   Function* function = memory_allocate(sizeof *function);
   function->pending = pending;
   function->object = object;
   function->address = address;
   return function;
}

static Function* jit_function(Process* process, uint64_t address, uint64_t time)
{
   const char* name = jit_names_find(&process->jit, &process->owner, address, time);
   if (name != NULL)
      return function_of(names_jit_object(), name, NULL, 0, true);
   /* One pending function for each address of the process.  */
   Function** slot = &functions[(address * 0x9e3779b97f4a7c15ull >> 40) % TABLE_SIZE];
   for (Function* function = *slot; function != NULL; function = function->next) {
      if (function->pending == PendingJit && function->process == process &&
          function->address == address)
         return function;
   }
   Function* function = pending_function(PendingJit, names_jit_object(), address);
   function->name = address_text(address);
   function->process = process;
   function->time = time;
   function->next = *slot;
   *slot = function;
   return function;
}

static KnownPlace* known_place(const CodePlace* place)
{
   size_t hash = ((size_t)place->object >> 4) * 31 + place->address;
   KnownPlace** slot = &places[hash * 0x9e3779b97f4a7c15ull >> 40 & (TABLE_SIZE - 1)];
   for (KnownPlace* known = *slot; known != NULL; known = known->next) {
      if (known->place.object == place->object && known->place.address == place->address)
         return known;
   }
   KnownPlace* known = memory_allocate(sizeof *known);
   Function* function = pending_function(PendingPlace, place->object, place->address);
   function->place = known;
   known->place = *place;
   known->pending = (NamedFrame){function, NodeCalled};
   known->next = *slot;
   *slot = known;
   return known;
}

unsigned names_of_place(Process* process, const CodePlace* place, uint64_t time,
                        const NamedFrame** frames)
{
   static NamedFrame jit;
   if (place->object == NULL) {
      jit = (NamedFrame){jit_function(process, place->address, time), NodeJit};
      *frames = &jit;
      return 1;
   }
   const KnownPlace* known = known_place(place);
   *frames = known->frames != NULL ? known->frames : &known->pending;
   return known->frames != NULL ? known->count : 1;
}

Function* names_of_kernel(uint64_t address)
{
   Function** slot = &kernel_places[(address * 0x9e3779b97f4a7c15ull >> 40) % TABLE_SIZE];
   for (Function* function = *slot; function != NULL; function = function->next) {
      if (function->address == address)
         return function;
   }
   Function* function = pending_function(PendingKernel, names_kernel_object(), address);
   /* Where the kernel's names are secret, so are its addresses.  */
   function->name = memory_copy_text("[kernel]");
   function->next = *slot;
   *slot = function;
   kernel_place_count++;
   return function;
}

bool names_is_kernel(uint64_t address, const char* name)
{
   char* found;
   kernel_names_find(KERNEL_NAMES_FILE, &address, 1, &found);
   bool is_so = found != NULL && strcmp(found, name) == 0;
   free(found);
   return is_so;
}

/* --- Afterwards --------------------------------------------------------------------- */

static int by_address(const void* left, const void* right)
{
   const Function* a = *(Function* const*)left;
   const Function* b = *(Function* const*)right;
   return a->address < b->address ? -1 : a->address > b->address;
}

/* Gives the pending functions of the kernel their names.  */
static void name_kernel_places(void)
{
   size_t count = 0;
   if (kernel_place_count == 0)
      return;
   Function** all = memory_reallocate(NULL, kernel_place_count, sizeof *all);
   uint64_t* addresses = memory_reallocate(NULL, kernel_place_count, sizeof *addresses);
   char** names = memory_reallocate(NULL, kernel_place_count, sizeof *names);
   for (size_t i = 0; i < TABLE_SIZE; i++) {
      for (Function* function = kernel_places[i]; function; function = function->next)
         all[count++] = function;
   }
   qsort(all, count, sizeof *all, by_address);
   for (size_t i = 0; i < count; i++)
      addresses[i] = all[i]->address;
   kernel_names_find(KERNEL_NAMES_FILE, addresses, count, names);
   for (size_t i = 0; i < count; i++) {
      if (names[i] == NULL)
         continue;
      free(all[i]->name);
      all[i]->name = names[i];
      all[i]->is_named = true;
   }
   free(all);
   free(addresses);
   free(names);
}

void names_end(void)
{
   has_ended = true;
   name_kernel_places();
}

static unsigned resolve_place(KnownPlace* known, const NamedFrame** frames)
{
   if (known->frames == NULL) {
      NamedFrame found[NAMES_MAX_FRAMES];
      known->count = look_up(&known->place, found);
      known->frames = memory_reallocate(NULL, known->count, sizeof *known->frames);
      memcpy(known->frames, found, known->count * sizeof *found);
   }
   *frames = known->frames;
   return known->count;
}

unsigned names_resolve(NamedFrame frame, const NamedFrame** frames)
{
   static NamedFrame resolved;
   Function* function = frame.function;
   const char* late;
   resolved = frame;
   *frames = &resolved;
   switch (function->pending) {
   case PendingPlace: return resolve_place(function->place, frames);
   case PendingKernel:
      if (has_ended)
         resolved.function =
            function_of(function->object, function->name, NULL, 0, function->is_named);
      return 1;
   case PendingJit:
      if (!has_ended)
         return 1;
      late = jit_names_find_late(&function->process->jit, &function->process->owner,
                                 function->address, function->time);
      if (late != NULL)
         resolved.function = function_of(names_jit_object(), late, NULL, 0, true);
      return 1;
   case PendingNothing: return 1;
   }
   return 1;
}

/* --- What stands for code that has no function -------------------------------------- */

Function* names_of_missing(bool too_deep)
{
   return function_of(NULL, too_deep ? "[truncated]" : "[unknown callers]", NULL, 0,
                      true);
}

Function* names_of_skipped(void) { return function_of(NULL, "(skipped)", NULL, 0, true); }

Function* names_of_no_processor(void)
{
   return function_of(names_kernel_object(), "[waiting for a processor]", NULL, 0, true);
}
