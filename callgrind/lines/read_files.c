/* SPDX-License-Identifier: GPL-2.0-or-later

   See read_files.h.  */

#include "lines/read_files.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   HChar* path;
   struct vg_stat status;
} ReadFile;

static ReadFile* file_of(const ReadFiles* files, UInt i)
{
   return VG_(indexXA)(files->files, (Word)i);
}

ReadFiles read_files_new(void)
{
   return (ReadFiles){
      VG_(newXA)(VG_(malloc), "read_files.files", VG_(free), sizeof(ReadFile))};
}

void read_files_free(ReadFiles* files)
{
   if (files->files == NULL)
      return;
   for (UInt i = 0; i < read_files_count(files); i++)
      VG_(free)(file_of(files, i)->path);
   VG_(deleteXA)(files->files);
   files->files = NULL;
}

UInt read_files_count(const ReadFiles* files) { return (UInt)VG_(sizeXA)(files->files); }

const HChar* read_files_path(const ReadFiles* files, UInt i)
{
   return file_of(files, i)->path;
}

void read_files_note(ReadFiles* files, const HChar* path)
{
   for (UInt i = 0; i < read_files_count(files); i++)
      if (VG_(strcmp)(file_of(files, i)->path, path) == 0)
         return;
   ReadFile file;
   VG_(memset)(&file, 0, sizeof file);
   (void)VG_(stat)(path, &file.status);
   file.path = VG_(strdup)("read_files.path", path);
   VG_(addToXA)(files->files, &file);
}

Bool read_files_are_same(const ReadFiles* files)
{
   for (UInt i = 0; i < read_files_count(files); i++) {
      const ReadFile* file = file_of(files, i);
      struct vg_stat now;
      if (sr_isError(VG_(stat)(file->path, &now)) || now.dev != file->status.dev ||
          now.ino != file->status.ino || now.size != file->status.size ||
          now.mtime != file->status.mtime || now.mtime_nsec != file->status.mtime_nsec)
         return False;
   }
   return True;
}

Bool read_files_have(const ReadFiles* files, ULong device, ULong inode)
{
   for (UInt i = 0; i < read_files_count(files); i++) {
      const struct vg_stat* status = &file_of(files, i)->status;
      if (status->dev == device && status->ino == inode)
         return True;
   }
   return False;
}

Bool read_files_measure(const ReadFiles* files, ElfDebug* debug)
{
   for (UInt i = 0; i < read_files_count(files); i++)
      if (!elf_sections_add_debug(read_files_path(files, i), debug))
         return False;
   return True;
}
