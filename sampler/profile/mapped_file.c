/* SPDX-License-Identifier: GPL-2.0-or-later

   Which file was mapped; see mapped_file.h.  It is sought under its name, under its name as
   the process sees it (containers), and where the kernel shows the mapped file itself
   (/proc/PID/map_files, for as long as the process lives).  What is found is trusted if its
   build id is the one that was mapped; where that is not known, its inode, and that it has
   not changed since.  */

#include "profile/mapped_file.h"

#include "base/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
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

/* The kernel's own library: the same in every process.  */
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

/* Whether a file was changed after a time of CLOCK_MONOTONIC.  Its inode says so most
   surely; but that changes, too, when the file is deleted, and then nobody can find it to
   write to it.  */
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

/* The object at `path`, if that is what was mapped.  */
static Object* trusted(const char* path, const Mapping* mapping, const char* name)
{
   struct stat status;
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

/* What the kernel shows as the file that is mapped around the mapping's start.  */
static Object* through_map_files(uint32_t pid, const Mapping* mapping, const char* name)
{
   char path[128], line[8192];
   Object* object = NULL;
   snprintf(path, sizeof path, "/proc/%u/maps", pid);
   FILE* file = fopen(path, "r");
   while (file != NULL && object == NULL && fgets(line, sizeof line, file) != NULL) {
      unsigned long start, end;
      if (sscanf(line, "%lx-%lx", &start, &end) != 2 || start > mapping->start ||
          end <= mapping->start)
         continue;
      snprintf(path, sizeof path, "/proc/%u/map_files/%lx-%lx", pid, start, end);
      object = trusted(path, mapping, name);
   }
   if (file != NULL)
      fclose(file);
   return object;
}

static bool is_no_file(const char* path)
{
   return path[0] != '/' || strncmp(path, "//anon", 6) == 0 ||
          strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/SYSV", 5) == 0 ||
          strncmp(path, "/anon_hugepage", 14) == 0;
}

Object* mapped_file_object(uint32_t pid, const Mapping* mapping)
{
   char inside[PATH_MAX + 64];
   if (strcmp(mapping->path, "[vdso]") == 0)
      return vdso();
   if (is_no_file(mapping->path))
      return NULL;
   char* name = memory_copy_text(mapping->path);
   size_t length = strlen(name), suffix = strlen(DELETED);
   bool deleted = length > suffix && strcmp(name + length - suffix, DELETED) == 0;
   bool in_memory = strncmp(name, "/memfd:", 7) == 0;
   Object* object = NULL;
   if (deleted)
      name[length - suffix] = '\0';
   if (!in_memory)
      object = trusted(name, mapping, name);
   if (object == NULL && !in_memory) {
      snprintf(inside, sizeof inside, "/proc/%u/root%s", pid, name);
      object = trusted(inside, mapping, name);
   }
   if (object == NULL)
      object = through_map_files(pid, mapping, name);
   if (in_memory && (object == NULL || object->elf == NULL)) {
      /* Code that a JIT has mapped twice, to write and to run.  */
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
