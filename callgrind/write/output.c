/* SPDX-License-Identifier: GPL-2.0-or-later

   Buffered output to a temporary file; see output.h.

   Appending: a rename would cost a copy of all that was written before, so the
   new part goes to a temporary file first (which shows that the disk has room
   for it) and is then copied behind the old ones; should that fail, the file is
   cut back to the length it had.  */

#include "write/output.h"

#include "base/text.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#define BUFFER_SIZE 65536

struct Output {
   Int fd;
   Bool append; /* to what stands at `path` */
   Bool direct; /* `path` is a device or a pipe: nothing to rename */
   UInt error;  /* the first errno met; 0 if none */
   HChar* path;
   HChar* temporary_path;
   UInt used;
   HChar buffer[BUFFER_SIZE];
};

/* The errors a user may meet, in words.  */
static const HChar* error_text(UInt error)
{
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
   default: {
      static HChar text[40];
      VG_(snprintf)(text, sizeof text, "error %u", error);
      return text;
   }
   }
}

static void write_all(Output* output, Int fd, const HChar* bytes, UInt size)
{
   while (size > 0 && output->error == 0) {
      Int written = VG_(write)(fd, bytes, (Int)size);
      if (written < 0)
         output->error = (UInt)-written;
      else if (written == 0)
         output->error = VKI_ENOSPC;
      else {
         bytes += written;
         size -= (UInt)written;
      }
   }
}

static void flush(Output* output)
{
   write_all(output, output->fd, output->buffer, output->used);
   output->used = 0;
}

/* The file that `path` leads to if it is a symbolic link, so that the link
   stays; otherwise a copy of `path`.  The caller frees it.  */
static HChar* follow_links(const HChar* path)
{
   HChar* resolved = VG_(strdup)("output.path", path);
   HChar target[VKI_PATH_MAX];
   for (UInt depth = 0; depth < 16; depth++) {
      SSizeT length = VG_(readlink)(resolved, target, sizeof target - 1);
      if (length <= 0 || length >= (SSizeT)sizeof target - 1)
         break;
      target[length] = '\0';
      const HChar* directory = VG_(dirname)(resolved);
      HChar* next = target[0] == '/' ? VG_(strdup)("output.path", target)
                                     : text_join("output.path", directory, "/", target);
      VG_(free)(resolved);
      resolved = next;
   }
   return resolved;
}

/* The name that the file is written under until it is whole.  The caller frees
   it.  */
static HChar* temporary_for(const HChar* path)
{
   SizeT size = VG_(strlen)(path) + 32;
   HChar* temporary_path = VG_(malloc)("output.path", size);
   VG_(snprintf)(temporary_path, (Int)size, "%s.tmp%d", path, VG_(getpid)());
   return temporary_path;
}

/* Does `path` lead to a file that some process has open already, as /dev/stdout
   does?  It is not ours to replace.  */
static Bool is_open_file(const HChar* path, const HChar* final_path)
{
   return VG_(strncmp)(final_path, "/proc/", 6) == 0 ||
          VG_(strncmp)(path, "/proc/", 6) == 0 ||
          VG_(strncmp)(path, "/dev/fd/", 8) == 0 ||
          VG_(strcmp)(path, "/dev/stdout") == 0 || VG_(strcmp)(path, "/dev/stderr") == 0;
}

Bool output_is_stream(const HChar* path, Bool* is_pipe)
{
   struct vg_stat status;
   HChar* final_path = follow_links(path);
   Bool is_open = is_open_file(path, final_path);
   VG_(free)(final_path);
   Bool exists = !sr_isError(VG_(stat)(path, &status));
   *is_pipe = exists && !is_open && VKI_S_ISFIFO(status.mode);
   return is_open || (exists && !VKI_S_ISREG(status.mode));
}

Output* output_open(const HChar* path, Bool append, const HChar** reason)
{
   struct vg_stat status;
   SysRes exists = VG_(stat)(path, &status);
   if (!sr_isError(exists) && VKI_S_ISDIR(status.mode)) {
      *reason = error_text(VKI_EISDIR);
      return NULL;
   }
   HChar* final_path = follow_links(path);
   Bool is_open = is_open_file(path, final_path);
   Bool direct = is_open || (!sr_isError(exists) && !VKI_S_ISREG(status.mode));
   HChar* written_path =
      direct ? VG_(strdup)("output.path", path) : temporary_for(final_path);
   Int mode = is_open ? VKI_O_APPEND : VKI_O_TRUNC;
   SysRes opened = VG_(open)(written_path, VKI_O_CREAT | VKI_O_WRONLY | mode,
                             VKI_S_IRUSR | VKI_S_IWUSR);
   if (sr_isError(opened)) {
      *reason = error_text((UInt)sr_Err(opened));
      VG_(free)(written_path);
      VG_(free)(final_path);
      return NULL;
   }
   Output* output = VG_(malloc)("output.file", sizeof *output);
   output->fd = (Int)sr_Res(opened);
   output->append = append && !direct && !sr_isError(exists);
   output->direct = direct;
   output->error = 0;
   output->path = final_path;
   output->temporary_path = written_path;
   output->used = 0;
   return output;
}

/* Cuts the file back to `length` bytes, as far as the core lets us.  */
static void cut_back(Int fd, Off64T length)
{
#ifdef HAVE_VG_DO_SYSCALL
   (void)VG_(do_syscall)(__NR_ftruncate, (UWord)fd, (UWord)length, 0, 0, 0, 0, 0, 0);
#else
   (void)fd;
   (void)length;
#endif
}

void output_rollback(const HChar* path, Long length)
{
   HChar* final_path = follow_links(path);
   if (length == 0)
      VG_(unlink)(final_path);
   else {
      SysRes opened = VG_(open)(final_path, VKI_O_WRONLY, 0);
      if (!sr_isError(opened)) {
         cut_back((Int)sr_Res(opened), length);
         VG_(close)((Int)sr_Res(opened));
      }
   }
   VG_(free)(final_path);
}

/* Copies the temporary file behind the final one.  */
static void append_to_final(Output* output)
{
   SysRes from = VG_(open)(output->temporary_path, VKI_O_RDONLY, 0);
   SysRes to = VG_(open)(output->path, VKI_O_WRONLY, 0);
   if (sr_isError(from) || sr_isError(to))
      output->error = (UInt)sr_Err(sr_isError(from) ? from : to);
   else {
      Int from_fd = (Int)sr_Res(from), to_fd = (Int)sr_Res(to);
      Off64T length = VG_(lseek)(to_fd, 0, VKI_SEEK_END);
      Int got;
      while (output->error == 0 &&
             (got = VG_(read)(from_fd, output->buffer, BUFFER_SIZE)) > 0)
         write_all(output, to_fd, output->buffer, (UInt)got);
      if (output->error != 0)
         cut_back(to_fd, length);
   }
   if (!sr_isError(from))
      VG_(close)((Int)sr_Res(from));
   if (!sr_isError(to))
      VG_(close)((Int)sr_Res(to));
}

Bool output_close(Output* output, const HChar** reason)
{
   flush(output);
   VG_(close)(output->fd);
   Bool remains = output->direct;
   if (output->error == 0 && output->append)
      append_to_final(output);
   else if (output->error == 0 && !output->direct) {
      remains = VG_(rename)(output->temporary_path, output->path) == 0;
      if (!remains)
         output->error = VKI_EACCES; /* the core does not tell which error it was */
   }
   if (!remains)
      VG_(unlink)(output->temporary_path);
   Bool written = output->error == 0;
   if (!written)
      *reason = error_text(output->error);
   VG_(free)(output->path);
   VG_(free)(output->temporary_path);
   VG_(free)(output);
   return written;
}

void output_char(Output* output, HChar c)
{
   if (output->used == BUFFER_SIZE)
      flush(output);
   output->buffer[output->used++] = c;
}

void output_text(Output* output, const HChar* text)
{
   while (*text != '\0')
      output_char(output, *text++);
}

static void output_number(Output* output, ULong number, UInt base)
{
   HChar digits[24];
   UInt n = 0;
   do {
      digits[n++] = "0123456789abcdef"[number % base];
      number /= base;
   } while (number != 0);
   while (n > 0)
      output_char(output, digits[--n]);
}

void output_decimal(Output* output, ULong number) { output_number(output, number, 10); }

void output_hex(Output* output, ULong number)
{
   output_text(output, "0x");
   output_number(output, number, 16);
}
