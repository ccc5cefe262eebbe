/* SPDX-License-Identifier: GPL-2.0-or-later

   See translation_cache.h.  Owns the folder's path, and the files that this process has
   read.  */

#include "translation_cache/translation_cache.h"

#include "base/hash.h"
#include "base/system_filter.h"
#include "base/text.h"
#include "guest/address.h"
#include "options/options.h"
#include "translation_cache/cache_folder.h"
#include "translation_cache/identity.h"
#include "write/file_calls.h"
#include "write/outside.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

static const HChar* path; /* of the folder; NULL: there is no cache */
static Bool is_identified;
static ULong identity[2];

/* Writing a file of code anew for less than this share of it is not worth while.  */
#define LEAST_SHARE 64

/* A file that is saved.  */
typedef struct {
   CodeFile* file;
   UInt least_share; /* of what it has, to be added; 0: any */
} OpenFile;

static XArray* open_files; /* of OpenFile */

/* A file of code, by what it is named by.  */
typedef struct {
   VgHashNode node; /* key: a hash of the next three */
   const Object* object;
   Addr base; /* where the first byte of the object's file is, or would be */
   ULong options;
   HChar name[CACHE_FOLDER_NAME];
   CodeFile* file;
} ObjectFile;

static VgHashTable* files;

/* The mapping that was asked for last; start > end: none.  */
static struct {
   Addr start, end; /* both included */
   ULong options;
   ObjectFile* file;
} last = {1, 0, 0, NULL};

static void give_up(const HChar* reason)
{
   text_say("warning: no translation cache in '%s': %s\n",
            path != NULL ? path : options.translation_cache, reason);
   path = NULL;
}

#ifdef CORE_CAN_KEEP_TRANSLATIONS
void translation_cache_open(void)
{
   const HChar* reason;
   path = cache_folder_path(options.translation_cache, &reason);
   Int folder = path != NULL ? cache_folder_open(path, &reason) : -1;
   if (reason != NULL)
      give_up(reason);
   if (folder < 0)
      return;
   file_close(folder);
   files = VG_(HT_construct)("translation_cache.files");
   open_files =
      VG_(newXA)(VG_(malloc), "translation_cache.open", VG_(free), sizeof(OpenFile));
}
#else
void translation_cache_open(void)
{
   if (VG_(strcmp)(options.translation_cache, "no") != 0)
      give_up("unavailable on this core");
}
#endif

Bool translation_cache_is_open(void) { return path != NULL; }

void translation_cache_forget_ranges(void)
{
   last.start = 1;
   last.end = 0;
}

/* The tool's build must be known.  */
static Bool identify(const VexTranslateArgs* arguments)
{
   if (!is_identified && !identity_find(arguments, identity)) {
      give_up("the tool has no build-id");
      return False;
   }
   is_identified = True;
   return True;
}

/* What tells an object's file from others.  The guest's code is compared when an entry is
   used; this only keeps files apart.  */
static ULong name_of_object(const Object* object)
{
   if (object->build_id != NULL)
      return hash_text(object->build_id);
   struct vg_stat status;
   ULong name = hash_text(object->path);
   if (!sr_isError(VG_(stat)(object->path, &status))) {
      name = hash_checksum(name, &status.size, sizeof status.size);
      name = hash_checksum(name, &status.mtime, sizeof status.mtime);
   }
   return name;
}

static Word compare_files(const void* one, const void* other)
{
   const ObjectFile* a = one;
   const ObjectFile* b = other;
   return a->object != b->object || a->base != b->base || a->options != b->options;
}

static Bool has_warned; /* of files; one line is enough for all */

static void warn_refused(void)
{
   if (!has_warned)
      text_say("warning: a file of the translation cache in '%s' is not used: %s\n", path,
               "it is a link, another user's, or others may open it: chmod 600");
   has_warned = True;
}

CodeFile* translation_cache_open_file(const HChar* name, const ULong* for_identity,
                                      UInt least_share)
{
   const HChar* reason;
   Int folder = system_filter_is_on() ? -1 : cache_folder_open(path, &reason);
   OpenFile opened = {code_file_open(folder, name, for_identity), least_share};
   if (folder >= 0) {
      cache_folder_used(folder, name);
      file_close(folder);
   }
   if (code_file_is_refused(opened.file))
      warn_refused();
   VG_(addToXA)(open_files, &opened);
   return opened.file;
}

static ObjectFile* file_of(const Object* object, Addr base, ULong for_options)
{
   ObjectFile sought;
   sought.node.key = base ^ (UWord)object ^ (UWord)for_options;
   sought.object = object;
   sought.base = base;
   sought.options = for_options;
   ObjectFile* found = VG_(HT_gen_lookup)(files, &sought, compare_files);
   if (found != NULL)
      return found;
   found = VG_(malloc)("translation_cache.file", sizeof *found);
   *found = sought;
   VG_(snprintf)(found->name, sizeof found->name,
                 "%016llx-%016llx-%016llx-%llx" CACHE_FOLDER_END, identity[0],
                 name_of_object(object), for_options, (ULong)base);
   found->file = translation_cache_open_file(found->name, identity, LEAST_SHARE);
   code_file_write_early(found->file, path);
   VG_(HT_add_node)(files, found);
   return found;
}

/* Sets `last`.  */
static void find_file(Addr address, ULong for_options)
{
   const NSegment* segment = VG_(am_find_nsegment)(address);
   last.start = last.end = address;
   last.options = for_options;
   last.file = NULL;
   if (segment == NULL || segment->kind != SkFileC)
      return;
   last.start = segment->start;
   last.end = segment->end;
   Place place = address_place_of(address);
   if (symbols_is_object(place.object))
      last.file =
         file_of(place.object, segment->start - (Addr)segment->offset, for_options);
}

CodeFile* translation_cache_file(const VexTranslateArgs* arguments, ULong for_options)
{
   Addr address = arguments->guest_bytes_addr;
   if (!identify(arguments))
      return NULL;
   if (address < last.start || address > last.end || for_options != last.options)
      find_file(address, for_options);
   return last.file != NULL ? last.file->file : NULL;
}

static void warn_not_saved(const HChar* reason)
{
   if (!has_warned)
      text_say("warning: translations are not saved in '%s': %s\n", path, reason);
   has_warned = True;
}

static const OpenFile* open_file(Word number) { return VG_(indexXA)(open_files, number); }

static Bool is_anything_added(void)
{
   for (Word i = 0; i < VG_(sizeXA)(open_files); i++)
      if (code_file_n_added(open_file(i)->file) > 0)
         return True;
   return False;
}

static void save_in(Int folder)
{
   for (Word i = 0; i < VG_(sizeXA)(open_files); i++) {
      UInt error = code_file_save(open_file(i)->file, folder, open_file(i)->least_share);
      if (error != 0)
         warn_not_saved(file_error_text(error));
   }
   cache_folder_shrink(folder, (ULong)options.translation_cache_size << 20);
}

void translation_cache_save(void)
{
   const HChar* reason;
   if (!translation_cache_is_open() || !is_anything_added() || system_filter_is_on())
      return;
   Int folder = cache_folder_open(path, &reason);
   if (folder < 0) {
      warn_not_saved(reason);
      return;
   }
   save_in(folder);
   file_close(folder);
}

void translation_cache_keep(void)
{
   Int folder;
   if (translation_cache_is_open() &&
       outside_open_folder(VKI_AT_FDCWD, path, &folder) == 0)
      file_close(folder);
}

void translation_cache_in_child(void)
{
   if (!translation_cache_is_open())
      return;
   for (Word i = 0; i < VG_(sizeXA)(open_files); i++)
      code_file_drop_added(open_file(i)->file);
}
