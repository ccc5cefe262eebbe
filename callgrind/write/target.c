/* SPDX-License-Identifier: GPL-2.0-or-later

   See target.h.

   The last component of the path is looked at by itself.  If it is a link to be followed,
   the folder that its text names takes the place of the open one, and the last component
   of that text is looked at next.  Links among the folders are the kernel's to follow,
   which does not follow those of others in a sticky folder.  */

#include "write/target.h"

#include "base/system_filter.h"
#include "write/file_calls.h"
#include "write/outside.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"

#include <asm/errno.h>

/* The kernel follows as many.  */
#define MAX_LINKS 40

static Bool begins_with(const HChar* text, const HChar* start)
{
   return VG_(strncmp)(text, start, VG_(strlen)(start)) == 0;
}

/* True if `path` leads to a file that some process has open.  Its links have texts that
   are no paths.  */
static Bool is_open_file(const HChar* path)
{
   return begins_with(path, "/proc/") || begins_with(path, "/dev/fd/") ||
          VG_(strcmp)(path, "/dev/stdout") == 0 || VG_(strcmp)(path, "/dev/stderr") == 0;
}

Bool target_is_open_file(TargetPath path)
{
   return path.is_named && is_open_file(path.path);
}

static Bool is_trusted(const struct vg_stat* status)
{
   return status->uid == 0 || status->uid == (UInt)VG_(geteuid)();
}

void target_close(Target* target)
{
   if (target->folder >= 0)
      file_close(target->folder);
   target->folder = -1;
}

/* Where the last component of `path` begins.  */
static const HChar* last_name(const HChar* path)
{
   const HChar* name = path + VG_(strlen)(path);
   while (name > path && name[-1] != '/') /* VG_(strrchr) misses one at the start */
      name--;
   return name;
}

/* Puts the folder of `path`, which is no longer than paths can be, into `folder`.  */
static void put_folder(HChar* folder, const HChar* path)
{
   SizeT size = (SizeT)(last_name(path) - path);
   VG_(memcpy)(folder, path, size);
   VG_(strcpy)(folder + size, size == 0 ? "." : "");
}

/* Opens the folder of `path`, which starts in the target's folder if it is relative, and
   takes both over.  */
static UInt enter(Target* target, const HChar* path)
{
   HChar folder_path[VKI_PATH_MAX];
   Int folder;
   const HChar* name = last_name(path);
   if (VG_(strlen)(path) >= VKI_PATH_MAX)
      return ENAMETOOLONG;
   put_folder(folder_path, path);
   UInt error = outside_open_folder(target->folder, folder_path, &folder);
   if (error != 0)
      return error;
   target_close(target);
   target->folder = folder;
   VG_(strcpy)(target->name, name);
   return name[0] == '\0' ? EISDIR : 0;
}

/* Sets the kind of what is there by its name; *is_link, with `text`, if that is a link to
   be followed.  */
static UInt look(Target* target, Bool is_named, Bool is_linked, Bool* is_link,
                 HChar* text)
{
   struct vg_stat status;
   *is_link = False;
   target->kind = TargetFile;
   target->exists = False;
   UInt error = file_look_at(target->folder, target->name, &status, text);
   if (error != 0)
      return error == ENOENT ? 0 : error;
   if (VKI_S_ISDIR(status.mode))
      return EISDIR;
   target->exists = VKI_S_ISREG(status.mode);
   if (!is_named || (target->exists && !is_linked))
      return 0;
   *is_link = VKI_S_ISLNK(status.mode);
   if (!is_trusted(&status))
      return *is_link ? FILE_ERROR_FOREIGN_LINK : FILE_ERROR_FOREIGN_FILE;
   if (VKI_S_ISFIFO(status.mode))
      target->kind = TargetPipe;
   else if (!*is_link && !target->exists)
      target->kind = TargetDevice;
   return 0;
}

/* Follows the links from `path` on.  */
static UInt follow(Target* target, TargetPath path)
{
   HChar text[VKI_PATH_MAX];
   Bool is_link = True;
   UInt error = 0;
   VG_(strcpy)(text, path.path);
   for (UInt n_links = 0; is_link && error == 0; n_links++) {
      if (path.is_named && is_open_file(text)) {
         target_close(target);
         target->kind = TargetOpenFile;
         VG_(strcpy)(target->name, text);
         return 0;
      }
      error = n_links > MAX_LINKS ? ELOOP : enter(target, text);
      if (error == 0)
         error = look(target, path.is_named, n_links > 0, &is_link, text);
   }
   return error;
}

UInt target_open(Target* target, TargetPath path)
{
   target->folder = -1;
   if (path.path[0] != '/')
      return FILE_ERROR_NO_START_FOLDER;
   if (VG_(strlen)(path.path) >= VKI_PATH_MAX)
      return ENAMETOOLONG;
   UInt error = follow(target, path);
   if (error != 0)
      target_close(target);
   return error;
}

UInt target_open_plainly(TargetPath path, Bool append, Int* fd, Bool* is_kept)
{
   HChar folder[VKI_PATH_MAX];
   *is_kept = False;
   if (path.path[0] != '/')
      return FILE_ERROR_NO_START_FOLDER;
   if (VG_(strlen)(path.path) >= VKI_PATH_MAX)
      return ENAMETOOLONG;
   if (target_is_open_file(path)) {
      *fd = outside_open_file(path.path);
      *is_kept = *fd >= 0;
      return *is_kept ? 0 : file_open_plainly(-1, path.path, True, True, fd);
   }
   *fd = outside_open_file(path.path);
   *is_kept = *fd >= 0;
   if (*is_kept || system_filter_opening() == OpenByNone)
      return *is_kept ? 0 : EPERM;
   put_folder(folder, path.path);
   Int kept = outside_folder(folder);
   return file_open_plainly(kept, kept >= 0 ? last_name(path.path) : path.path, append,
                            path.is_named, fd);
}

void target_keep_open(TargetPath path)
{
   Int fd;
   Bool is_kept;
   if (target_open_plainly(path, False, &fd, &is_kept) == 0 && !is_kept)
      outside_keep_file(path.path, fd);
}

void target_keep(TargetPath path)
{
   Target target;
   if (target_open(&target, path) != 0)
      return;
   if (target.kind == TargetOpenFile)
      outside_keep_open_file(target.name);
   target_close(&target);
}
