/* SPDX-License-Identifier: GPL-2.0-or-later

   See inlined_code.h.

   Debug information has all of it (dwarf/inlining.h), and is read when the first address
   of an object is asked for.  Where it cannot be read, for example because its sections
   are compressed in a way that is not known, the core may know more.  It gives names only
   as lines of a stack trace, such as

      0x4001BF05: max (limits.h:12)

   with the innermost function first, and the function that has the code last; names have
   no scopes there, and the position is where code of this very function goes on.  */

#include "guest/inlined_code.h"

#include "core/debug_options.h"
#include "core/demangle.h"
#include "dwarf/function_names.h"
#include "dwarf/inlining.h"
#include "dwarf/units.h"
#include "guest/debug_files.h"
#include "options/options.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Functions inlined into each other; more are cut off.  */
#define MAX_DEPTH 256

/*--------------------------------------------------------------------*/
/* By debug information                                                */

/* The name as the core shows that of any other function.  */
static const HChar* shown_name(const FunctionDescription* function)
{
   if (function->linkage == NULL)
      return function->name != NULL ? function->name : "???";
   return core_demangle(function->linkage);
}

static const Inlined* inlined_of_call(InlinedCall* call, const Object* object)
{
   if (call->known != NULL)
      return call->known;
   const Inlined* outer =
      call->outer != NULL ? inlined_of_call(call->outer, object) : NULL;
   FunctionDescription function = {NULL, NULL, NULL, 0};
   if (call->file != NULL)
      function = function_names_describe(call->file, call->function);
   const HChar* path = function.path != NULL ? function.path : "";
   Inlined* inlined = inlined_intern(&(Inlined){.name = shown_name(&function),
                                                .outer = outer,
                                                .object = object,
                                                .line = function.line},
                                     path);
   if (function.path != NULL)
      inlined->file = symbols_intern_file(function.path);
   VG_(free)(function.name);
   call->known = inlined;
   return inlined;
}

/*--------------------------------------------------------------------*/
/* By the core                                                         */

static const HChar* base_name_of(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash != NULL ? slash + 1 : path;
}

/* Cuts the position off, and returns the base name of its file, "" if there is none.  */
static const HChar* cut_position(HChar* position)
{
   HChar* colon = VG_(strrchr)(position, ':');
   position[0] = '\0';
   if (colon == NULL) /* " (in OBJECT)" */
      return "";
   colon[0] = '\0';
   return base_name_of(position + 2);
}

/* A function in such a line.  A name may have blanks and brackets in it; the last " ("
   begins the source position.  */
typedef struct {
   HChar* line; /* owned: both texts lie there */
   const HChar* name;
   const HChar* base_name;
} Described;

static Described parse(const HChar* text)
{
   Described found = {VG_(strdup)("inlined.line", text), NULL, ""};
   HChar* colon = VG_(strstr)(found.line, ": ");
   HChar* name = colon != NULL ? colon + 2 : found.line;
   found.name = name;
   for (SizeT end = VG_(strlen)(name); end > 0; end--)
      if (name[end - 1] == ' ' && name[end] == '(') {
         found.base_name = cut_position(name + end - 1);
         break;
      }
   return found;
}

static void (*before_core)(Addr address);

void inlined_code_before_core(void (*read)(Addr address)) { before_core = read; }

static const Inlined* ask_core(Addr address, const Object* object, const SourceLine* line)
{
   if (before_core != NULL)
      before_core(address);
   const DiEpoch epoch = VG_(current_DiEpoch)();
   InlIPCursor* cursor = VG_(new_IIPC)(epoch, address);
   if (cursor == NULL)
      return NULL;
   Described frames[MAX_DEPTH];
   UInt n = 0;
   do {
      frames[n++] = parse(VG_(describe_IP)(epoch, address, cursor));
   } while (VG_(next_IIPC)(cursor) && n < MAX_DEPTH);
   VG_(delete_IIPC)(cursor);
   /* Folders are known of the instruction alone.  */
   frames[0].base_name = base_name_of(line->file->path);
   Inlined* inlined = NULL;
   for (UInt i = n - 1; i-- > 0;)
      inlined = inlined_intern(
         &(Inlined){.name = frames[i].name, .outer = inlined, .object = object},
         frames[i].base_name);
   if (inlined != NULL && inlined->file == NULL)
      inlined->file = line->file;
   for (UInt i = 0; i < n; i++)
      VG_(free)(frames[i].line);
   return inlined;
}

/*--------------------------------------------------------------------*/

static UInt depth_of(const Inlined* inlined)
{
   UInt depth = 0;
   for (; inlined != NULL; inlined = inlined->outer)
      depth++;
   return depth;
}

/* --ct-check: the core knows as many functions there.  */
static void compare_with_core(const Inlined* own, Addr address, const Object* object,
                              const SourceLine* line)
{
   const UInt found = depth_of(own), core = depth_of(ask_core(address, object, line));
   tl_assert2(found == core, "%u functions are inlined at 0x%lx; the core knows of %u",
              found, address, core);
}

Bool inlined_code_is_wanted(void) { return core_reads_inline_info(); }

const Inlined* inlined_code_at(Addr address, Addr file_address, Object* object,
                               const SourceLine* line, Bool* may_be_stored)
{
   InlinedCall* call;
   *may_be_stored = False;
   DwarfFile* file =
      symbols_is_object(object) ? debug_files_of(object, DebugAnywhere) : NULL;
   if (file == NULL || !inlining_at(file, file_address, &call))
      return ask_core(address, object, line);
   const Inlined* own = call != NULL ? inlined_of_call(call, object) : NULL;
   /* Units in two parts are misread by some cores.  */
   *may_be_stored = !units_is_split(file, file_address);
   if (UNLIKELY(options.check != CheckDumps) && *may_be_stored)
      compare_with_core(own, address, object, line);
   return own;
}
