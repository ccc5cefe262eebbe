/* SPDX-License-Identifier: GPL-2.0-or-later

   See output.h.

   To append by a rename, all that was written before would have to be copied.  So the new
   part is written to a temporary file first, which shows that the disk has room for it,
   and then copied to the end of the file.  If that fails, the file is cut back to the
   length that it had.  */

#include "write/output.h"

#include "base/path.h"
#include "write/file_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#define BUFFER_SIZE 65536

struct Output {
   Int fd;                /* what is written to */
   Bool append;           /* to the file that `path` is */
   Bool direct;           /* `path` is a device or a pipe: there is no temporary file */
   UInt error;            /* the first error (file_calls.h); 0 if none */
   HChar* path;           /* of the file; links are followed */
   HChar* temporary_path; /* what `fd` is of; the path as it was given if `direct` */
   UInt used;             /* bytes in `buffer` that are not yet written */
   HChar buffer[BUFFER_SIZE];
};

/* Keeps the first error only.  */
static void note_error(Output* output, UInt error)
{
   if (output->error == 0)
      output->error = error;
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

/* The file that `path` leads to, so that a symbolic link stays one.  If that cannot be
   told, a copy of `path`.  The caller frees it.  */
static HChar* follow_links(const HChar* path)
{
   HChar* resolved = path_resolve(path);
   return resolved != NULL ? resolved : VG_(strdup)("output.path", path);
}

/* The name of the file until it is complete.  The caller frees it.  */
static HChar* temporary_for(const HChar* path)
{
   SizeT size = VG_(strlen)(path) + 32;
   HChar* temporary_path = VG_(malloc)("output.path", size);
   VG_(snprintf)(temporary_path, (Int)size, "%s.tmp%d", path, VG_(getpid)());
   return temporary_path;
}

/* True if `path` leads to a file that some process has open, as /dev/stdout does.  Such a
   file must not be replaced.  */
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
      *reason = file_error_text(VKI_EISDIR);
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
      *reason = file_error_text((UInt)sr_Err(opened));
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

/* Cuts the file back to `length` bytes, as far as that is possible.  */
static void cut_back(const HChar* path, Off64T length)
{
   SysRes opened = VG_(open)(path, VKI_O_WRONLY, 0);
   if (!sr_isError(opened)) {
      file_truncate((Int)sr_Res(opened), length);
      VG_(close)((Int)sr_Res(opened));
   }
}

void output_rollback(const HChar* path, Long length)
{
   HChar* final_path = follow_links(path);
   if (length == 0)
      VG_(unlink)(final_path);
   else
      cut_back(final_path, length);
   VG_(free)(final_path);
}

static void copy(Output* output, Int from, Int to)
{
   Int got;
   do {
      got = VG_(read)(from, output->buffer, BUFFER_SIZE);
      if (got < 0)
         note_error(output, (UInt)-got);
      else
         write_all(output, to, output->buffer, (UInt)got);
   } while (got > 0 && output->error == 0);
}

/* Copies the temporary file to the end of the final one.  If that fails, the final file
   is as before.  */
static void append_to_final(Output* output)
{
   SysRes from = VG_(open)(output->temporary_path, VKI_O_RDONLY, 0);
   SysRes to = VG_(open)(output->path, VKI_O_WRONLY, 0);
   if (sr_isError(from) || sr_isError(to)) {
      note_error(output, (UInt)sr_Err(sr_isError(from) ? from : to));
      if (!sr_isError(to))
         VG_(close)((Int)sr_Res(to));
   } else {
      Off64T length = VG_(lseek)((Int)sr_Res(to), 0, VKI_SEEK_END);
      copy(output, (Int)sr_Res(from), (Int)sr_Res(to));
      note_error(output, file_close((Int)sr_Res(to)));
      if (output->error != 0)
         cut_back(output->path, length);
   }
   if (!sr_isError(from))
      VG_(close)((Int)sr_Res(from));
}

Bool output_close(Output* output, const HChar** reason)
{
   flush(output);
   note_error(output, file_close(output->fd));
   Bool is_renamed = False;
   if (output->error == 0 && output->append)
      append_to_final(output);
   else if (output->error == 0 && !output->direct) {
      output->error = file_rename(output->temporary_path, output->path);
      is_renamed = output->error == 0;
   }
   if (!is_renamed && !output->direct)
      VG_(unlink)(output->temporary_path);
   Bool is_written = output->error == 0;
   if (!is_written)
      *reason = file_error_text(output->error);
   VG_(free)(output->path);
   VG_(free)(output->temporary_path);
   VG_(free)(output);
   return is_written;
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

void output_line_text(Output* output, const HChar* text)
{
   for (; *text != '\0'; text++)
      output_char(output, *text == '\n' || *text == '\r' ? ' ' : *text);
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
