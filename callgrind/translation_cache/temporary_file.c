/* SPDX-License-Identifier: GPL-2.0-or-later

   See temporary_file.h.  */

#include "translation_cache/temporary_file.h"

#include "write/file_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"

static UInt make(TemporaryFile* file, Int folder, Int* fd)
{
   struct vg_stat status;
   VG_(snprintf)(file->name, sizeof file->name, CACHE_FOLDER_NEW "%016llx",
                 file_random());
   UInt error = file_create(folder, file->name, fd);
   if (error != 0)
      return error;
   file->is_there = True;
   file->length = 0;
   if (VG_(fstat)(*fd, &status) != 0) {
      file_close(*fd);
      return FILE_ERROR_UNKNOWN;
   }
   file->device = status.dev;
   file->inode = status.ino;
   return 0;
}

/* Goes to its end, if it is what it was.  */
static UInt go_on(TemporaryFile* file, Int fd)
{
   struct vg_stat status;
   if (VG_(fstat)(fd, &status) != 0)
      return FILE_ERROR_UNKNOWN;
   if (status.dev != file->device || status.ino != file->inode ||
       (ULong)status.size != file->length) {
      file->is_there = False;
      return FILE_ERROR_REPLACED;
   }
   return VG_(lseek)(fd, (Off64T)file->length, VKI_SEEK_SET) == (Off64T)file->length
             ? 0
             : FILE_ERROR_UNKNOWN;
}

UInt temporary_file_open(TemporaryFile* file, Int folder, Int* fd)
{
   if (!file->is_there)
      return make(file, folder, fd);
   UInt error = file_open(folder, file->name, True, fd);
   if (error != 0)
      return error;
   error = go_on(file, *fd);
   if (error != 0)
      file_close(*fd);
   return error;
}

/* Not more at once: the kernel would take larger pages, which it has to find, and which
   the processor's caches do not have.  */
#define PIECE (1u << 16)

UInt temporary_file_write(TemporaryFile* file, Int fd, const UChar* bytes, SizeT size)
{
   UInt error = 0;
   while (size > 0 && error == 0) {
      UInt n = size < PIECE ? (UInt)size : PIECE;
      error = file_write(fd, (const HChar*)bytes, n);
      bytes += n;
      size -= n;
      file->length += n;
   }
   return error;
}

UInt temporary_file_rename(TemporaryFile* file, Int folder, const HChar* name)
{
   UInt error = file_rename(folder, file->name, name);
   if (error == 0)
      file->is_there = False;
   return error;
}

void temporary_file_remove(TemporaryFile* file, Int folder)
{
   if (file->is_there)
      file_unlink(folder, file->name);
   file->is_there = False;
}
