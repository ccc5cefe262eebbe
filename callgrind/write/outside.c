/* SPDX-License-Identifier: GPL-2.0-or-later

   See outside.h.

   A folder that was opened before stays the one that it was, whatever becomes of its
   path; also where the file system that it is on cannot be reached by way of the root any
   more.  The root is for all other paths: the kernel is asked to look from there.  */

#include "write/outside.h"

#include "write/file_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include <asm/errno.h>

typedef struct {
   const HChar* path; /* owned */
   Int fd;
} Kept;

static XArray* folders;    /* of Kept; NULL: nothing was kept */
static XArray* open_files; /* of Kept; NULL: none */
static Int root = -1;
static Bool is_keeping;

static Int find(const XArray* kept, const HChar* path)
{
   for (Word i = 0; kept != NULL && i < VG_(sizeXA)(kept); i++) {
      const Kept* one = VG_(indexXA)(kept, i);
      if (VG_(strcmp)(one->path, path) == 0)
         return one->fd;
   }
   return -1;
}

/* Keeps `fd`, which is moved.  */
static void keep(XArray** kept, const HChar* path, Int fd)
{
   if (*kept == NULL)
      *kept = VG_(newXA)(VG_(malloc), "outside.kept", VG_(free), sizeof(Kept));
   const Kept one = {VG_(strdup)("outside.path", path), file_move_up(fd)};
   if (one.fd >= 0)
      VG_(addToXA)(*kept, &one);
}

Bool outside_begin(void)
{
   Int fd;
   if (root >= 0 || file_open_folder(VKI_AT_FDCWD, "/", &fd) != 0)
      return False;
   root = file_move_up(fd);
   is_keeping = root >= 0;
   return is_keeping;
}

void outside_end(void) { is_keeping = False; }

void outside_drop(void)
{
   for (Word i = 0; folders != NULL && i < VG_(sizeXA)(folders); i++) {
      const Kept* one = VG_(indexXA)(folders, i);
      file_close(one->fd);
      VG_(free)((HChar*)one->path);
   }
   if (folders != NULL)
      VG_(deleteXA)(folders);
   folders = NULL;
   if (root >= 0)
      file_close(root);
   root = -1;
}

Bool outside_is_left(void) { return root >= 0 && !is_keeping; }

UInt outside_open_folder(Int from, const HChar* path, Int* folder)
{
   if (path[0] != '/')
      return file_open_folder(from, path, folder);
   Int kept = find(folders, path);
   if (kept >= 0)
      return file_open_folder(kept, ".", folder);
   if (outside_is_left())
      return file_open_folder_below(root, path, folder);
   UInt error = file_open_folder(from, path, folder);
   Int copy;
   if (error == 0 && is_keeping && file_open_folder(*folder, ".", &copy) == 0)
      keep(&folders, path, copy);
   return error;
}

Int outside_folder(const HChar* path) { return find(folders, path); }

void outside_keep_open_file(const HChar* path)
{
   Int fd;
   if (find(open_files, path) < 0 && file_open_again(path, &fd) == 0)
      keep(&open_files, path, fd);
}

/* Numbers are few.  The folders that were kept last are those of the fall-back, in which
   nothing can be opened any more.  */
void outside_keep_file(const HChar* path, Int fd)
{
   const Word n = folders != NULL ? VG_(sizeXA)(folders) : 0;
   if (n > 1) {
      const Kept* last = VG_(indexXA)(folders, n - 1);
      file_close(last->fd);
      VG_(free)((HChar*)last->path);
      VG_(dropTailXA)(folders, 1);
   }
   keep(&open_files, path, fd);
}

Int outside_open_file(const HChar* path) { return find(open_files, path); }

UInt outside_open_again(const HChar* path, Int* fd)
{
   Int kept = find(open_files, path);
   return kept >= 0 ? file_duplicate(kept, fd) : file_open_again(path, fd);
}
