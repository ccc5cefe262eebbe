/* SPDX-License-Identifier: GPL-2.0-or-later

   See die_text.h.  In a damaged file a text may have no end, for which libdw does not
   always look.  */

#include "code/die_text.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does a text end within the section of this file that it is in?  */
static bool ends_in_section(Elf* elf, const char* text)
{
   for (Elf_Scn* scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
      const Elf_Data* data = elf_getdata(scn, NULL);
      if (data == NULL || data->d_buf == NULL || text < (const char*)data->d_buf ||
          text >= (const char*)data->d_buf + data->d_size)
         continue;
      size_t room = (size_t)((const char*)data->d_buf + data->d_size - text);
      return memchr(text, '\0', room) != NULL;
   }
   return false;
}

/* It may be in the file that several share.  */
const char* die_text(Dwarf_Attribute* attribute)
{
   const char* text = dwarf_formstring(attribute);
   if (text == NULL)
      return NULL;
   Dwarf* dwarf = dwarf_cu_getdwarf(attribute->cu);
   if (ends_in_section(dwarf_getelf(dwarf), text))
      return text;
   Dwarf* shared = dwarf_getalt(dwarf);
   return shared != NULL && ends_in_section(dwarf_getelf(shared), text) ? text : NULL;
}
