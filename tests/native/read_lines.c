/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints the source lines of the code of an ELF file (callgrind/dwarf/line_table.h):

      read_lines FILE FIRST END

   For each address of these from which on the answer is another one than before: the
   address, and `PATH:LINE`; `-` is no line, `?` is that the core must be asked.  If it
   must be for all: `left to the core`.  */

#include "dwarf/line_table.h"
#include "guest/elf/debug_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer_for(LineTable* table, Addr at, char* answer, size_t size)
{
   const HChar* path;
   UInt line;
   switch (line_table_find(table, at, &path, &line)) {
   case LineUnclear: snprintf(answer, size, "?"); break;
   case LineNone: snprintf(answer, size, "-"); break;
   case LineFound: snprintf(answer, size, "%s:%u", path, line); break;
   }
}

int main(int n_words, char** words)
{
   ElfFile file;
   if (n_words != 4 || !elf_file_open(words[1], &file))
      return 1;
   DwarfSection sections[DWARF_SECTIONS] = {{NULL, 0, NULL}};
   sections[SectionLine] = debug_sections_read(&file, "line");
   sections[SectionLineStr] = debug_sections_read(&file, "line_str");
   elf_file_close(&file);
   Addr first = strtoul(words[2], NULL, 0), end = strtoul(words[3], NULL, 0);
   LineTable* table = line_table_read(sections, first, end);
   if (table == NULL) {
      printf("left to the core\n");
      return 0;
   }
   char last[4096] = "", answer[4096];
   for (Addr at = first; at < end; at++) {
      answer_for(table, at, answer, sizeof answer);
      if (strcmp(answer, last) != 0)
         printf("%#lx %s\n", (unsigned long)at, answer);
      strcpy(last, answer);
   }
   line_table_free(table);
   return 0;
}
