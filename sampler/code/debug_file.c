/* SPDX-License-Identifier: GPL-2.0-or-later

   Separate debug files; see debug_file.h.  They are where gdb's manual says ("Debugging
   Information in Separate Files").  Servers are those of elfutils' debuginfod; its
   library is loaded only if the user has named a server.  A static program
   (SAMPLER_IS_STATIC, for the bundle) can load no library and asks none.

   When libdw opens a file, it reads and expands all sections that it knows.  So each
   file is opened once for each purpose, with the other sections hidden: to read the
   names of the C library then costs half.  */

#include "code/debug_file.h"

#include "base/memory.h"

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

/* An open ELF file.  */
typedef struct {
   Elf* elf;
   int fd;
} DebugFile;

/* What was found for an object.  */
typedef struct Found {
   struct Found* next;
   const Object* object;
   DebugFile separate; /* on this machine; its `elf` is NULL if there is none */
   DebugFile served;   /* the same, from a server */
   bool server_asked;
   Dwarf* dwarf;
   bool dwarf_sought;
   Dwarf_CFI* frames;
   bool frames_sought;
} Found;

static Found* all;
static const DebugFile none = {NULL, -1};

static DebugFile open_file(const char* path)
{
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
   if (fd < 0)
      return none;
   Elf* elf = elf_begin(fd, ELF_C_READ, NULL);
   if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
      elf_end(elf);
      close(fd);
      return none;
   }
   return (DebugFile){elf, fd};
}

static void close_file(DebugFile file)
{
   elf_end(file.elf);
   close(file.fd);
}

static DebugFile by_build_id(const Object* object)
{
   char path[PATH_MAX];
   uint8_t build_id[OBJECT_MAX_BUILD_ID];
   if (strlen(object->build_id) < 4)
      return none;
   snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%.2s/%s.debug", object->build_id,
            object->build_id + 2);
   DebugFile file = open_file(path);
   if (file.elf == NULL)
      return none;
   char* text = object_build_id_text(build_id, object_build_id(file.elf, build_id));
   bool same = strcmp(text, object->build_id) == 0;
   /* A debug file may have no program headers, so no build id; its name must do then.  */
   bool unknown = strcmp(text, "-") == 0;
   free(text);
   if (same || unknown)
      return file;
   close_file(file);
   return none;
}

/* The CRC-32 of a file, as in .gnu_debuglink.  False if it cannot be read.  */
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

static DebugFile by_debug_link(const Object* object)
{
   static const char* const places[] = {"%.*s/%s", "%.*s/.debug/%s",
                                        DEBUG_FOLDER "%.*s/%s"};
   GElf_Word wanted;
   const char* name = dwelf_elf_gnu_debuglink(object->elf, &wanted);
   const char* slash = strrchr(object->path, '/');
   if (name == NULL || slash == NULL || strchr(name, '/') != NULL)
      return none;
   for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
      char path[PATH_MAX];
      uint32_t sum;
      snprintf(path, sizeof path, places[i], (int)(slash - object->path), object->path,
               name);
      if (strcmp(path, object->path) != 0 && checksum(path, &sum) && sum == wanted)
         return open_file(path);
   }
   return none;
}

#ifdef SAMPLER_IS_STATIC
static DebugFile by_server(const Object* object)
{
   (void)object;
   return none;
}
#else
/* From a server, if the user has named one and the library is installed.  */
static DebugFile by_server(const Object* object)
{
   typedef void* Begin(void);
   typedef int FindDebugInfo(void* client, const unsigned char* build_id, int size,
                             char** path);
   typedef void End(void* client);
   const char* servers = getenv("DEBUGINFOD_URLS");
   static void* library;
   if (servers == NULL || *servers == '\0' || object->build_id[0] == '-')
      return none;
   if (library == NULL)
      library = dlopen("libdebuginfod.so.1", RTLD_NOW);
   if (library == NULL)
      return none;
   Begin* begin = (Begin*)dlsym(library, "debuginfod_begin");
   FindDebugInfo* find_info = (FindDebugInfo*)dlsym(library, "debuginfod_find_debuginfo");
   End* end = (End*)dlsym(library, "debuginfod_end");
   void* client = begin != NULL && find_info != NULL && end != NULL ? begin() : NULL;
   if (client == NULL)
      return none;
   char* path = NULL;
   /* A size of 0 stands for a text of digits.  */
   int fd = find_info(client, (const unsigned char*)object->build_id, 0, &path);
   end(client);
   if (fd < 0)
      return none;
   close(fd);
   DebugFile file = path != NULL ? open_file(path) : none;
   free(path);
   return file;
}
#endif

static Found* find(Object* object)
{
   for (Found* found = all; found != NULL; found = found->next) {
      if (found->object == object)
         return found;
   }
   Found* found = memory_allocate(sizeof *found);
   found->object = object;
   found->separate = found->served = none;
   if (object->elf != NULL)
      found->separate = by_build_id(object);
   if (object->elf != NULL && found->separate.elf == NULL)
      found->separate = by_debug_link(object);
   found->next = all;
   all = found;
   return found;
}

Elf* debug_file_elf(Object* object)
{
   Found* found = find(object);
   if (found->separate.elf != NULL)
      return found->separate.elf;
   if (!found->server_asked && object->elf != NULL) {
      found->server_asked = true;
      found->served = by_server(object);
   }
   return found->served.elf;
}

/* --- What libdw sees of a file ------------------------------------------------------ */

static const char* const for_names[] = {".debug_info",
                                        ".debug_abbrev",
                                        ".debug_str",
                                        ".debug_str_offsets",
                                        ".debug_addr",
                                        ".debug_line",
                                        ".debug_ranges",
                                        ".debug_rnglists",
                                        ".debug_line_str",
                                        ".debug_types",
                                        NULL};
static const char* const for_frames[] = {".debug_frame", NULL};

/* .zdebug_*: a section compressed in the old way.  */
static bool is_for_debugging(const char* name)
{
   return strncmp(name, ".debug_", 7) == 0 || strncmp(name, ".zdebug_", 8) == 0;
}

static bool is_among(const char* name, const char* const* names)
{
   const char* rest = name + (strncmp(name, ".z", 2) == 0 ? 2 : 1);
   for (; *names != NULL; names++) {
      if (name[0] == '.' && strcmp(rest, *names + 1) == 0)
         return true;
   }
   return false;
}

/* Hides the sections for debugging that are not wanted.  Returns how many of the wanted
   ones there are.  */
static unsigned hide_others(Elf* elf, const char* const* wanted)
{
   size_t names;
   unsigned count = 0;
   if (elf_getshdrstrndx(elf, &names) != 0)
      return 0;
   for (Elf_Scn* section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
      GElf_Shdr header;
      const char* name = gelf_getshdr(section, &header) == NULL
                            ? NULL
                            : elf_strptr(elf, names, header.sh_name);
      if (name == NULL || header.sh_type == SHT_NOBITS)
         continue;
      if (is_among(name, wanted)) {
         count++;
      } else if (is_for_debugging(name)) {
         header.sh_type = SHT_NOBITS;
         gelf_update_shdr(section, &header);
      }
   }
   return count;
}

/* The DWARF of the wanted sections; NULL if there is none of them.  */
static Dwarf* open_sections(int fd, const char* const* wanted)
{
   Elf* elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
   if (elf == NULL)
      return NULL;
   Dwarf* dwarf = NULL;
   if (hide_others(elf, wanted) != 0)
      dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
   if (dwarf == NULL)
      elf_end(elf);
   return dwarf;
}

Dwarf* debug_file_dwarf(Object* object)
{
   Found* found = find(object);
   if (!found->dwarf_sought && object->elf != NULL) {
      found->dwarf_sought = true;
      found->dwarf = open_sections(object->fd, for_names);
      if (found->dwarf == NULL && debug_file_elf(object) != NULL) {
         const DebugFile* file =
            found->separate.elf != NULL ? &found->separate : &found->served;
         found->dwarf = open_sections(file->fd, for_names);
      }
   }
   return found->dwarf;
}

Dwarf_CFI* debug_file_frames(Object* object)
{
   Found* found = find(object);
   if (!found->frames_sought && object->elf != NULL) {
      found->frames_sought = true;
      Dwarf* dwarf = open_sections(object->fd, for_frames);
      if (dwarf == NULL)
         dwarf = open_sections(found->separate.fd, for_frames);
      found->frames = dwarf != NULL ? dwarf_getcfi(dwarf) : NULL;
   }
   return found->frames;
}
