/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls on files that the core has no functions for, or of which its functions do
   not report the errors: VG_(close) returns nothing, VG_(rename) does not say why it
   failed, and there are none that work in a folder that is open.

   An error is the number of the system's (errno), 0 if there was none; beyond
   those, the FILE_ERROR_... here.  Calls that a signal interrupts are made again.  */

#ifndef CALLGRIND_FILE_CALLS_H
#define CALLGRIND_FILE_CALLS_H

#include "core_version.h"

#include "pub_tool_libcfile.h"

/* What is wrong with a file although no system call has failed.  */
enum {
   FILE_ERROR_UNKNOWN = 0x10000, /* the number is not known */
   FILE_ERROR_NO_START_FOLDER,   /* a relative path, and the start folder was gone */
   FILE_ERROR_FOREIGN_LINK,      /* a symbolic link of another user */
   FILE_ERROR_FOREIGN_FILE,      /* another user's */
   FILE_ERROR_REPLACED,          /* not what it was a moment ago */
   FILE_ERROR_TORN,              /* a part of what was appended is still there */
   FILE_ERROR_END_ASKED,         /* nobody reads, and a signal wants the process to end */
};

/* Opens the folder `path`, for the calls below; `from` is the open folder that a relative
   path starts in.  Only the right to search it is needed.  Sets *folder.  */
UInt file_open_folder(Int from, const HChar* path, Int* folder);

/* As file_open_folder(), for an absolute path in a tree of which `root` is the root:
   symbolic links and ".." lead to nothing outside of it.  */
UInt file_open_folder_below(Int root, const HChar* path, Int* folder);

/* Another number for `fd`, among those that the program cannot use; closes `fd`.  -1 if
   there is none.  */
Int file_move_up(Int fd);

/* Another number for what is open as `fd`.  Sets *copy.  */
UInt file_duplicate(Int fd, Int* copy);

/* As file_open_folder(), from the current folder on, if what `path` names is no symbolic
   link itself; then the error is ELOOP.  */
UInt file_open_real_folder(const HChar* path, Int* folder);

/* What `name` in `folder` is, and a symbolic link is one: sets *status, and, if it is a
   link, `target`, which has VKI_PATH_MAX bytes, to the text of that same link.  */
UInt file_look_at(Int folder, const HChar* name, struct vg_stat* status, HChar* target);

/* Makes the file `name` in `folder`, where nothing of that name may be, to write and read
   it.  Only its owner may open it.  Sets *fd.  */
UInt file_create(Int folder, const HChar* name, Int* fd);

/* Opens the file `name` in `folder`, which must exist and be no symbolic link, to read it
   or to write it.  Never blocks, neither now nor when it is written to.  Sets *fd.  */
UInt file_open(Int folder, const HChar* name, Bool writes, Int* fd);

/* Opens `path`, which leads to a file that a process has open already, to write behind
   what is there.  Never blocks, as file_open().  Sets *fd.  */
UInt file_open_again(const HChar* path, Int* fd);

/* Opens the file `name`, in `folder` if that is not negative, to write it anew or to
   append to it; makes it if it is not there.  Without a folder it uses no calls but those
   of the core.  Never blocks, as file_open().  Sets *fd.  */
UInt file_open_plainly(Int folder, const HChar* name, Bool append, Bool follows, Int* fd);

/* Reads up to `size` bytes; sets *n_read, which is 0 at the end of the file.  */
UInt file_read(Int fd, void* bytes, UInt size, UInt* n_read);

/* Writes all of it.  Waits for the reader of a pipe that is full; gives up if a signal
   comes meanwhile that wants the process to end.  */
UInt file_write(Int fd, const HChar* bytes, UInt size);

/* Closes `fd`.  File systems over a network, or with quotas, may report only now that
   something could not be written.  Whatever the error, `fd` is not open any more.  */
UInt file_close(Int fd);

/* Gives a file in `folder` another name, in place of what has that name.  */
UInt file_rename(Int folder, const HChar* from, const HChar* to);

/* Removes the name; a symbolic link itself.  */
UInt file_unlink(Int folder, const HChar* name);

/* Gives `fd` the owner, if we may, and the permissions of the file `as`.  */
UInt file_set_access(Int fd, Int as);

/* Cuts the file back to its first `length` bytes.  */
UInt file_truncate(Int fd, Off64T length);

/* A number that nobody can foresee, as far as the system has some.  */
ULong file_random(void);

/* What an error means, in words: the last part of a message.  Valid until the next
   call.  */
const HChar* file_error_text(UInt error);

#endif
