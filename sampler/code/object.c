/* SPDX-License-Identifier: GPL-2.0-or-later

   Opening ELF files, and their segments; see object.h.  */

#include "code/object.h"

#include "base/memory.h"
#include "code/file_pieces.h"
#include "perf/registers.h"

#include <fnmatch.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE_SIZE 1024

/* The objects of a file, by device and inode.  */
typedef struct FileEntry {
   struct FileEntry* next;
   struct stat status;
   Object* object;
} FileEntry;

static FileEntry* files[TABLE_SIZE];
static Object* without_file; /* a list of those that have none */
static const char** skip_patterns;
static unsigned skip_count;

void object_skip_patterns(const char** patterns, unsigned count)
{
   skip_patterns = patterns;
   skip_count = count;
}

/* As in the tool: a pattern, or a path that leads to the file.  */
static bool is_skipped(const char* path)
{
   for (unsigned i = 0; i < skip_count; i++) {
      if (fnmatch(skip_patterns[i], path, 0) == 0)
         return true;
      char* real = realpath(skip_patterns[i], NULL);
      bool same = real != NULL && strcmp(real, path) == 0;
      free(real);
      if (same)
         return true;
   }
   return false;
}

static Object* create(const char* path, const char* build_id)
{
   Object* object = memory_allocate(sizeof *object);
   object->path = memory_copy_text(path);
   object->build_id = memory_copy_text(build_id);
   object->fd = -1;
   object->skipped = is_skipped(path);
   return object;
}

unsigned object_build_id(Elf* elf, uint8_t* build_id)
{
   size_t count = 0;
   if (elf_getphdrnum(elf, &count) != 0)
      return 0;
   for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_NOTE)
         continue;
      Elf_Data* data =
         elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
                              header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
      size_t at = 0, name, descriptor;
      GElf_Nhdr note;
      while (data != NULL &&
             (at = gelf_getnote(data, at, &note, &name, &descriptor)) != 0) {
         if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
             memcmp((char*)data->d_buf + name, "GNU", 4) == 0 && note.n_descsz != 0 &&
             note.n_descsz <= OBJECT_MAX_BUILD_ID) {
            memcpy(build_id, (char*)data->d_buf + descriptor, note.n_descsz);
            return note.n_descsz;
         }
      }
   }
   return 0;
}

char* object_build_id_text(const uint8_t* build_id, unsigned size)
{
   static const char digits[] = "0123456789abcdef";
   if (size == 0)
      return memory_copy_text("-");
   char* text = memory_allocate(2 * size + 1);
   for (unsigned i = 0; i < size; i++) {
      text[2 * i] = digits[build_id[i] >> 4];
      text[2 * i + 1] = digits[build_id[i] & 15];
   }
   return text;
}

static void read_segments(Object* object)
{
   size_t count = 0;
   if (elf_getphdrnum(object->elf, &count) != 0)
      return;
   for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
         continue;
      object->segments =
         memory_reallocate(object->segments, object->segment_count + 1, sizeof(Segment));
      object->segments[object->segment_count++] =
         (Segment){header.p_vaddr, header.p_offset, header.p_filesz, header.p_memsz,
                   (header.p_flags & PF_X) != 0};
   }
}

/* Keeps `elf` if it is an executable or a library of this architecture.  */
static void take_elf(Object* object, Elf* elf)
{
   GElf_Ehdr header;
   if (elf == NULL)
      return;
   if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
       gelf_getehdr(elf, &header) == NULL || header.e_machine != MACHINE_ELF ||
       (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
      elf_end(elf);
      return;
   }
   uint8_t build_id[OBJECT_MAX_BUILD_ID];
   object->elf = elf;
   read_segments(object);
   free(object->build_id);
   object->build_id = object_build_id_text(build_id, object_build_id(elf, build_id));
}

static bool is_same_file(const struct stat* left, const struct stat* right)
{
   return left->st_dev == right->st_dev && left->st_ino == right->st_ino &&
          left->st_size == right->st_size &&
          left->st_mtim.tv_sec == right->st_mtim.tv_sec &&
          left->st_mtim.tv_nsec == right->st_mtim.tv_nsec;
}

Object* object_of_file(int fd, const struct stat* status, const char* path)
{
   FileEntry** slot = &files[(status->st_ino * 31 + status->st_dev) % TABLE_SIZE];
   for (FileEntry* entry = *slot; entry != NULL; entry = entry->next) {
      if (is_same_file(&entry->status, status) &&
          strcmp(entry->object->path, path) == 0) {
         close(fd);
         return entry->object;
      }
   }
   elf_version(EV_CURRENT);
   FileEntry* entry = memory_allocate(sizeof *entry);
   entry->status = *status;
   entry->object = create(path, "-");
   take_elf(entry->object, elf_begin(fd, ELF_C_READ, NULL));
   entry->object->written = status->st_mtim;
   if (entry->object->elf != NULL) {
      entry->object->fd = fd;
      entry->object->pieces = file_pieces_create();
   } else {
      close(fd);
   }
   entry->next = *slot;
   *slot = entry;
   return entry->object;
}

Object* object_without_file(const char* path, const char* build_id)
{
   for (Object* object = without_file; object != NULL; object = object->next) {
      if (strcmp(object->path, path) == 0 && strcmp(object->build_id, build_id) == 0)
         return object;
   }
   Object* object = create(path, build_id);
   object->next = without_file;
   without_file = object;
   return object;
}

Object* object_in_memory(void* bytes, size_t size, const char* path)
{
   elf_version(EV_CURRENT);
   Object* object = create(path, "-");
   take_elf(object, elf_memory(bytes, size));
   object->next = without_file;
   without_file = object;
   return object;
}

bool object_is_unchanged(const Object* object)
{
   struct stat status;
   return object->fd < 0 || (fstat(object->fd, &status) == 0 &&
                             status.st_mtim.tv_sec == object->written.tv_sec &&
                             status.st_mtim.tv_nsec == object->written.tv_nsec);
}

bool object_bytes(const Object* object, uint64_t address, void* bytes, size_t size)
{
   uint64_t offset;
   size_t whole;
   if (!object_offset(object, address, &offset))
      return false;
   if (object->fd >= 0)
      return file_pieces_read(object->pieces, object->fd, offset, bytes, size);
   const char* memory = object->elf != NULL ? elf_rawfile(object->elf, &whole) : NULL;
   if (memory == NULL || offset > whole || size > whole - offset)
      return false;
   memcpy(bytes, memory + offset, size);
   return true;
}

bool object_address(const Object* object, uint64_t offset, uint64_t* address)
{
   const Segment* best = NULL;
   for (unsigned pass = 0; pass < 2 && best == NULL; pass++) {
      /* A mapping has whole pages, so it may begin before its segment and end after.  */
      uint64_t slack = pass == 0 ? 0 : MACHINE_LARGEST_PAGE - 1;
      for (unsigned i = 0; i < object->segment_count; i++) {
         const Segment* segment = &object->segments[i];
         if (offset + slack >= segment->offset &&
             offset < segment->offset + segment->size + slack &&
             (best == NULL || (segment->executable && !best->executable)))
            best = segment;
      }
   }
   if (best == NULL)
      return false;
   *address = offset - best->offset + best->address;
   return true;
}

bool object_offset(const Object* object, uint64_t address, uint64_t* offset)
{
   for (unsigned i = 0; i < object->segment_count; i++) {
      const Segment* segment = &object->segments[i];
      if (address - segment->address < segment->size) {
         *offset = address - segment->address + segment->offset;
         return true;
      }
   }
   return false;
}
