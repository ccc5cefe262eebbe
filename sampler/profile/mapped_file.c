/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding mapped files; see mapped_file.h.  A file is looked for by its name, by its
   name as the process sees it (in a container), and by /proc/PID/map_files, where the
   kernel shows the mapped file itself while the process lives.  It must have the build
   id that was mapped; where that is not known, the same inode, and no change since.  */

#include "profile/mapped_file.h"

#include "base/memory.h"
#include "base/process_folder.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define DELETED " (deleted)"

/* The kernel's vDSO, which is the same in every process, so also in ours.  */
static Object* vdso(void)
{
   static Object* object;
   const uint8_t* start = (const uint8_t*)getauxval(AT_SYSINFO_EHDR);
   if (object == NULL && start != NULL) {
      const Elf64_Ehdr* header = (const Elf64_Ehdr*)start;
      /* Its section headers stand at its end.  */
      size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
      object = object_in_memory((void*)start, size, "[vdso]");
   }
   return object != NULL ? object : object_without_file("[vdso]", "-");
}

/* On some file systems, a mapping and the file have different device numbers.  */
static bool has_odd_devices(int fd)
{
   struct statfs status;
   return fstatfs(fd, &status) == 0 &&
          (status.f_type == OVERLAYFS_SUPER_MAGIC || status.f_type == BTRFS_SUPER_MAGIC);
}

static uint64_t nanoseconds(struct timespec time)
{
   return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Whether a file was changed after a time of CLOCK_MONOTONIC.  The time of its inode's
   change is surest; but deleting the file is such a change, too, and nobody can open it
   to write then.  */
static bool changed_after(const struct stat* status, uint64_t time)
{
   struct timespec real, monotonic;
   clock_gettime(CLOCK_REALTIME, &real);
   clock_gettime(CLOCK_MONOTONIC, &monotonic);
   uint64_t boot = nanoseconds(real) - nanoseconds(monotonic);
   struct timespec changed = status->st_nlink != 0 ? status->st_ctim : status->st_mtim;
   return nanoseconds(changed) > boot + time;
}

static bool is_the_inode(int fd, const struct stat* status, const Mapping* mapping)
{
   const FileIdentity* identity = &mapping->identity;
   int generation;
   if (!identity->has_inode || status->st_ino != identity->inode)
      return false;
   if (status->st_dev != makedev(identity->major, identity->minor) &&
       !has_odd_devices(fd))
      return false;
   if (identity->has_generation && ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 &&
       (uint32_t)generation != (uint32_t)identity->generation)
      return false;
   return !changed_after(status, mapping->time);
}

static bool has_the_build_id(int fd, const FileIdentity* identity)
{
   uint8_t build_id[OBJECT_MAX_BUILD_ID];
   elf_version(EV_CURRENT);
   Elf* elf = elf_begin(fd, ELF_C_READ, NULL);
   unsigned size = elf != NULL ? object_build_id(elf, build_id) : 0;
   elf_end(elf);
   /* The kernel may have kept fewer bytes, or more with zeros.  */
   return size != 0 && size <= identity->build_id_size &&
          memcmp(build_id, identity->build_id, size) == 0;
}

#define FILE_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* The object of the open file, if that is the one that was mapped; else closes it, and
   returns NULL.  */
static Object* trusted(int fd, const Mapping* mapping, const char* name)
{
   struct stat status;
   if (fd < 0)
      return NULL;
   if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
       !(mapping->identity.build_id_size != 0 ? has_the_build_id(fd, &mapping->identity)
                                              : is_the_inode(fd, &status, mapping))) {
      close(fd);
      return NULL;
   }
   return object_of_file(fd, &status, name);
}

/* The object of the file that the kernel shows for the memory where the mapping starts,
   if that is the one that was mapped; else NULL.  */
static Object* through_map_files(uint32_t pid, const Mapping* mapping, const char* name)
{
   char path[128], line[8192];
   Object* object = NULL;
   snprintf(path, sizeof path, "%s/maps", process_folder(pid).text);
   FILE* file = fopen(path, "r");
   while (file != NULL && object == NULL && fgets(line, sizeof line, file) != NULL) {
      unsigned long start, end;
      if (sscanf(line, "%lx-%lx", &start, &end) != 2 || start > mapping->start ||
          end <= mapping->start)
         continue;
      snprintf(path, sizeof path, "%s/map_files/%lx-%lx", process_folder(pid).text, start,
               end);
      object = trusted(open(path, FILE_FLAGS), mapping, name);
   }
   if (file != NULL)
      fclose(file);
   return object;
}

/* By its name, a mapping is of memory or a device.  */
static bool is_no_file(const char* path)
{
   return path[0] != '/' || strncmp(path, "//anon", 6) == 0 ||
          strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/SYSV", 5) == 0 ||
          strncmp(path, "/anon_hugepage", 14) == 0;
}

/* Looks for the file of a mapping by all means; NULL if none leads to it.  */
static Object* find_object(ProcessView* view, const Mapping* mapping, const char* name,
                           bool in_memory)
{
   Object* object = NULL;
   if (!in_memory) {
      object = trusted(open(name, FILE_FLAGS), mapping, name);
      if (object == NULL) {
         process_view_refresh(view);
         object = trusted(process_view_open(view, name, FILE_FLAGS), mapping, name);
      }
   }
   return object != NULL ? object : through_map_files(view->pid, mapping, name);
}

Object* mapped_file_object(ProcessView* view, const Mapping* mapping)
{
   if (strcmp(mapping->path, "[vdso]") == 0)
      return vdso();
   if (is_no_file(mapping->path))
      return NULL;
   char* name = memory_copy_text(mapping->path);
   size_t length = strlen(name), suffix = strlen(DELETED);
   if (length > suffix && strcmp(name + length - suffix, DELETED) == 0)
      name[length - suffix] = '\0';
   bool in_memory = strncmp(name, "/memfd:", 7) == 0;
   Object* object = find_object(view, mapping, name, in_memory);
   if (in_memory && (object == NULL || object->elf == NULL)) {
      /* JIT code that is mapped twice, to be written and to be executed.  */
      object = NULL;
   } else if (object == NULL) {
      char* build_id = object_build_id_text(mapping->identity.build_id,
                                            mapping->identity.build_id_size);
      object = object_without_file(name, build_id);
      free(build_id);
   }
   free(name);
   return object;
}
