/* SPDX-License-Identifier: GPL-2.0-or-later

   See process_view.h.  Two processes see the same files if they are in one namespace of
   mounts and have the same root.  An open namespace keeps its mounts, an open root what
   it is in; so both are kept open.  */

#include "code/process_view.h"

#include "base/memory.h"
#include "base/process_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each has two descriptors.  Of more, files are sought as we see them.  */
#define MOST_MOUNTS 256

struct Mounts {
   Mounts* next;
   dev_t namespace_device, root_device;
   ino_t namespace_inode, root_inode;
   int namespace, root; /* descriptors */
};

static Mounts* all;
static unsigned count;

/* --- What is below "/" -------------------------------------------------------------- */

/* Opens the two of a process.  False if it has ended, or we have no right to.  */
static bool open_mounts(const char* folder, Mounts* mounts)
{
   char path[64];
   struct stat namespace, root;
   snprintf(path, sizeof path, "%s/ns/mnt", folder);
   mounts->namespace = open(path, O_RDONLY | O_CLOEXEC);
   snprintf(path, sizeof path, "%s/root", folder);
   mounts->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
   if (mounts->namespace < 0 || mounts->root < 0 ||
       fstat(mounts->namespace, &namespace) != 0 || fstat(mounts->root, &root) != 0)
      return false;
   mounts->namespace_device = namespace.st_dev;
   mounts->namespace_inode = namespace.st_ino;
   mounts->root_device = root.st_dev;
   mounts->root_inode = root.st_ino;
   return true;
}

static void close_mounts(const Mounts* mounts)
{
   if (mounts->namespace >= 0)
      close(mounts->namespace);
   if (mounts->root >= 0)
      close(mounts->root);
}

static bool are_same(const Mounts* left, const Mounts* right)
{
   return left->namespace_device == right->namespace_device &&
          left->namespace_inode == right->namespace_inode &&
          left->root_device == right->root_device &&
          left->root_inode == right->root_inode;
}

/* Sets what a process sees.  What is known of it stays if that cannot be found out.  */
static void look_at_mounts(const char* folder, ProcessView* view)
{
   static Mounts ours;
   static bool ours_are_known;
   Mounts seen;
   if (!ours_are_known) {
      ours_are_known = open_mounts("/proc/self", &ours);
      close_mounts(&ours);
   }
   bool is_seen = open_mounts(folder, &seen);
   const Mounts* known = all;
   while (is_seen && known != NULL && !are_same(known, &seen))
      known = known->next;
   if (is_seen && ours_are_known && are_same(&seen, &ours)) {
      view->foreign = NULL;
   } else if (is_seen && known != NULL) {
      view->foreign = known;
   } else if (is_seen && ours_are_known && count < MOST_MOUNTS) {
      Mounts* added = memory_allocate(sizeof *added);
      *added = seen;
      added->next = all;
      all = added;
      count++;
      view->foreign = added;
      return;
   }
   close_mounts(&seen);
}

/* --- Numbers ------------------------------------------------------------------------ */

/* "NSpid: 4711 12 1": the numbers from our namespace to the innermost.  "Uid: ...": the
   real user, the effective one.  */
static void take_status_line(const char* line, ProcessView* view)
{
   unsigned real, effective;
   if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
      view->user = effective;
   if (strncmp(line, "NSpid:", 6) != 0)
      return;
   const char* at = line + 6;
   for (;;) {
      char* end;
      unsigned long number = strtoul(at, &end, 10);
      if (end == at)
         break;
      view->inner_pid = (uint32_t)number;
      view->is_seen = true;
      at = end;
   }
}

/* --- Views -------------------------------------------------------------------------- */

void process_view_refresh(ProcessView* view)
{
   char path[64], line[512];
   ProcessFolder folder = process_folder(view->pid);
   snprintf(path, sizeof path, "%s/status", folder.text);
   FILE* status = fopen(path, "re");
   if (status == NULL)
      return;
   while (fgets(line, sizeof line, status) != NULL)
      take_status_line(line, view);
   fclose(status);
   look_at_mounts(folder.text, view);
}

ProcessView process_view_of(uint32_t pid)
{
   ProcessView view = {.pid = pid, .inner_pid = pid, .user = -1};
   process_view_refresh(&view);
   return view;
}

ProcessView process_view_of_child(const ProcessView* parent, uint32_t pid)
{
   ProcessView view = *parent;
   view.pid = pid;
   view.is_seen = false;
   view.inner_pid = parent->inner_pid == parent->pid ? pid : 0;
   return view;
}

int process_view_open(const ProcessView* view, const char* path, int flags)
{
   if (view->foreign == NULL)
      return open(path, flags | O_CLOEXEC);
   /* Links, too, lead to where the process would come by them.  */
   const struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
   int fd = (int)syscall(SYS_openat2, view->foreign->root, path, &how, sizeof how);
   if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
      return fd;
   while (*path == '/') /* before Linux 5.6, or a filter of system calls without it */
      path++;
   return openat(view->foreign->root, path, flags | O_CLOEXEC);
}
