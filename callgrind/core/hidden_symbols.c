/* SPDX-License-Identifier: GPL-2.0-or-later

   See hidden_symbols.h.  */

#include "core/hidden_symbols.h"

#ifdef CORE_CAN_READ_SYMBOLS_LATE

#include <elf.h>

#if VG_WORDSIZE == 8
typedef Elf64_Ehdr Header;
typedef Elf64_Shdr Section;
#else
typedef Elf32_Ehdr Header;
typedef Elf32_Shdr Section;
#endif

void __real_vgModuleLocal_img_get(void* to, void* image, ULong offset, SizeT size);
void __wrap_vgModuleLocal_img_get(void* to, void* image, ULong offset, SizeT size);

static Bool is_hiding;

/* Where the section headers are of the file whose header was read last.  */
static struct {
   const void* image;
   ULong start, end;
} headers;

void core_symbols_hide(void)
{
   is_hiding = True;
   headers.image = NULL;
}

void core_symbols_show(void) { is_hiding = False; }

static void note_header(const void* image, const Header* header)
{
   headers.image = header->e_shentsize == sizeof(Section) ? image : NULL;
   headers.start = header->e_shoff;
   headers.end = header->e_shoff + (ULong)header->e_shnum * sizeof(Section);
}

static Bool is_section(const void* image, ULong offset, SizeT size)
{
   return image == headers.image && size == sizeof(Section) && offset >= headers.start &&
          offset < headers.end && (offset - headers.start) % sizeof(Section) == 0;
}

static void hide(Section* section)
{
   if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)
      return;
   section->sh_type = SHT_NULL;
   section->sh_name = 0;
   section->sh_size = 0;
}

void __wrap_vgModuleLocal_img_get(void* to, void* image, ULong offset, SizeT size)
{
   __real_vgModuleLocal_img_get(to, image, offset, size);
   if (LIKELY(!is_hiding))
      return;
   if (is_section(image, offset, size))
      hide(to);
   else if (offset == 0 && size == sizeof(Header))
      note_header(image, to);
}

#endif
