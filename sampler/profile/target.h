/* SPDX-License-Identifier: GPL-2.0-or-later

   Where a path leads, and whether it may be written there (docs/files.md).

   The folder is opened once, and all that follows is done in it.  A symbolic link, a pipe
   or a device is only written to if the user has named it, and if it belongs to the user
   or to root.  Under a name of our own choice it counts as a file that is to be
   replaced.  */

#ifndef SAMPLER_TARGET_H
#define SAMPLER_TARGET_H

#include <limits.h>
#include <stdbool.h>

/* What is wrong with a file although no call has failed; beside the numbers of errno.  */
enum {
   TargetNoStartFolder = 0x10000, /* a relative path, and the start folder was gone */
   TargetForeignLink,             /* a symbolic link of another user */
   TargetForeignFile,             /* another user's */
   TargetEndAsked /* nobody reads, and a signal wants the process to end */
};

typedef enum {
   TargetFile,    /* a file, what will be replaced by one, or nothing yet */
   TargetStream,  /* a pipe or a device */
   TargetOpenFile /* a file that a process has open, such as /dev/stdout */
} TargetKind;

typedef struct {
   TargetKind kind;
   int folder;          /* open; -1 for TargetOpenFile */
   char name[PATH_MAX]; /* in `folder`; for TargetOpenFile a path */
} Target;

/* Finds where `path` leads, which the user has named or not.  Returns 0, or an error; if
   it is 0, target_close() releases the target.  */
int target_open(Target* target, const char* path, bool is_named);

void target_close(Target* target);

/* openat(), made again if a signal interrupts it.  Never blocks, and no program that is
   started gets the descriptor.  */
int target_open_at(int folder, const char* name, int flags);

/* What an error means, in words: the last part of a message.  */
const char* target_error_text(int error);

#endif
