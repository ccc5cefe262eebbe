/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the lists of entries; see skip.h.  */

#include "guest/skip.h"

#include "base/path.h"
#include "base/pattern.h"
#include "base/text.h"
#include "options/exec_options.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct {
   const HChar* option;   /* the option or request that gave it, for messages */
   const HChar* pattern;  /* as it was given; owned */
   const HChar* resolved; /* of an object: without symbolic links; owned; or NULL */
   Bool has_matched;      /* something that ran */
} SkipEntry;

static XArray* object_entries;   /* of SkipEntry */
static XArray* function_entries; /* of SkipEntry */

static SkipEntry* entry_at(const XArray* entries, Word i)
{
   return VG_(indexXA)(entries, i);
}

static void add_entry(XArray* entries, const HChar* option, const HChar* pattern,
                      Bool is_path)
{
   SkipEntry entry = {option, VG_(strdup)("skip.pattern", pattern), NULL, False};
   if (is_path)
      entry.resolved = path_resolve(pattern);
   VG_(addToXA)(entries, &entry);
}

void skip_init(void)
{
   object_entries = VG_(newXA)(VG_(malloc), "skip.list", VG_(free), sizeof(SkipEntry));
   function_entries = VG_(newXA)(VG_(malloc), "skip.list", VG_(free), sizeof(SkipEntry));
   for (Word i = 0; options.obj_skip != NULL && i < VG_(sizeXA)(options.obj_skip); i++)
      add_entry(object_entries, "--obj-skip",
                *(const HChar**)VG_(indexXA)(options.obj_skip, i), True);
   for (Word i = 0; options.fn_skip != NULL && i < VG_(sizeXA)(options.fn_skip); i++)
      add_entry(function_entries, "--fn-skip",
                *(const HChar**)VG_(indexXA)(options.fn_skip, i), False);
}

Bool skip_add_object(const HChar* path)
{
   for (Word i = 0; i < VG_(sizeXA)(object_entries); i++)
      if (VG_(strcmp)(entry_at(object_entries, i)->pattern, path) == 0)
         return False;
   add_entry(object_entries, "CALLGRIND_ADD_OBJ_SKIP", path, True);
   ExecOption option = {"--obj-skip", 0}; /* may be repeated */
   exec_options_set(&option, path);
   return True;
}

static Bool matches(const SkipEntry* entry, const HChar* text)
{
   return text != NULL &&
          (pattern_matches(entry->pattern, text) ||
           (entry->resolved != NULL && pattern_matches(entry->resolved, text)));
}

Bool skip_object(const HChar* path)
{
   if (VG_(sizeXA)(object_entries) == 0)
      return False;
   Bool found = False;
   HChar* resolved = path_resolve(path);
   for (Word i = 0; i < VG_(sizeXA)(object_entries); i++) {
      SkipEntry* entry = entry_at(object_entries, i);
      if (matches(entry, path) || matches(entry, resolved))
         found = entry->has_matched = True;
   }
   VG_(free)(resolved);
   return found;
}

Bool skip_function(const HChar* name)
{
   Bool found = False;
   for (Word i = 0; i < VG_(sizeXA)(function_entries); i++) {
      SkipEntry* entry = entry_at(function_entries, i);
      if (matches(entry, name))
         found = entry->has_matched = True;
   }
   return found;
}

static void warn_about(const XArray* entries)
{
   for (Word i = 0; i < VG_(sizeXA)(entries); i++) {
      const SkipEntry* entry = entry_at(entries, i);
      if (!entry->has_matched) {
         HChar* pattern = text_printable("skip.pattern", entry->pattern);
         VG_(umsg)("Warning: %s '%s' has matched nothing that ran\n", entry->option,
                   pattern);
         VG_(free)(pattern);
      }
   }
}

void skip_warn_unmatched(void)
{
   warn_about(object_entries);
   warn_about(function_entries);
}
