/* SPDX-License-Identifier: GPL-2.0-or-later

   Names, keys and sources of a file; see file.h.  */

#include "tables/file.h"

void file_start(File* file)
{
   *file = (File){0};
   names_start(&file->names);
}

uint32_t file_key(File* file, uint32_t object, uint32_t source_file, uint32_t name)
{
   return numbering_add(&file->keys, (Key){pair_of(object, source_file), name});
}

uint32_t file_source(File* file, uint32_t source_file, uint32_t inlined)
{
   return numbering_add(&file->sources, (Key){pair_of(source_file, inlined), 0});
}
