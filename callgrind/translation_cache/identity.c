/* SPDX-License-Identifier: GPL-2.0-or-later

   See identity.h.

   Relies on the linker: it puts a build-id into the tool, a hash of all that it consists
   of, and defines the address of the ELF header, from which the note that holds the
   build-id is found.  */

#include "translation_cache/identity.h"

#include "base/hash.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_options.h"

#include <elf.h>

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

#define FORMAT "callgrind-exact translations 1"

/* The build-id among the notes [at, end); NULL if it is not there.  */
static const Elf64_Nhdr* build_id_among(const UChar* at, const UChar* end)
{
   while (at + sizeof(Elf64_Nhdr) <= end) {
      const Elf64_Nhdr* note = (const Elf64_Nhdr*)at;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU)
         return note;
      at += sizeof *note + VG_ROUNDUP(note->n_namesz, 4) + VG_ROUNDUP(note->n_descsz, 4);
   }
   return NULL;
}

static const Elf64_Nhdr* own_build_id(void)
{
   const UChar* image = (const UChar*)&__ehdr_start;
   if (image == NULL)
      return NULL;
   const Elf64_Phdr* segments = (const Elf64_Phdr*)(image + __ehdr_start.e_phoff);
   for (UInt i = 0; i < __ehdr_start.e_phnum; i++)
      if (segments[i].p_type == PT_NOTE) {
         const UChar* notes = (const UChar*)segments[i].p_vaddr;
         const Elf64_Nhdr* found = build_id_among(notes, notes + segments[i].p_memsz);
         if (found != NULL)
            return found;
      }
   return NULL;
}

static SizeT size_of(const Elf64_Nhdr* note)
{
   return sizeof *note + VG_ROUNDUP(note->n_namesz, 4) + note->n_descsz;
}

Bool identity_of_build(ULong* identity)
{
   const Elf64_Nhdr* note = own_build_id();
   if (note == NULL)
      return False;
   identity[0] = hash_checksum(0, note, size_of(note));
   identity[1] = hash_checksum(~identity[0], note, size_of(note));
   return True;
}

Bool identity_find(const VexTranslateArgs* arguments, ULong* identity)
{
   const Elf64_Nhdr* note = own_build_id();
   if (note == NULL)
      return False;
   VexControl control = VG_(clo_vex_control);
   control.guest_chase = False;
   control.iropt_register_updates_default = VexRegUpdSpAtMemAccess;
   ULong sum = hash_checksum(0, FORMAT, sizeof FORMAT);
   sum = hash_checksum(sum, note, size_of(note));
   sum = hash_checksum(sum, &control, sizeof control);
   sum = hash_checksum(sum, &arguments->abiinfo_both, sizeof arguments->abiinfo_both);
   sum = hash_checksum(sum, &arguments->arch_guest, sizeof arguments->arch_guest);
   sum = hash_checksum(sum, &arguments->archinfo_guest.hwcaps,
                       sizeof arguments->archinfo_guest.hwcaps);
   sum = hash_checksum(sum, &arguments->archinfo_host.hwcaps,
                       sizeof arguments->archinfo_host.hwcaps);
   identity[0] = sum;
   identity[1] = hash_checksum(~sum, note, sizeof *note + note->n_descsz);
   return True;
}
