/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns what is known about JIT functions; see jit_functions.h.

   Whether code has been replaced is seen from its first bytes.  A new name for its
   address does not prove it: programs repeat what a function is called, and they change
   code without making it another function.  */

#include "guest/jit/jit_functions.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/jitdump_file.h"
#include "guest/jit/perfmap_file.h"
#include "guest/memory.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node; /* key: the function's id */
   Function* function;
   Addr entry;
   SizeT length;       /* bytes at the entry that have been seen */
   ULong hash;         /* of these bytes */
   HChar* given;       /* its JIT name, owned; NULL: none yet */
   Bool is_name_final; /* it has several entries, or its code is gone */
} JitCode;

static VgHashTable* all;

void jit_functions_init(void)
{
   jit_names_init();
   perfmap_file_begin();
   all = VG_(HT_construct)("jit_functions.all");
}

static void read_names(void)
{
   perfmap_file_read();
   jitdump_file_read();
}

/* What is at the entry of a function now.  */
typedef enum { CodeSame, CodeReplaced, CodeGone } CodeNow;

static CodeNow code_now(const JitCode* code)
{
   ULong hash;
   if (!guest_memory_hash(code->entry, code->length, &hash))
      return CodeGone;
   return hash == code->hash ? CodeSame : CodeReplaced;
}

static Bool is_replaced(const JitCode* code) { return code_now(code) == CodeReplaced; }

static void set_given(JitCode* code, const HChar* name)
{
   VG_(free)(code->given);
   code->given = VG_(strdup)("jit_functions.given", name);
}

static JitCode* code_of(const Function* function)
{
   return VG_(HT_lookup)(all, function->id);
}

/* Records that `function` has been entered at `entry`.  Not for a function that stands
   for many: it has no code, and keeps its name.  */
static void note_entry(Function* function, Addr entry, SizeT length, const HChar* given)
{
   if (function->is_shared)
      return;
   JitCode* code = code_of(function);
   if (code != NULL) {
      if (code->entry != entry || is_replaced(code))
         code->is_name_final = True;
      return;
   }
   code = VG_(calloc)("jit_functions.code", 1, sizeof *code);
   code->node.key = function->id;
   code->function = function;
   code->entry = entry;
   if (guest_memory_hash(entry, length, &code->hash))
      code->length = length;
   if (given != NULL)
      set_given(code, given);
   VG_(HT_add_node)(all, code);
}

Function* jit_functions_entered_at(Addr entry, SizeT length, const Place* place)
{
   read_names();
   const HChar* name = jit_names_at(entry);
   Function* function = name != NULL ? symbols_jit_function(name)
                                     : address_unbounded_function(entry, place);
   note_entry(function, entry, length, name);
   return function;
}

Function* jit_functions_named_at(Addr address)
{
   read_names();
   const HChar* name = jit_names_at(address);
   return name != NULL ? symbols_jit_function(name) : NULL;
}

Bool jit_functions_may_start_at(const Function* function, Addr address)
{
   return function->has_jit_name ? jit_names_begin_at(address)
                                 : address_is_start(function, address);
}

static Bool is_given(const JitCode* code, const HChar* name)
{
   return code->given != NULL && VG_(strcmp)(code->given, name) == 0;
}

/* Takes the name that its entry has now, unless its name is final.  */
static void take_name(JitCode* code)
{
   if (code->is_name_final)
      return;
   switch (code_now(code)) {
   case CodeReplaced: return;
   case CodeGone: code->is_name_final = True; break;
   case CodeSame: break;
   }
   const HChar* name = jit_names_at(code->entry);
   if (name == NULL || is_given(code, name))
      return;
   symbols_rename_jit_function(code->function, name, code->entry);
   set_given(code, name);
}

Bool jit_functions_is_still(Function* function, Addr address)
{
   JitCode* code = code_of(function);
   if (code == NULL)
      return True;
   read_names();
   take_name(code);
   const HChar* name = jit_names_at(address);
   if (name == NULL) {
      /* It may be another function: from now on the cost may be that of two, and a name
         that comes would be wrong for one of them.  */
      if (code->given == NULL && is_replaced(code))
         code->is_name_final = True;
      return True;
   }
   return jit_functions_is_continued(function, address);
}

Bool jit_functions_is_continued(const Function* function, Addr address)
{
   JitCode* code = code_of(function);
   if (jit_names_at(address) == NULL || code == NULL)
      return True;
   if (code->given == NULL)
      take_name(code); /* which has come since the function was entered */
   return is_given(code, jit_names_at(address));
}

void jit_functions_discarded(const Function* function)
{
   JitCode* code = code_of(function);
   if (code == NULL || code->is_name_final)
      return;
   read_names();
   take_name(code);
}

void jit_functions_take_late_names(void)
{
   read_names();
   VG_(HT_ResetIter)(all);
   JitCode* code;
   while ((code = VG_(HT_Next)(all)) != NULL)
      take_name(code);
}

void jit_functions_mapped(Addr start) { jitdump_file_mapped(start); }

void jit_functions_before_fork(void) { read_names(); }

void jit_functions_in_child(void)
{
   perfmap_file_begin();
   jitdump_file_forget();
}
