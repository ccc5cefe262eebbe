/* SPDX-License-Identifier: GPL-2.0-or-later

   An ELF file of x86-64 that was mapped: an executable, a library, the vDSO.  Owns its
   descriptor and what other files of the sampler hang onto it: call frame information
   (cfi.c), symbols (symbols.c), inlined functions (inlining.c).

   The files are the program's, so nothing in them is trusted.  They are read, not mapped:
   a file that shrinks while we look must not end us by a signal.  */

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

typedef struct {
   uint64_t address, offset, size, memory_size;
   bool executable;
} Segment;

typedef struct Object {
   struct Object* next;
   char* path;              /* what the mapping is called; or a name in brackets */
   char* build_id;          /* lower-case hexadecimal digits, or "-" */
   Elf* elf;                /* NULL: nothing can be read of it */
   int fd;                  /* -1: in memory */
   struct timespec written; /* when the file had been changed last, when it was opened */
   Segment* segments;
   unsigned segment_count;
   unsigned id;  /* in the file that we write; 0 before */
   bool skipped; /* --obj-skip */
   CfiTable* cfi;
   SymbolTable* symbols;
   InlineIndex* inlining;
} Object;

/* The object of an open file; the same for each way to the same file.  Takes `fd` over.
   What is not an ELF file of x86-64 is an object too, without `elf`.  Objects live to the
   end.  */
Object* object_of_file(int fd, const struct stat* status, const char* path);

/* An object that cannot be read: a file that is gone or another one now, or a name in
   brackets.  The same for the same name and build id.  */
Object* object_without_file(const char* path, const char* build_id);

/* An object in our own memory, which stays; it is not checked where it ends.  */
Object* object_in_memory(void* bytes, size_t size, const char* path);

/* Whether a file still holds what it held when it was opened.  True of what is none.  */
bool object_is_unchanged(const Object* object);

/* Sets --obj-skip, for objects from now on.  */
void object_skip_patterns(const char** patterns, unsigned count);

/* The address, as the file counts addresses, of what stands at `offset` in it and was
   mapped as code.  False if no segment has it.  */
bool object_address(const Object* object, uint64_t offset, uint64_t* address);

/* The opposite: where in the file the byte stands that has this address.  False if no
   segment has it.  */
bool object_offset(const Object* object, uint64_t address, uint64_t* offset);

/* The build id of an ELF file, at most OBJECT_MAX_BUILD_ID bytes; 0 if it has none.  */
unsigned object_build_id(Elf* elf, uint8_t* build_id);
/* The same as a text, to be freed; "-" for none.  */
char* object_build_id_text(const uint8_t* build_id, unsigned size);

#endif
