/* SPDX-License-Identifier: GPL-2.0-or-later

   See tail_reader.h.  */

#include "guest/jit/tail_reader.h"

#include "base/hash.h"
#include "base/system_filter.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#include <asm/fcntl.h>

/* What is read at once, and of which the hash is taken.  */
#define MAX_PIECE (64u * 1024)
static UChar piece[MAX_PIECE];

/* Opens the file if it may be read, which no symbolic link may; -1 if not.  */
static Int open_file(const HChar* path, ULong* size)
{
   struct vg_stat status;
   /* Before it is opened, too: opening a pipe would wait.  */
   if (sr_isError(VG_(stat)(path, &status)) || !VKI_S_ISREG(status.mode))
      return -1;
   SysRes opened = VG_(open)(path, VKI_O_RDONLY | VKI_O_NONBLOCK | O_NOFOLLOW, 0);
   if (sr_isError(opened))
      return -1;
   Int fd = (Int)sr_Res(opened);
   if (VG_(fstat)(fd, &status) != 0 || !VKI_S_ISREG(status.mode) ||
       (status.uid != 0 && status.uid != (UInt)VG_(geteuid)())) {
      VG_(close)(fd);
      return -1;
   }
   *size = (ULong)status.size;
   return fd;
}

/* Reads up to `size` bytes at `offset`; returns how many there were.  */
static SizeT read_at(Int fd, ULong offset, UChar* bytes, SizeT size)
{
   if (VG_(lseek)(fd, (Off64T)offset, VKI_SEEK_SET) < 0)
      return 0;
   SizeT done = 0;
   while (done < size) {
      Int got = VG_(read)(fd, bytes + done, (Int)(size - done));
      if (got <= 0)
         break;
      done += (SizeT)got;
   }
   return done;
}

/* The hash of the file's first `size` bytes, but at most of the first MAX_PIECE.  */
static ULong hash_of_start(Int fd, ULong size)
{
   SizeT n = size < MAX_PIECE ? (SizeT)size : MAX_PIECE;
   return hash_bytes(piece, read_at(fd, 0, piece, n));
}

void tail_reader_begin(TailReader* file, const HChar* path, Bool is_stale)
{
   VG_(free)(file->path);
   VG_(memset)(file, 0, sizeof *file);
   file->path = VG_(strdup)("tail_reader.path", path);
   if (!is_stale)
      return;
   ULong size;
   Int fd = open_file(path, &size);
   if (fd < 0)
      return;
   file->stale_size = size;
   file->stale_hash = hash_of_start(fd, size);
   VG_(close)(fd);
}

/* Passes over what was there before the program began, if it is still there.  */
static void pass_over_stale(TailReader* file, Int fd, ULong size)
{
   if (file->stale_size == 0)
      return;
   if (size >= file->stale_size &&
       hash_of_start(fd, file->stale_size) == file->stale_hash) {
      file->offset = file->stale_size;
      if (size == file->stale_size)
         return; /* it may still be replaced */
   } else
      file->offset = 0;
   file->stale_size = 0;
}

/* Passes on a piece of what lies behind the offset; False if it cannot be read.  */
static Bool take_piece(TailReader* file, Int fd, ULong size, TailReaderTake* take)
{
   ULong rest = size - file->offset;
   SizeT n = read_at(fd, file->offset, piece, rest < MAX_PIECE ? (SizeT)rest : MAX_PIECE);
   if (n == 0)
      return False;
   take(piece, n, file->offset == 0);
   file->offset += n;
   return True;
}

void tail_reader_read(TailReader* file, TailReaderTake* take)
{
   struct vg_stat status;
   if (file->path == NULL || system_filter_is_on() ||
       sr_isError(VG_(stat)(file->path, &status)) || (ULong)status.size == file->offset)
      return;
   ULong size;
   Int fd = open_file(file->path, &size);
   if (fd < 0)
      return;
   if (size < file->offset)
      file->offset = 0;
   pass_over_stale(file, fd, size);
   while (file->offset < size && take_piece(file, fd, size, take))
      continue;
   VG_(close)(fd);
}
