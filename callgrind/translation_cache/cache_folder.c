/* SPDX-License-Identifier: GPL-2.0-or-later

   See cache_folder.h.  Relies on Linux's system calls for folders, which the core has no
   functions for.  */

#include "translation_cache/cache_folder.h"

#include "base/path.h"
#include "core/system_call.h"
#include "write/file_calls.h"
#include "write/outside.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include <asm/errno.h>
#include <asm/fcntl.h>

#define OWN_NAME "callgrind-exact/translations"

static SysRes call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4)
{
   return VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
}

/*--------------------------------------------------------------------*/
/* Where it is                                                         */

static const HChar* joined(const HChar* folder, const HChar* name)
{
   SizeT size = VG_(strlen)(folder) + VG_(strlen)(name) + 2;
   HChar* path = VG_(malloc)("cache_folder.path", size);
   VG_(snprintf)(path, (Int)size, "%s/%s", folder, name);
   return path;
}

/* The user's own; NULL if the environment does not say where that is.  */
static const HChar* own_path(void)
{
   const HChar* caches = VG_(getenv)("XDG_CACHE_HOME");
   if (caches != NULL && caches[0] == '/')
      return joined(caches, OWN_NAME);
   const HChar* home = VG_(getenv)("HOME");
   return home != NULL && home[0] == '/' ? joined(home, ".cache/" OWN_NAME) : NULL;
}

/* Makes a folder that only its owner may open.  An error, but not that it is there.  */
static UInt make_folder(const HChar* path)
{
   SysRes result = call(__NR_mkdirat, (UWord)VKI_AT_FDCWD, (UWord)path, 0700, 0);
   return sr_isError(result) && sr_Err(result) != EEXIST ? (UInt)sr_Err(result) : 0;
}

/* Makes it, and all folders that it lies in.  */
static UInt make_folders(const HChar* path)
{
   HChar* part = VG_(strdup)("cache_folder.part", path);
   for (UInt i = 1; part[i] != '\0'; i++)
      if (part[i] == '/') {
         part[i] = '\0';
         (void)make_folder(part);
         part[i] = '/';
      }
   UInt error = make_folder(part);
   VG_(free)(part);
   return error;
}

/* Why the open folder cannot be used; NULL if it can.  */
static const HChar* objection(Int folder)
{
   struct vg_stat status;
   if (VG_(fstat)(folder, &status) != 0)
      return "it cannot be examined";
   if (status.uid != (UInt)VG_(geteuid)())
      return "it belongs to another user";
   if ((status.mode & 077) != 0)
      return "others may open it: chmod 700";
   return NULL;
}

Int cache_folder_open(const HChar* path, const HChar** reason)
{
   Int folder;
   UInt error = outside_is_left() ? outside_open_folder(VKI_AT_FDCWD, path, &folder)
                                  : file_open_real_folder(path, &folder);
   if (error == ENOENT && !outside_is_left()) {
      error = make_folders(path);
      if (error == 0)
         error = file_open_real_folder(path, &folder);
   }
   if (error != 0) {
      *reason = error == ELOOP ? "it is a symbolic link: name the folder that it leads to"
                               : file_error_text(error);
      return -1;
   }
   *reason = objection(folder);
   if (*reason == NULL)
      return folder;
   file_close(folder);
   return -1;
}

/* With a slash behind its name, a symbolic link is followed.  */
static const HChar* without_slashes(const HChar* path)
{
   HChar* copy = VG_(strdup)("cache_folder.path", path);
   for (SizeT n = VG_(strlen)(copy); n > 1 && copy[n - 1] == '/'; n--)
      copy[n - 1] = '\0';
   return copy;
}

const HChar* cache_folder_path(const HChar* choice, const HChar** reason)
{
   *reason = NULL;
   if (VG_(strcmp)(choice, "no") == 0)
      return NULL;
   const HChar* path = VG_(strcmp)(choice, "yes") == 0 ? own_path() : choice;
   if (path == NULL)
      *reason = "neither XDG_CACHE_HOME nor HOME is set";
   else
      path = without_slashes(path_expand("--translation-cache", path));
   return path;
}

/*--------------------------------------------------------------------*/
/* Its size                                                            */

typedef struct {
   HChar name[CACHE_FOLDER_NAME];
   ULong size;
   ULong used; /* seconds since 1970 */
} File;

/* As the kernel gives it.  */
typedef struct {
   ULong inode;
   Long offset;
   UShort length;
   UChar type;
   HChar name[];
} FolderEntry;

/* Has it a name as the cache gives to its files: "new-" and a number, or four numbers
   with ".code" behind?  The user may have named a folder that holds other things.  */
static Bool is_name_of_ours(const HChar* name)
{
   if (VG_(strncmp)(name, CACHE_FOLDER_NEW, sizeof CACHE_FOLDER_NEW - 1) == 0) {
      name += sizeof CACHE_FOLDER_NEW - 1;
      return VG_(strspn)(name, "0123456789abcdef") == 16 && name[16] == '\0';
   }
   UInt n_numbers = 0;
   for (SizeT n; (n = VG_(strspn)(name, "0123456789abcdef")) > 0; name++) {
      n_numbers++;
      name += n;
      if (*name != '-')
         break;
   }
   return n_numbers == 4 && VG_(strcmp)(name, CACHE_FOLDER_END) == 0;
}

/* Notes a file of the open folder, if it is one of the cache's.  */
static void note_file(Int folder, const HChar* name, XArray* files)
{
   File file;
   struct vg_stat status;
   HChar target[VKI_PATH_MAX];
   if (VG_(strlen)(name) >= sizeof file.name || !is_name_of_ours(name) ||
       file_look_at(folder, name, &status, target) != 0 || !VKI_S_ISREG(status.mode))
      return;
   VG_(strcpy)(file.name, name);
   file.size = (ULong)status.size;
   file.used = status.mtime;
   VG_(addToXA)(files, &file);
}

static void list_files(Int folder, XArray* files)
{
   static ULong buffer[4096];
   /* The folder was opened for its names only, and would go on where it stopped.  */
   SysRes again = call(__NR_openat, (UWord)folder, (UWord) ".",
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
   if (sr_isError(again))
      return;
   for (;;) {
      SysRes got = call(__NR_getdents64, sr_Res(again), (UWord)buffer, sizeof buffer, 0);
      if (sr_isError(got) || sr_Res(got) == 0)
         break;
      const UChar* end = (const UChar*)buffer + sr_Res(got);
      for (const UChar* at = (const UChar*)buffer; at < end;) {
         const FolderEntry* entry = (const FolderEntry*)at;
         note_file(folder, entry->name, files);
         at += entry->length;
      }
   }
   file_close((Int)sr_Res(again));
}

static Int compare_use(const void* one, const void* other)
{
   ULong a = ((const File*)one)->used, b = ((const File*)other)->used;
   return a < b ? -1 : a > b;
}

/* A file that is being written is written to again and again.  One that was not for so
   many seconds was left by a process that was killed.  */
#define LEFT_FOR (24 * 60 * 60)

static Bool is_left(const File* file, ULong now)
{
   return VG_(strncmp)(file->name, CACHE_FOLDER_NEW, sizeof CACHE_FOLDER_NEW - 1) == 0 &&
          file->used + LEFT_FOR < now;
}

void cache_folder_shrink(Int folder, ULong limit)
{
   XArray* files = VG_(newXA)(VG_(malloc), "cache_folder.files", VG_(free), sizeof(File));
   ULong sum = 0, now = 0;
   list_files(folder, files);
   VG_(setCmpFnXA)(files, compare_use);
   VG_(sortXA)(files);
   for (Word i = 0; i < VG_(sizeXA)(files); i++) {
      const File* file = VG_(indexXA)(files, i);
      sum += file->size;
      now = file->used; /* of the last one: it has been written just now */
   }
   for (Word i = 0; i < VG_(sizeXA)(files); i++) {
      const File* file = VG_(indexXA)(files, i);
      if ((sum > limit || is_left(file, now)) && file_unlink(folder, file->name) == 0)
         sum -= file->size;
   }
   VG_(deleteXA)(files);
}

void cache_folder_used(Int folder, const HChar* name)
{
   (void)call(__NR_utimensat, (UWord)folder, (UWord)name, 0, VKI_AT_SYMLINK_NOFOLLOW);
}
