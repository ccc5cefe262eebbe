/* SPDX-License-Identifier: GPL-2.0-or-later

   How a process sees itself and files: its number in its own PID namespace, and what is
   below its "/".  In a container, neither is what we see.  Owns a descriptor for each
   namespace of mounts that is not ours, so that files are found there, too, when the
   process has ended.  Relies on /proc.  Used by one thread.  */

#ifndef SAMPLER_PROCESS_VIEW_H
#define SAMPLER_PROCESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

/* What is below the "/" of some processes, where it is not what we see.  */
typedef struct Mounts Mounts;

typedef struct {
   uint32_t pid;       /* in our PID namespace */
   uint32_t inner_pid; /* in its own, which may be ours; 0: not known */
   bool is_seen;       /* /proc has shown it; else the number follows from its parent's */
   int64_t user;       /* its effective user, as we number them; -1: not known */
   const Mounts* foreign; /* NULL: it sees what we see, as far as is known */
} ProcessView;

/* The view of a process, as /proc shows it.  Of one that has ended, that of a process
   with nothing of its own.  */
ProcessView process_view_of(uint32_t pid);

/* The view of a process that was forked by another, from what is known of that.  */
ProcessView process_view_of_child(const ProcessView* parent, uint32_t pid);

/* Looks at the process again, as it may have entered namespaces since.  If it has ended,
   nothing changes.  */
void process_view_refresh(ProcessView* view);

/* Opens a file by its absolute path as the process sees it.  Returns a descriptor, or -1
   with errno.  `flags` are those of open(2); O_CLOEXEC is added.  */
int process_view_open(const ProcessView* view, const char* path, int flags);

#endif
