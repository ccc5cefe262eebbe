/* SPDX-License-Identifier: GPL-2.0-or-later

   See redirections.h.  Names are sought in the tables of strings of the symbols, which
   are looked through in pieces: they may be large.  */

#include "guest/elf/redirections.h"

#include "guest/elf/elf_file.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"

/* _vgr and _vgw: replaces and wraps.  _vgn: is known to the core.  */
#define NAME "_vg"
enum { NameLength = 3, KindLength = 1, Overlap = NameLength + KindLength - 1 };

enum { Piece = 64 * 1024 };

static Redirections worse(Redirections one, Redirections other)
{
   return one > other ? one : other;
}

/* What the name says whose fourth character is `kind`.  */
static Redirections by_kind(UChar kind)
{
   return kind == 'r' || kind == 'w' ? RedirectionsOfAll
          : kind == 'n'              ? RedirectionsHere
                                     : NoRedirections;
}

/* Each third byte is looked at: one of them is in the name, wherever that begins.  */
static Redirections look_through(const UChar* text, UInt size)
{
   Redirections found = NoRedirections;
   for (UInt i = NameLength - 1; i + KindLength < size; i += NameLength) {
      if (LIKELY(text[i] != '_' && text[i] != 'v' && text[i] != 'g'))
         continue;
      for (UInt start = i + 1 - NameLength; start <= i; start++)
         if (start + NameLength < size &&
             VG_(memcmp)(text + start, NAME, NameLength) == 0)
            found = worse(found, by_kind(text[start + NameLength]));
   }
   return found;
}

static Redirections look_through_strings(Int fd, const SectionHeader* strings)
{
   static UChar piece[Overlap + Piece];
   Redirections found = NoRedirections;
   UInt kept = 0; /* of the piece before */
   if (VG_(lseek)(fd, (Off64T)strings->sh_offset, VKI_SEEK_SET) < 0)
      return RedirectionsHere;
   for (ULong left = strings->sh_size; left > 0 && found != RedirectionsOfAll;) {
      const Int got =
         VG_(read)(fd, piece + kept, (Int)(left < Piece ? left : (ULong)Piece));
      if (got <= 0)
         return worse(found, RedirectionsHere);
      left -= (ULong)got;
      const UInt size = kept + (UInt)got;
      found = worse(found, look_through(piece, size));
      kept = size < Overlap ? size : (UInt)Overlap;
      VG_(memmove)(piece, piece + size - kept, kept);
   }
   return found;
}

/*--------------------------------------------------------------------*/
/* The dynamic linker                                                  */

static const SectionHeader* strings_of(const ElfFile* file, const SectionHeader* header)
{
   return header->sh_link < file->n_headers ? &file->headers[header->sh_link] : NULL;
}

static Bool has_name(const ElfFile* file, const SectionHeader* strings, ULong at,
                     const HChar* name)
{
   const UInt length = VG_(strlen)(name);
   HChar* bytes = elf_file_bytes(file->fd, file->size, strings->sh_offset + at, length);
   const Bool is_same = bytes != NULL && VG_(memcmp)(bytes, name, length) == 0;
   VG_(free)(bytes);
   return is_same;
}

/* The dynamic linker of glibc calls itself so.  */
static Bool is_dynamic_linker(const ElfFile* file, const SectionHeader* dynamic)
{
   const SectionHeader* strings = strings_of(file, dynamic);
   ElfEntry* entries =
      elf_file_bytes(file->fd, file->size, dynamic->sh_offset, dynamic->sh_size);
   if (strings == NULL || entries == NULL)
      return True; /* there is more that cannot be read */
   Bool is_linker = False;
   for (UInt i = 0; i < dynamic->sh_size / sizeof *entries; i++)
      is_linker |= entries[i].d_tag == DT_SONAME &&
                   has_name(file, strings, entries[i].d_un.d_val, "ld-linux");
   VG_(free)(entries);
   return is_linker;
}

/*--------------------------------------------------------------------*/

static Redirections of_section(const ElfFile* file, const SectionHeader* header)
{
   const SectionHeader* strings;
   switch (header->sh_type) {
   case SHT_DYNAMIC:
      return is_dynamic_linker(file, header) ? RedirectionsHere : NoRedirections;
   case SHT_SYMTAB:
   case SHT_DYNSYM:
      strings = strings_of(file, header);
      return strings != NULL ? look_through_strings(file->fd, strings) : RedirectionsHere;
   default: return NoRedirections;
   }
}

Redirections redirections_of(const HChar* path)
{
   ElfFile file;
   Redirections found = NoRedirections;
   if (!elf_file_open(path, &file))
      return RedirectionsHere;
   for (UInt i = 0; i < file.n_headers && found != RedirectionsOfAll; i++)
      found = worse(found, of_section(&file, &file.headers[i]));
   elf_file_close(&file);
   return found;
}
