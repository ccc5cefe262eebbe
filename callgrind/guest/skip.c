/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the list of objects; see skip.h.  */

#include "guest/skip.h"

#include "base/hash.h"
#include "base/path.h"
#include "base/pattern.h"
#include "options/exec_options.h"
#include "options/options.h"
#include "options/patterns.h"
#include "options/unmatched.h"

#include "pub_tool_hashtable.h"
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

static XArray* object_entries; /* of SkipEntry */

/* The patterns of objects, to find whether one is there already.  */
static VgHashTable* object_patterns;

typedef struct {
   VgHashNode node; /* key: its hash */
   const HChar* pattern;
} PatternNode;

static SkipEntry* entry_at(Word i) { return VG_(indexXA)(object_entries, i); }

static Word compare_patterns(const void* one, const void* other)
{
   return VG_(strcmp)(((const PatternNode*)one)->pattern,
                      ((const PatternNode*)other)->pattern);
}

/* False if there is such an entry already.  */
static Bool add_object(const HChar* option, const HChar* pattern)
{
   PatternNode sought = {{NULL, hash_text(pattern)}, pattern};
   if (VG_(HT_gen_lookup)(object_patterns, &sought, compare_patterns) != NULL)
      return False;
   SkipEntry entry = {option, VG_(strdup)("skip.pattern", pattern), path_resolve(pattern),
                      False};
   VG_(addToXA)(object_entries, &entry);
   PatternNode* node = VG_(malloc)("skip.node", sizeof *node);
   *node = sought;
   node->pattern = entry.pattern;
   VG_(HT_add_node)(object_patterns, node);
   return True;
}

void skip_init(void)
{
   object_entries = VG_(newXA)(VG_(malloc), "skip.list", VG_(free), sizeof(SkipEntry));
   object_patterns = VG_(HT_construct)("skip.patterns");
   for (Word i = 0; i < patterns_count(options.obj_skip); i++)
      add_object("--obj-skip", patterns_at(options.obj_skip, i)->pattern);
}

Bool skip_add_object(const HChar* path)
{
   static const HChar request[] = "CALLGRIND_ADD_OBJ_SKIP";
   static Bool has_warned;
   if (VG_(strnlen)(path, VKI_PATH_MAX) == VKI_PATH_MAX) {
      if (!has_warned)
         VG_(umsg)("Warning: %s: a path of %u bytes or more is ignored: there are none\n",
                   request, (UInt)VKI_PATH_MAX);
      has_warned = True;
      return False;
   }
   if (!add_object(request, path))
      return False;
   exec_options_repeat("--obj-skip", path);
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
      SkipEntry* entry = entry_at(i);
      if (matches(entry, path) || matches(entry, resolved))
         found = entry->has_matched = True;
   }
   VG_(free)(resolved);
   return found;
}

Bool skip_by_last(const HChar* path, const HChar* resolved)
{
   SkipEntry* entry = entry_at(VG_(sizeXA)(object_entries) - 1);
   if (!matches(entry, path) && !matches(entry, resolved))
      return False;
   return entry->has_matched = True;
}

Bool skip_function(const HChar* name) { return patterns_match(options.fn_skip, name); }

void skip_tell_unmatched(void)
{
   for (Word i = 0; i < VG_(sizeXA)(object_entries); i++)
      if (!entry_at(i)->has_matched)
         unmatched_tell(entry_at(i)->option, entry_at(i)->pattern);
}
