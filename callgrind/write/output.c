/* SPDX-License-Identifier: GPL-2.0-or-later

   See output.h.

   To append by a rename, all that was written before would have to be copied.  So the new
   part is written to a temporary file first, which shows that the disk has room for it,
   and then copied to the end of the file.  If that fails, the file is cut back to the
   length that it had.  */

#include "write/output.h"

#include "base/system_filter.h"
#include "write/file_calls.h"
#include "write/outside.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#include <asm/errno.h>

#ifndef BUFFER_SIZE /* a test has a smaller one */
#define BUFFER_SIZE 65536
#endif

/* How often to try again where a random name is taken, or a name cannot be removed.  */
#define MAX_TRIES 10

struct Output {
   Int fd;              /* what is written to */
   Bool append;         /* to the file that is there */
   Bool has_temporary;  /* `fd` is of a temporary file that has a name */
   Bool is_kept;        /* `fd` stays open */
   Bool is_in_place;    /* `fd` is of the final file */
   UInt error;          /* the first error (file_calls.h); 0 if none */
   Target target;       /* where the file is to be */
   HChar temporary[40]; /* its name until it is complete, in the same folder */
   OutputBefore before; /* as far as it is known */
   UInt used;           /* bytes in `buffer` that are not yet written */
   HChar buffer[BUFFER_SIZE];
};

static void flush(Output* output)
{
   if (output->error == 0)
      output->error = file_write(output->fd, output->buffer, output->used);
   output->used = 0;
}

/*--------------------------------------------------------------------*/
/* Opening                                                             */

static void remove_temporary(Output* output)
{
   UInt error = EIO;
   for (UInt n_tries = 0; output->has_temporary && error != 0 && n_tries < MAX_TRIES;
        n_tries++)
      error = file_unlink(output->target.folder, output->temporary);
   output->has_temporary = False;
}

/* Makes the temporary file.  Its name does not depend on that of the final one, which may
   be as long as names can be.  */
static UInt create_temporary(Output* output)
{
   UInt error = EEXIST;
   for (UInt n_tries = 0; error == EEXIST && n_tries < MAX_TRIES; n_tries++) {
      VG_(snprintf)(output->temporary, sizeof output->temporary, ".callgrind.%016llx.tmp",
                    file_random());
      error = file_create(output->target.folder, output->temporary, &output->fd);
   }
   output->has_temporary = error == 0;
   return error;
}

/* Opens what is written to in place of a temporary file.  */
static UInt open_stream(Output* output)
{
   const Target* target = &output->target;
   return target->kind == TargetOpenFile
             ? outside_open_again(target->name, &output->fd)
             : file_open(target->folder, target->name, True, &output->fd);
}

/* True if the final file may be written all the same: a filter of system calls or a file
   system knows no renaming, the file is one on which another is mounted, or the folder
   takes no new one.  */
static Bool is_refused(UInt error)
{
   return error == EPERM || error == EACCES || error == ENOSYS || error == EINVAL ||
          error == EOPNOTSUPP || error == EBUSY || error == EXDEV;
}

/* Opens the final file, which is there, to write it: nothing else may be made in its
   folder, because of `refusal`.  If that fails later it is cut back.  */
static UInt open_in_place(Output* output, UInt refusal)
{
   struct vg_stat status;
   if (file_open(output->target.folder, output->target.name, True, &output->fd) != 0)
      return refusal;
   Bool is_ours = VG_(fstat)(output->fd, &status) == 0 && VKI_S_ISREG(status.mode) &&
                  status.nlink == 1 && status.uid == (UInt)VG_(geteuid)();
   output->before.length = output->append ? VG_(lseek)(output->fd, 0, VKI_SEEK_END) : 0;
   if (is_ours && output->before.length >= 0 &&
       file_truncate(output->fd, output->before.length) == 0) {
      output->is_in_place = True;
      output->append = False;
      return 0;
   }
   file_close(output->fd);
   return refusal;
}

/* Opens what is written to.  A part that is appended needs no name before.  */
static UInt open_target(Output* output, TargetPath path, Bool append)
{
   UInt error = target_open(&output->target, path);
   if (error != 0)
      return error;
   if (output->target.kind != TargetFile)
      return open_stream(output);
   output->append = append && output->target.exists;
   error = create_temporary(output);
   if (error == 0 && output->append)
      remove_temporary(output);
   return is_refused(error) && output->target.exists ? open_in_place(output, error)
                                                     : error;
}

Output* output_open(TargetPath path, Bool append, const HChar** reason)
{
   Output* output = VG_(malloc)("output.file", sizeof *output);
   output->fd = -1;
   output->append = output->has_temporary = output->is_kept = False;
   output->is_in_place = False;
   output->target.folder = -1;
   output->error = 0;
   output->before.length = 0;
   output->before.replaced = -1;
   output->used = 0;
   UInt error = system_filter_is_on()
                   ? target_open_plainly(path, append, &output->fd, &output->is_kept)
                   : open_target(output, path, append);
   if (error == 0)
      return output;
   target_close(&output->target);
   *reason = file_error_text(error);
   VG_(free)(output);
   return NULL;
}

/*--------------------------------------------------------------------*/
/* What is there                                                       */

/* By its text: it must not be looked at.  */
static Bool path_is_device(TargetPath path)
{
   return path.is_named && VG_(strncmp)(path.path, "/dev/", 5) == 0;
}

Bool output_is_stream(TargetPath path, Bool* is_pipe)
{
   Target target;
   *is_pipe = False;
   if (system_filter_is_on())
      return target_is_open_file(path) || path_is_device(path) ||
             outside_open_file(path.path) >= 0;
   if (target_open(&target, path) != 0)
      return False;
   *is_pipe = target.kind == TargetPipe;
   target_close(&target);
   return target.kind != TargetFile;
}

/* Cuts the file back to `length` bytes.  */
static UInt cut_back(const Target* target, Off64T length)
{
   Int fd;
   UInt error = file_open(target->folder, target->name, True, &fd);
   if (error == 0) {
      error = file_truncate(fd, length);
      file_close(fd);
   }
   return error;
}

/*--------------------------------------------------------------------*/
/* Closing                                                             */

/* Copies the file `from` from its start, by way of the buffer.  */
static UInt copy(Output* output, Int from, Int to)
{
   UInt size, error = 0;
   if (VG_(lseek)(from, 0, VKI_SEEK_SET) != 0)
      return FILE_ERROR_UNKNOWN;
   do {
      error = file_read(from, output->buffer, BUFFER_SIZE, &size);
      if (error == 0)
         error = file_write(to, output->buffer, size);
   } while (size > 0 && error == 0);
   return error;
}

/* An error if `fd` is not of a plain file with one name and our owner, as the one that we
   have written before, which `own` is.  */
static UInt check_ours(Int own, Int fd)
{
   struct vg_stat final, temporary;
   if (VG_(fstat)(fd, &final) != 0 || VG_(fstat)(own, &temporary) != 0)
      return FILE_ERROR_UNKNOWN;
   return VKI_S_ISREG(final.mode) && final.nlink == 1 && final.uid == temporary.uid
             ? 0
             : FILE_ERROR_REPLACED;
}

/* Copies the temporary file to the end of `fd`, the final one, and closes that.  If it
   fails, the final file is as before.  */
static UInt append_at_end(Output* output, Int fd)
{
   UInt error = copy(output, output->fd, fd);
   UInt close_error = file_close(fd);
   if (error == 0)
      error = close_error;
   if (error != 0 && cut_back(&output->target, output->before.length) != 0)
      error = FILE_ERROR_TORN;
   return error;
}

/* Copies the temporary file to the end of the final one.  */
static UInt append_to_final(Output* output)
{
   Int fd;
   UInt error = file_open(output->target.folder, output->target.name, True, &fd);
   if (error != 0)
      return error;
   error = check_ours(output->fd, fd);
   if (error == 0) {
      output->before.length = VG_(lseek)(fd, 0, VKI_SEEK_END);
      if (output->before.length >= 0)
         return append_at_end(output, fd);
      error = FILE_ERROR_UNKNOWN;
   }
   file_close(fd);
   return error;
}

/* Opens the file that is to be replaced: it can be read as long as it is open.  */
static void keep_replaced(Output* output)
{
   const Target* target = &output->target;
   struct vg_stat status;
   Int fd;
   if (!target->exists || file_open(target->folder, target->name, False, &fd) != 0)
      return;
   if (VG_(fstat)(fd, &status) == 0 && VKI_S_ISREG(status.mode))
      output->before.replaced = fd;
   else
      file_close(fd);
}

/* Opens the final file, which is ours or is made; `own` is the temporary one.  */
static UInt open_final(const Target* target, Int own, Int* fd)
{
   if (!target->exists)
      return file_create(target->folder, target->name, fd);
   UInt error = file_open(target->folder, target->name, True, fd);
   if (error != 0)
      return error;
   error = check_ours(own, *fd);
   if (error == 0)
      error = file_truncate(*fd, 0);
   if (error != 0)
      file_close(*fd);
   return error;
}

/* Copies the complete temporary file to its final name: it cannot be renamed, because of
   `refusal`.  What was there before is lost then, and cannot be put back.  */
static UInt write_in_place(Output* output, UInt refusal)
{
   Int final, temporary;
   const Target* target = &output->target;
   if (file_open(target->folder, output->temporary, False, &temporary) != 0)
      return refusal;
   UInt error = refusal;
   if (open_final(target, temporary, &final) == 0) {
      output_settle(&output->before);
      error = copy(output, temporary, final);
      UInt close_error = file_close(final);
      error = error != 0 ? error : close_error;
      if (error != 0 && file_unlink(target->folder, target->name) != 0)
         error = FILE_ERROR_TORN;
   }
   file_close(temporary);
   return error;
}

/* Gives the complete temporary file its name.  */
static UInt rename_temporary(Output* output, Bool keeps)
{
   const Target* target = &output->target;
   if (keeps)
      keep_replaced(output);
   UInt error = file_rename(target->folder, output->temporary, target->name);
   if (error == 0)
      output->has_temporary = False;
   else if (is_refused(error))
      error = write_in_place(output, error);
   if (error != 0)
      output_settle(&output->before);
   return error;
}

Bool output_close(Output* output, Bool keeps, OutputBefore* before, const HChar** reason)
{
   flush(output);
   if (output->error == 0 && output->append)
      output->error = append_to_final(output);
   if (output->is_in_place && output->error != 0 &&
       file_truncate(output->fd, output->before.length) != 0)
      output->error = FILE_ERROR_TORN;
   UInt close_error = output->is_kept ? 0 : file_close(output->fd);
   if (output->error == 0 && !output->append)
      output->error = close_error;
   if (output->error == 0 && output->has_temporary)
      output->error = rename_temporary(output, keeps);
   remove_temporary(output);
   Bool is_written = output->error == 0;
   if (is_written)
      *before = output->before;
   else
      *reason = file_error_text(output->error);
   target_close(&output->target);
   VG_(free)(output);
   return is_written;
}

/*--------------------------------------------------------------------*/
/* Rolling back                                                        */

void output_settle(OutputBefore* before)
{
   if (before->replaced >= 0)
      file_close(before->replaced);
   before->replaced = -1;
}

/* Writes the file that was replaced anew, as any other.  */
static Bool put_back(TargetPath path, Int replaced)
{
   const HChar* reason;
   OutputBefore before;
   Output* output = output_open(path, False, &reason);
   if (output == NULL)
      return False;
   output->error = copy(output, replaced, output->fd);
   if (output->error == 0)
      output->error = file_set_access(output->fd, replaced);
   return output_close(output, False, &before, &reason);
}

Bool output_rollback(TargetPath path, const OutputBefore* before)
{
   Target target;
   if (target_open(&target, path) != 0)
      return False;
   UInt error = target.kind != TargetFile ? FILE_ERROR_REPLACED
                : before->length != 0     ? cut_back(&target, before->length)
                : before->replaced < 0    ? file_unlink(target.folder, target.name)
                                          : 0;
   target_close(&target);
   return error == 0 && (before->replaced < 0 || put_back(path, before->replaced));
}

/*--------------------------------------------------------------------*/
/* Content                                                             */

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

/* Room for the digits of any number.  */
#define MOST_DIGITS 20

static void output_digits(Output* output, const HChar* digits, UInt n)
{
   if (BUFFER_SIZE - output->used < n)
      flush(output);
   VG_(memcpy)(output->buffer + output->used, digits, n);
   output->used += n;
}

/* Each base has a loop of its own: dividing by a constant takes no division.  */
void output_decimal(Output* output, ULong number)
{
   HChar digits[MOST_DIGITS];
   UInt at = MOST_DIGITS;
   do {
      digits[--at] = (HChar)('0' + number % 10);
      number /= 10;
   } while (number != 0);
   output_digits(output, digits + at, MOST_DIGITS - at);
}

void output_hex(Output* output, ULong number)
{
   HChar digits[MOST_DIGITS];
   UInt at = MOST_DIGITS;
   do {
      digits[--at] = "0123456789abcdef"[number % 16];
      number /= 16;
   } while (number != 0);
   output_text(output, "0x");
   output_digits(output, digits + at, MOST_DIGITS - at);
}
