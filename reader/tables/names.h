/* SPDX-License-Identifier: GPL-2.0-or-later

   Names of files, objects and functions: each is kept once, and is a number elsewhere.
   The bytes of all lie one behind the other in `text`; name N ends before `ends[N]`.  */

#ifndef READER_NAMES_H
#define READER_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Known from the start: no name, and what the format has for what is not known.  */
#define NAME_NONE 0u
#define NAME_UNKNOWN 1u

typedef struct {
   char* text;
   size_t size, text_capacity;
   size_t* ends;
   size_t capacity;
   uint32_t count;
   uint32_t* slots; /* a hash table, as that of a Numbering */
   uint32_t mask;
} Names;

/* Fills in NAME_NONE and NAME_UNKNOWN.  */
void names_start(Names* names);

/* The number of `size` bytes.  */
uint32_t names_add(Names* names, const char* bytes, size_t size);

#endif
