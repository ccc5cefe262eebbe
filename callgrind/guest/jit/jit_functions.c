/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns what is known of functions made at run time; see jit_functions.h.

   Whether code has been replaced is seen by its first bytes.  That a line has come for
   its address does not tell: programs say again what a function is called, and they
   change code without making another function of it.  */

#include "guest/jit/jit_functions.h"

#include "guest/jit/jit_names.h"
#include "guest/jit/jitdump.h"
#include "guest/jit/perfmap.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node; /* key: the function's id */
   Function* function;
   Addr entry;
   SizeT length;       /* bytes that were seen there */
   ULong hash;         /* of them */
   const HChar* given; /* the name that it was given; NULL: none yet */
   Bool is_name_final; /* that stays: there are several entries, or its code is gone */
} MadeCode;

static VgHashTable* all;

void jit_functions_init(void)
{
   jit_names_init();
   perfmap_init();
   all = VG_(HT_construct)("made_code.all");
}

static void read_names(void)
{
   perfmap_read();
   jitdump_read();
}

static Bool is_there(Addr start, SizeT length)
{
   return VG_(am_is_valid_for_client)(start, length, VKI_PROT_READ);
}

static ULong hash_bytes(Addr start, SizeT length)
{
   const UChar* bytes = (const UChar*)start;
   ULong hash = 0xcbf29ce484222325ULL;
   for (SizeT i = 0; i < length; i++)
      hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
   return hash;
}

static Bool is_gone(const MadeCode* code) { return !is_there(code->entry, code->length); }

/* Other code has taken its place; not if it is merely gone.  */
static Bool is_replaced(const MadeCode* code)
{
   return !is_gone(code) && hash_bytes(code->entry, code->length) != code->hash;
}

static MadeCode* code_of(const Function* function)
{
   return VG_(HT_lookup)(all, function->id);
}

static void note_entry(Function* function, Addr entry, SizeT length, const HChar* given)
{
   if (!is_there(entry, length))
      length = 0;
   MadeCode* code = code_of(function);
   if (code != NULL) {
      if (code->entry != entry || is_replaced(code))
         code->is_name_final = True;
      return;
   }
   code = VG_(calloc)("made_code.code", 1, sizeof *code);
   code->node.key = function->id;
   code->function = function;
   code->entry = entry;
   code->length = length;
   code->hash = hash_bytes(entry, length);
   code->given = given;
   VG_(HT_add_node)(all, code);
}

Function* jit_functions_entered_at(Addr entry, SizeT length, const Place* place)
{
   read_names();
   const HChar* name = jit_names_at(entry);
   Function* function = name != NULL ? symbols_jit_function(name)
                                     : symbols_unbounded_function(entry, place);
   note_entry(function, entry, length, name);
   return function;
}

static Bool is_given(const MadeCode* code, const HChar* name)
{
   return code->given != NULL && VG_(strcmp)(code->given, name) == 0;
}

/* Takes the name that its entry has now, unless that is settled.  */
static void take_name(MadeCode* code)
{
   if (code->is_name_final)
      return;
   if (is_gone(code))
      code->is_name_final = True;
   else if (is_replaced(code))
      return;
   const HChar* name = jit_names_at(code->entry);
   if (name == NULL || is_given(code, name))
      return;
   symbols_rename_jit_function(code->function, name, code->entry);
   code->given = name;
}

Bool jit_functions_is_still(Function* function, Addr address)
{
   MadeCode* code = code_of(function);
   if (code == NULL)
      return True;
   read_names();
   take_name(code);
   const HChar* name = jit_names_at(address);
   if (name == NULL) {
      /* Nobody knows whether it is another function.  From now on its cost may be that of
         two, and a name that comes would be wrong for one of them.  */
      if (code->given == NULL && is_replaced(code))
         code->is_name_final = True;
      return True;
   }
   return jit_functions_is_continued(function, address);
}

Bool jit_functions_is_continued(const Function* function, Addr address)
{
   const HChar* name = jit_names_at(address);
   const MadeCode* code = code_of(function);
   return name == NULL || code == NULL || is_given(code, name);
}

void jit_functions_discarded(const Function* function)
{
   MadeCode* code = code_of(function);
   if (code == NULL || code->is_name_final)
      return;
   read_names();
   take_name(code);
}

void jit_functions_take_late_names(void)
{
   read_names();
   VG_(HT_ResetIter)(all);
   MadeCode* code;
   while ((code = VG_(HT_Next)(all)) != NULL)
      take_name(code);
}

void jit_functions_mapped(Addr start) { jitdump_mapped(start); }

void jit_functions_before_fork(void) { read_names(); }

void jit_functions_in_child(void)
{
   perfmap_init();
   jitdump_forget();
}
