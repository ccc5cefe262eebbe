/* SPDX-License-Identifier: GPL-2.0-or-later

   See file_calls.h.  Where the core's system call gate cannot be linked with, the core's
   own functions have to do.  */

#include "write/file_calls.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"

/* Linux's, which the core's headers do not have.  */
#if defined(VGO_linux) && !defined(VKI_EDQUOT)
#if defined(VGA_mips32) || defined(VGA_mips64) || defined(VGA_nanomips)
#define VKI_EDQUOT 1133
#else
#define VKI_EDQUOT 122
#endif
#endif

#ifdef HAVE_VG_DO_SYSCALL

static UInt error_of_call(UWord number, UWord a1, UWord a2, UWord a3, UWord a4)
{
   SysRes result = VG_(do_syscall)(number, a1, a2, a3, a4, 0, 0, 0, 0);
   return sr_isError(result) ? (UInt)sr_Err(result) : 0;
}

UInt file_close(Int fd)
{
   UInt error = error_of_call(__NR_close, (UWord)fd, 0, 0, 0);
   return error == VKI_EINTR ? 0 : error; /* it is closed all the same */
}

UInt file_rename(const HChar* from, const HChar* to)
{
#ifdef __NR_renameat
   return error_of_call(__NR_renameat, (UWord)VKI_AT_FDCWD, (UWord)from,
                        (UWord)VKI_AT_FDCWD, (UWord)to);
#else
   return error_of_call(__NR_rename, (UWord)from, (UWord)to, 0, 0);
#endif
}

UInt file_truncate(Int fd, Off64T length)
{
   return error_of_call(__NR_ftruncate, (UWord)fd, (UWord)length, 0, 0);
}

#else

UInt file_close(Int fd)
{
   VG_(close)(fd);
   return 0;
}

UInt file_rename(const HChar* from, const HChar* to)
{
   return VG_(rename)(from, to) == 0 ? 0 : FILE_ERROR_UNKNOWN;
}

UInt file_truncate(Int fd, Off64T length)
{
   (void)fd, (void)length;
   return FILE_ERROR_UNKNOWN;
}

#endif

const HChar* file_error_text(UInt error)
{
   static HChar text[40];
   switch (error) {
   case VKI_ENOENT: return "no such folder";
   case VKI_EACCES: return "permission denied";
   case VKI_EPERM: return "operation not permitted";
   case VKI_EISDIR: return "it is a folder";
   case VKI_ENOTDIR: return "a part of its path is not a folder";
   case VKI_ENOSPC: return "no space left on the device";
   case VKI_EROFS: return "the file system is read-only";
   case VKI_EMFILE: return "too many open files";
   case VKI_ENFILE: return "too many open files in the system";
   case VKI_EFBIG: return "the file is too large";
   case VKI_EIO: return "input/output error";
#ifdef VKI_ELOOP
   case VKI_ELOOP: return "too many symbolic links";
#endif
#ifdef VKI_EDQUOT
   case VKI_EDQUOT: return "the disk quota is used up";
#endif
   case FILE_ERROR_UNKNOWN: return "unknown error";
   default: VG_(snprintf)(text, sizeof text, "error %u", error); return text;
   }
}
