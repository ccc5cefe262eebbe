/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the list of what is folded away; see skip.h.  */

#include "guest/skip.h"

#include "options/exec_options.h"
#include "options/text.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_xarray.h"

typedef struct {
   const HChar* option;   /* what it was given by */
   const HChar* pattern;  /* as it was given */
   const HChar* resolved; /* object: the same without symbolic links; or NULL */
   Bool has_matched;
} SkipEntry;

static XArray* object_entries;   /* of SkipEntry */
static XArray* function_entries; /* of SkipEntry */

/* As many links as the kernel follows.  */
#define MAX_LINKS 40

/* `path` from the root, newly allocated: a relative one starts at the folder that
   the program was started in.  */
static HChar* absolute(const HChar* path)
{
   const HChar* start = VG_(get_startup_wd)();
   if (path[0] == '/' || start == NULL)
      return VG_(strdup)("skip.path", path);
   return text_join("skip.path", start, "/", path);
}

/* Appends "/name" to the path of `*length` characters in `path`; "." and ".." as
   they mean.  False if it gets too long.  */
static Bool append_component(HChar* path, SizeT* length, const HChar* name, SizeT size)
{
   if (size == 0 || (size == 1 && name[0] == '.'))
      return True;
   if (size == 2 && name[0] == '.' && name[1] == '.') {
      while (*length > 0 && path[--*length] != '/') {}
      path[*length] = '\0';
      return True;
   }
   if (*length + size + 2 > VKI_PATH_MAX)
      return False;
   path[(*length)++] = '/';
   VG_(memcpy)(path + *length, name, size);
   *length += size;
   path[*length] = '\0';
   return True;
}

/* `path` with every symbolic link in it resolved, newly allocated; NULL if that
   cannot be done.  Components that do not exist stay as they are.  */
static HChar* resolve(const HChar* path)
{
   HChar result[VKI_PATH_MAX] = "";
   HChar target[VKI_PATH_MAX];
   SizeT length = 0;
   UInt n_links = 0;
   HChar* rest = absolute(path);
   SizeT at = 0;
   while (rest[at] != '\0') {
      SizeT end = at;
      while (rest[end] != '/' && rest[end] != '\0')
         end++;
      SizeT before = length;
      Bool fits = append_component(result, &length, rest + at, end - at);
      SSizeT linked =
         fits && length > before ? VG_(readlink)(result, target, sizeof target - 1) : -1;
      at = rest[end] == '/' ? end + 1 : end;
      if (!fits || (linked > 0 && ++n_links > MAX_LINKS)) {
         VG_(free)(rest);
         return NULL;
      }
      if (linked <= 0)
         continue;
      /* Go on with the link's target in place of the component.  */
      target[linked] = '\0';
      length = target[0] == '/' ? 0 : before;
      result[length] = '\0';
      HChar* next = text_join("skip.path", target, "/", rest + at);
      VG_(free)(rest);
      rest = next;
      at = 0;
   }
   VG_(free)(rest);
   return VG_(strdup)("skip.path", result);
}

static SkipEntry* entry_at(const XArray* entries, Word i)
{
   return VG_(indexXA)(entries, i);
}

static void add_entry(XArray* entries, const HChar* option, const HChar* pattern,
                      Bool is_path)
{
   SkipEntry entry = {option, VG_(strdup)("skip.pattern", pattern), NULL, False};
   if (is_path)
      entry.resolved = resolve(pattern);
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
   ExecOption option = {"--obj-skip", 0}; /* one of several */
   exec_options_set(&option, path);
   return True;
}

static Bool matches(const SkipEntry* entry, const HChar* text)
{
   return text != NULL &&
          (VG_(string_match)(entry->pattern, text) ||
           (entry->resolved != NULL && VG_(string_match)(entry->resolved, text)));
}

Bool skip_object(const HChar* path)
{
   if (VG_(sizeXA)(object_entries) == 0)
      return False;
   Bool found = False;
   HChar* resolved = resolve(path);
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
      if (!entry->has_matched)
         VG_(umsg)("Warning: %s '%s' has matched nothing that ran\n", entry->option,
                   entry->pattern);
   }
}

void skip_warn_unmatched(void)
{
   warn_about(object_entries);
   warn_about(function_entries);
}
