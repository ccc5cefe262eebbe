/* SPDX-License-Identifier: GPL-2.0-or-later

   See file_calls.h.  All go through the core's system call gate.  */

#include "write/file_calls.h"

#include "base/system_filter.h"
#include "core/open_files.h"
#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

/* Linux's numbers, of which the core's headers have only some.  */
#include <asm/errno.h>
#include <asm/fcntl.h>
#include <asm/poll.h>

#ifndef O_PATH
#define O_PATH 010000000
#endif

/* A system call since 5.6, with this number everywhere.  Paths, also those of links,
   begin at the folder that it is given.  */
#define OPENAT2 437
#define IN_ROOT 0x10

#define DUPLICATE_CLOSED_ON_EXEC 1030 /* F_DUPFD_CLOEXEC */

/* A signal that comes again and again must not keep us for ever.  */
#define MAX_INTERRUPTIONS 1000

/* How long to wait for the reader of a full pipe, between looks at signals.  */
#define WAIT_MILLISECONDS 100

static SysRes call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4)
{
   SysRes result;
   UInt n_tries = 0;
   do
      result = VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
   while (sr_isError(result) && sr_Err(result) == EINTR && ++n_tries < MAX_INTERRUPTIONS);
   return result;
}

static UInt error_of(SysRes result)
{
   return sr_isError(result) ? (UInt)sr_Err(result) : 0;
}

/*--------------------------------------------------------------------*/
/* Opening and closing                                                 */

static UInt open_at(Int folder, const HChar* name, Int flags, Int mode, Int* fd)
{
   SysRes result = call(__NR_openat, (UWord)folder, (UWord)name,
                        (UWord)(flags | O_CLOEXEC | O_NOCTTY), (UWord)mode);
   *fd = sr_isError(result) ? -1 : (Int)sr_Res(result);
   return error_of(result);
}

UInt file_open_folder(Int from, const HChar* path, Int* folder)
{
   return open_at(from, path, O_PATH | O_DIRECTORY, 0, folder);
}

UInt file_open_folder_below(Int root, const HChar* path, Int* folder)
{
   /* As the kernel has it; for the core's headers it is too new.  */
   const struct {
      ULong flags, mode, resolve;
   } how = {O_PATH | O_DIRECTORY | O_CLOEXEC, 0, IN_ROOT};
   SysRes result = call(OPENAT2, (UWord)root, (UWord)path, (UWord)&how, sizeof how);
   *folder = sr_isError(result) ? -1 : (Int)sr_Res(result);
   if (error_of(result) != ENOSYS)
      return error_of(result);
   while (*path == '/')
      path++;
   return file_open_folder(root, *path != '\0' ? path : ".", folder);
}

static UInt duplicate(Int fd, Int lowest, Int* copy)
{
   SysRes result =
      call(__NR_fcntl, (UWord)fd, DUPLICATE_CLOSED_ON_EXEC, (UWord)(Word)lowest, 0);
   *copy = sr_isError(result) ? -1 : (Int)sr_Res(result);
   return error_of(result);
}

Int file_move_up(Int fd)
{
   Int moved;
   duplicate(fd, core_first_own_file(), &moved);
   file_close(fd);
   return moved;
}

UInt file_duplicate(Int fd, Int* copy) { return duplicate(fd, 0, copy); }

UInt file_look_at(Int folder, const HChar* name, struct vg_stat* status, HChar* target)
{
   Int fd;
   UInt error = open_at(folder, name, O_PATH | O_NOFOLLOW, 0, &fd);
   if (error != 0)
      return error;
   if (VG_(fstat)(fd, status) != 0)
      error = FILE_ERROR_UNKNOWN;
   else if (VKI_S_ISLNK(status->mode)) {
      SysRes result =
         call(__NR_readlinkat, (UWord)fd, (UWord) "", (UWord)target, VKI_PATH_MAX);
      error = error_of(result);
      if (error == 0 && sr_Res(result) >= VKI_PATH_MAX)
         error = ENAMETOOLONG;
      if (error == 0)
         target[sr_Res(result)] = '\0';
   }
   file_close(fd);
   return error;
}

/* The kernel says of a link, too, that it is no folder.  */
UInt file_open_real_folder(const HChar* path, Int* folder)
{
   static HChar target[VKI_PATH_MAX];
   struct vg_stat status;
   UInt error = open_at(VKI_AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, folder);
   return error == ENOTDIR && file_look_at(VKI_AT_FDCWD, path, &status, target) == 0 &&
                VKI_S_ISLNK(status.mode)
             ? ELOOP
             : error;
}

UInt file_create(Int folder, const HChar* name, Int* fd)
{
   return open_at(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                  VKI_S_IRUSR | VKI_S_IWUSR, fd);
}

UInt file_open(Int folder, const HChar* name, Bool writes, Int* fd)
{
   return open_at(folder, name, (writes ? O_WRONLY : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK,
                  0, fd);
}

UInt file_open_again(const HChar* path, Int* fd)
{
   return open_at(VKI_AT_FDCWD, path, O_WRONLY | O_APPEND | O_NONBLOCK, 0, fd);
}

UInt file_close(Int fd)
{
   /* Once: the number is free whatever the answer, and may be another file's by now.  */
   UInt error = error_of(VG_(do_syscall)(__NR_close, (UWord)fd, 0, 0, 0, 0, 0, 0, 0));
   return error == EINTR ? 0 : error;
}

/* As the core opens a file to write it, with the call that it uses.  */
static UInt open_plainly(Int folder, const HChar* name, Int flags, Int* fd)
{
   const UWord mode = VKI_S_IRUSR | VKI_S_IWUSR;
   SysRes result;
#ifdef __NR_open
   if (folder < 0 && system_filter_opening() == OpenAsEver)
      result = call(__NR_open, (UWord)name, (UWord)flags, mode, 0);
   else
#endif
      result = call(__NR_openat, (UWord)(folder < 0 ? VKI_AT_FDCWD : folder), (UWord)name,
                    (UWord)flags, mode);
   *fd = sr_isError(result) ? -1 : (Int)sr_Res(result);
   return error_of(result);
}

UInt file_open_plainly(Int folder, const HChar* name, Bool append, Bool follows, Int* fd)
{
   Int flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | (append ? O_APPEND : O_TRUNC) |
               (follows ? 0 : O_NOFOLLOW);
   UInt error = open_plainly(folder, name, flags, fd);
   return error == ENOENT ? open_plainly(folder, name, flags | O_CREAT, fd) : error;
}

/*--------------------------------------------------------------------*/
/* Reading and writing                                                 */

UInt file_read(Int fd, void* bytes, UInt size, UInt* n_read)
{
   SysRes result = call(__NR_read, (UWord)fd, (UWord)bytes, size, 0);
   *n_read = sr_isError(result) ? 0 : (UInt)sr_Res(result);
   return error_of(result);
}

/* Of a signal up to 31, in the first word of a set.  */
static UWord bit_of(Int signal) { return (UWord)1 << (signal - 1); }

/* True if a signal waits that ends processes.  The core blocks signals while a tool
   works.  */
static Bool is_end_asked(void)
{
   const UWord ending =
      bit_of(VKI_SIGHUP) | bit_of(VKI_SIGINT) | bit_of(VKI_SIGQUIT) | bit_of(VKI_SIGTERM);
   vki_sigset_t waiting = {{0}};
   call(__NR_rt_sigpending, (UWord)&waiting, sizeof waiting, 0, 0);
   return (waiting.sig[0] & ending) != 0;
}

/* Takes back the signal of a write to a pipe that nobody reads any more, or of one beyond
   the largest size that the program allows itself: it must not reach the program.  */
static void drop_signal(Int signal)
{
   vki_sigset_t set = {{bit_of(signal)}};
   struct vki_timespec none = {0, 0};
   call(__NR_rt_sigtimedwait, (UWord)&set, 0, (UWord)&none, sizeof set);
}

/* Waits until a pipe that was full may have room.  */
static UInt wait_for_reader(Int fd)
{
   struct vki_pollfd watched = {fd, POLLOUT, 0};
   if (is_end_asked())
      return FILE_ERROR_END_ASKED;
   VG_(poll)(&watched, 1, WAIT_MILLISECONDS);
   return 0;
}

UInt file_write(Int fd, const HChar* bytes, UInt size)
{
   UInt error = 0;
   while (size > 0 && error == 0) {
      SysRes result = call(__NR_write, (UWord)fd, (UWord)bytes, size, 0);
      error = error_of(result);
      if (error == EAGAIN)
         error = wait_for_reader(fd);
      else if (error == EPIPE)
         drop_signal(VKI_SIGPIPE);
      else if (error == EFBIG)
         drop_signal(VKI_SIGXFSZ);
      else if (error == 0 && sr_Res(result) == 0)
         error = ENOSPC;
      else if (error == 0) {
         bytes += sr_Res(result);
         size -= (UInt)sr_Res(result);
      }
   }
   return error;
}

UInt file_set_access(Int fd, Int as)
{
   struct vg_stat status;
   if (VG_(fstat)(as, &status) != 0)
      return FILE_ERROR_UNKNOWN;
   call(__NR_fchown, (UWord)fd, status.uid, status.gid, 0);
   return error_of(call(__NR_fchmod, (UWord)fd, status.mode & 0777, 0, 0));
}

UInt file_truncate(Int fd, Off64T length)
{
   return error_of(call(__NR_ftruncate, (UWord)fd, (UWord)length, 0, 0));
}

/*--------------------------------------------------------------------*/
/* Names                                                               */

UInt file_rename(Int folder, const HChar* from, const HChar* to)
{
#ifdef __NR_renameat
   return error_of(
      call(__NR_renameat, (UWord)folder, (UWord)from, (UWord)folder, (UWord)to));
#else
   return error_of(VG_(do_syscall)(__NR_renameat2, (UWord)folder, (UWord)from,
                                   (UWord)folder, (UWord)to, 0, 0, 0, 0));
#endif
}

UInt file_unlink(Int folder, const HChar* name)
{
   return error_of(call(__NR_unlinkat, (UWord)folder, (UWord)name, 0, 0));
}

ULong file_random(void)
{
   ULong number = 0;
#ifdef __NR_getrandom
   SysRes result = call(__NR_getrandom, (UWord)&number, sizeof number, 0, 0);
   if (!sr_isError(result) && sr_Res(result) == sizeof number)
      return number;
#endif
   /* Another number each time will do: a file is only made under a name that is free.  */
   static UInt seed;
   seed += VG_(read_millisecond_timer)() + (UInt)VG_(getpid)() * 65536;
   number = (ULong)VG_(random)(&seed) << 32;
   return number | VG_(random)(&seed);
}

/*--------------------------------------------------------------------*/
/* Messages                                                            */

const HChar* file_error_text(UInt error)
{
   static HChar text[40];
   switch (error) {
   case ENOENT: return "no such folder";
   case EACCES: return "permission denied";
   case EPERM: return "operation not permitted";
   case EISDIR: return "it is a folder";
   case ENOTDIR: return "a part of its path is not a folder";
   case ENOSPC: return "no space left on the device";
   case EROFS: return "the file system is read-only";
   case EMFILE: return "too many open files";
   case ENFILE: return "too many open files in the system";
   case EFBIG: return "the file is too large";
   case EIO: return "input/output error";
   case EINTR: return "interrupted by signals";
   case ELOOP: return "too many symbolic links";
   case EDQUOT: return "the disk quota is used up";
   case ENAMETOOLONG: return "the name is too long";
   case ENXIO:
   case EPIPE: return "nobody reads it";
   case FILE_ERROR_UNKNOWN: return "unknown error";
   case FILE_ERROR_NO_START_FOLDER: return "the folder of the start is gone";
   case FILE_ERROR_FOREIGN_LINK: return "it is another user's symbolic link";
   case FILE_ERROR_FOREIGN_FILE: return "it is another user's";
   case FILE_ERROR_REPLACED: return "it was replaced meanwhile";
   case FILE_ERROR_TORN: return "an error, and its incomplete end cannot be removed";
   case FILE_ERROR_END_ASKED: return "nobody reads it, and the program is to end";
   default: VG_(snprintf)(text, sizeof text, "error %u", error); return text;
   }
}
