/* SPDX-License-Identifier: GPL-2.0-or-later

   Where a path leads, and whether it may be written there (docs/files.md).

   A folder that others may write to is hostile: anything may stand under the name of our
   file, put there by another user.  So the folder is opened once, and all that follows is
   done in the open folder.  A symbolic link, a pipe or a device is only written to if the
   user has named it, and if it belongs to the user or to root.  Under a name that is our
   own choice it counts as a file that is to be replaced.  */

#ifndef CALLGRIND_TARGET_H
#define CALLGRIND_TARGET_H

#include "core_version.h"

/* A name, and whether the user gave it: otherwise it is a name that others can guess.  */
typedef struct {
   HChar* path; /* absolute; if it is not, the folder of the start was gone */
   Bool is_named;
} TargetPath;

typedef enum {
   TargetFile,    /* a file, what will be replaced by one, or nothing yet */
   TargetPipe,    /* a pipe with a name */
   TargetDevice,  /* or a socket */
   TargetOpenFile /* a file that a process has open, such as /dev/stdout */
} TargetKind;

typedef struct {
   TargetKind kind;
   Bool exists;              /* a file, and no link, has the name */
   Int folder;               /* open; -1 for TargetOpenFile */
   HChar name[VKI_PATH_MAX]; /* in `folder`; for TargetOpenFile a path */
} Target;

/* Finds where `path` leads.  An error of file_calls.h; if it is 0, target_close()
   releases the target.  */
UInt target_open(Target* target, TargetPath path);

void target_close(Target* target);

/* True if `path` leads to a file that some process has open, such as /dev/stdout: it was
   named by the user, and its text says so.  */
Bool target_is_open_file(TargetPath path);

/* Opens what `path` leads to without a look at what that is, to write it in place; for a
   program that may make no other calls (base/system_filter.h).  Sets *fd, and *is_kept if
   that is to stay open.  An error of file_calls.h.  */
UInt target_open_plainly(TargetPath path, Bool append, Int* fd, Bool* is_kept);

/* Opens the file that `path` leads to, anew, and keeps it: to be called when none can be
   opened any more soon.  What is written there goes into that file, once.  */
void target_keep_open(TargetPath path);

/* Keeps what `path` leads to (outside.h): a file that a process has open; between
   outside_begin() and outside_end() also the folders.  */
void target_keep(TargetPath path);

#endif
