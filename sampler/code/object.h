/* SPDX-License-Identifier: GPL-2.0-or-later

   Objects: ELF files of this machine that were mapped: executables, libraries, the vDSO.
   Owns their descriptors.  Other modules attach what they read of an object: call frame
   information (cfi.c), symbols (symbols.c), inlined functions (inlining.c).

   The files belong to the program, so nothing in them is trusted.  They are read, not
   mapped: a file that shrinks meanwhile would end us by a signal.  */

#ifndef SAMPLER_OBJECT_H
#define SAMPLER_OBJECT_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define OBJECT_MAX_BUILD_ID 20 /* bytes; longer ones are left alone */

typedef struct CfiTable CfiTable;
typedef struct SymbolTable SymbolTable;
typedef struct InlineIndex InlineIndex;
typedef struct FilePieces FilePieces;

typedef struct {
   uint64_t address, offset, size, memory_size;
   bool executable;
} Segment;

typedef struct Object {
   struct Object* next;
   char* path;              /* the mapping's name, or a name in brackets */
   char* build_id;          /* lower-case hexadecimal digits, or "-" */
   Elf* elf;                /* NULL: it cannot be read */
   int fd;                  /* -1: in memory */
   FilePieces* pieces;      /* of its bytes; NULL without `fd` */
   struct timespec written; /* the file's last change, when it was opened */
   Segment* segments;
   unsigned segment_count;
   unsigned id;  /* in the tree file; 0: not written */
   bool skipped; /* --obj-skip */
   CfiTable* cfi;
   SymbolTable* symbols;
   InlineIndex* inlining;
} Object;

/* The object of an open file; the same one for the same file and path.  Takes `fd` over.
   If it is no ELF file of this machine, its `elf` is NULL.  Objects live to the end.  */
Object* object_of_file(int fd, const struct stat* status, const char* path);

/* An object that cannot be read: its file is gone or has been replaced, or it has only a
   name in brackets.  The same one for the same name and build id.  */
Object* object_without_file(const char* path, const char* build_id);

/* An object in our own memory, which must stay and is trusted: the vDSO.  */
Object* object_in_memory(void* bytes, size_t size, const char* path);

/* True if the file has not been written to since it was opened, or there is no file.  */
bool object_is_unchanged(const Object* object);

/* Sets the patterns of --obj-skip, for all objects made from now on.  They stay the
   caller's.  */
void object_skip_patterns(const char** patterns, unsigned count);

/* The address, as the file numbers addresses, of the code at `offset` in the file.
   False if no segment has it.  */
bool object_address(const Object* object, uint64_t offset, uint64_t* address);

/* The opposite: the offset in the file of the byte at `address`.  False if no segment has
   it.  */
bool object_offset(const Object* object, uint64_t address, uint64_t* offset);

/* Reads `size` bytes of the file at `address`, a few; what was read before may be kept.
   False if it does not have them.  */
bool object_bytes(const Object* object, uint64_t address, void* bytes, size_t size);

/* Reads the build id of an ELF file into OBJECT_MAX_BUILD_ID bytes.  Returns its size;
   0 if it has none.  */
unsigned object_build_id(Elf* elf, uint8_t* build_id);
/* A build id as a text, to be freed; "-" for none.  */
char* object_build_id_text(const uint8_t* build_id, unsigned size);

#endif
