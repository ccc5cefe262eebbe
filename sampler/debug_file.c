/* SPDX-License-Identifier: GPL-2.0-or-later

   Separate debug files; see debug_file.h.  The servers are those of elfutils' debuginfod,
   whose library is loaded only if the user has named one.  The places are those that gdb's manual names
   ("Debugging Information in Separate Files").  */

#include "debug_file.h"

#include "memory.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_FOLDER "/usr/lib/debug"

typedef struct Found {
   struct Found* next;
   const Object* object;
   Elf* elf;     /* the separate file */
   Dwarf* dwarf; /* of either */
   bool dwarf_sought;
} Found;

static Found* all;

static Elf* open_elf(const char* path)
{
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
   if (fd < 0)
      return NULL;
   Elf* elf = elf_begin(fd, ELF_C_READ, NULL);
   if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
      elf_end(elf);
      close(fd);
      return NULL;
   }
   return elf; /* the descriptor stays open with it */
}

static Elf* by_build_id(const Object* object)
{
   char path[PATH_MAX];
   uint8_t build_id[BUILD_ID_MOST];
   if (strlen(object->build_id) < 4)
      return NULL;
   snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%.2s/%s.debug", object->build_id,
            object->build_id + 2);
   Elf* elf = open_elf(path);
   if (elf == NULL)
      return NULL;
   char* text = object_build_id_text(build_id, object_build_id(elf, build_id));
   bool same = strcmp(text, object->build_id) == 0;
   /* A debug file may have no program headers: then its name has to do.  */
   bool unknown = strcmp(text, "-") == 0;
   free(text);
   if (same || unknown)
      return elf;
   elf_end(elf);
   return NULL;
}

/* The CRC-32 of a file, as .gnu_debuglink has it.  */
static bool checksum(const char* path, uint32_t* result)
{
   static uint32_t table[256];
   static uint8_t bytes[65536];
   if (table[1] == 0) {
      for (uint32_t i = 0; i < 256; i++) {
         table[i] = i;
         for (unsigned bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
      }
   }
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
   if (fd < 0)
      return false;
   uint32_t sum = ~0u;
   ssize_t size;
   while ((size = read(fd, bytes, sizeof bytes)) > 0) {
      for (ssize_t i = 0; i < size; i++)
         sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 255];
   }
   close(fd);
   *result = ~sum;
   return size == 0;
}

static Elf* by_debug_link(const Object* object)
{
   static const char* const places[] = {"%.*s/%s", "%.*s/.debug/%s",
                                        DEBUG_FOLDER "%.*s/%s"};
   GElf_Word wanted;
   const char* name = dwelf_elf_gnu_debuglink(object->elf, &wanted);
   const char* slash = strrchr(object->path, '/');
   if (name == NULL || slash == NULL || strchr(name, '/') != NULL)
      return NULL;
   for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
      char path[PATH_MAX];
      uint32_t sum;
      snprintf(path, sizeof path, places[i], (int)(slash - object->path), object->path,
               name);
      if (strcmp(path, object->path) != 0 && checksum(path, &sum) && sum == wanted)
         return open_elf(path);
   }
   return NULL;
}

/* From a server, where the user has named one and the library is there.  */
static Elf* by_server(const Object* object)
{
   typedef void* Begin(void);
   typedef int FindDebugInfo(void* client, const unsigned char* build_id, int size,
                             char** path);
   typedef void End(void* client);
   const char* servers = getenv("DEBUGINFOD_URLS");
   static void* library;
   if (servers == NULL || *servers == '\0' || object->build_id[0] == '-')
      return NULL;
   if (library == NULL)
      library = dlopen("libdebuginfod.so.1", RTLD_NOW);
   if (library == NULL)
      return NULL;
   Begin* begin = (Begin*)dlsym(library, "debuginfod_begin");
   FindDebugInfo* find_info = (FindDebugInfo*)dlsym(library, "debuginfod_find_debuginfo");
   End* end = (End*)dlsym(library, "debuginfod_end");
   void* client = begin != NULL && find_info != NULL && end != NULL ? begin() : NULL;
   if (client == NULL)
      return NULL;
   char* path = NULL;
   /* A size of 0 stands for a text of digits.  */
   int fd = find_info(client, (const unsigned char*)object->build_id, 0, &path);
   end(client);
   if (fd < 0)
      return NULL;
   close(fd);
   Elf* elf = path != NULL ? open_elf(path) : NULL;
   free(path);
   return elf;
}

static Found* find(Object* object)
{
   for (Found* found = all; found != NULL; found = found->next) {
      if (found->object == object)
         return found;
   }
   Found* found = allocate(sizeof *found);
   found->object = object;
   if (object->elf != NULL)
      found->elf = by_build_id(object);
   if (object->elf != NULL && found->elf == NULL)
      found->elf = by_debug_link(object);
   if (object->elf != NULL && found->elf == NULL)
      found->elf = by_server(object);
   found->next = all;
   all = found;
   return found;
}

Elf* debug_file_elf(Object* object) { return find(object)->elf; }

Dwarf* debug_file_dwarf(Object* object)
{
   Found* found = find(object);
   if (!found->dwarf_sought && object->elf != NULL) {
      found->dwarf_sought = true;
      found->dwarf = dwarf_begin_elf(object->elf, DWARF_C_READ, NULL);
      if (found->dwarf == NULL && found->elf != NULL)
         found->dwarf = dwarf_begin_elf(found->elf, DWARF_C_READ, NULL);
   }
   return found->dwarf;
}
