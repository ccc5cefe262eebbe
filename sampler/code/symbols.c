/* SPDX-License-Identifier: GPL-2.0-or-later

   Symbol tables; see symbols.h.  All tables of an object become one array, sorted by
   address, with one symbol for each address.  */

#include "code/symbols.h"

#include "base/first_above.h"
#include "base/memory.h"
#include "code/debug_file.h"

#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 65536
#define MAX_OUTER 32 /* symbols that are looked at for one that contains an address */

typedef struct {
   uint64_t address, size;
   char* name;
   uint8_t rank; /* of several at an address, the lowest is kept */
} Symbol;

struct SymbolTable {
   Symbol* symbols;
   size_t count, room;
};

static void add(SymbolTable* table, Symbol symbol)
{
   if (table->count == table->room) {
      table->room = table->room ? 2 * table->room : 256;
      table->symbols = memory_reallocate(table->symbols, table->room, sizeof(Symbol));
   }
   symbol.name = memory_copy_text(symbol.name);
   table->symbols[table->count++] = symbol;
}

static bool is_code_section(Elf* elf, GElf_Section index)
{
   GElf_Shdr header;
   Elf_Scn* section = elf_getscn(elf, index);
   return section != NULL && gelf_getshdr(section, &header) != NULL &&
          (header.sh_flags & SHF_EXECINSTR) != 0;
}

/* Prefers the name that people know: functions to labels, global to weak to local
   symbols, and names without underscores in front.  */
static uint8_t rank_of(const GElf_Sym* symbol, const char* name)
{
   uint8_t rank = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 32 : 0;
   switch (GELF_ST_BIND(symbol->st_info)) {
   case STB_GLOBAL: break;
   case STB_WEAK: rank += 4; break;
   default: rank += 8; break;
   }
   return rank + (name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2);
}

static void read_section(SymbolTable* table, Elf* elf, Elf_Scn* section,
                         const GElf_Shdr* header)
{
   Elf_Data* data = elf_getdata(section, NULL);
   if (data == NULL || header->sh_entsize == 0)
      return;
   size_t count = data->d_size / sizeof(Elf64_Sym);
   for (size_t i = 0; i < count; i++) {
      GElf_Sym symbol;
      if (gelf_getsym(data, (int)i, &symbol) == NULL || symbol.st_shndx == SHN_UNDEF)
         continue;
      unsigned type = GELF_ST_TYPE(symbol.st_info);
      if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
         continue;
      const char* name = elf_strptr(elf, header->sh_link, symbol.st_name);
      if (name == NULL || name[0] == '\0' || strnlen(name, LONGEST_NAME) == LONGEST_NAME)
         continue;
      if (type == STT_NOTYPE &&
          (name[0] == '$' || (name[0] == '.' && name[1] == 'L') ||
           symbol.st_shndx >= SHN_LORESERVE || !is_code_section(elf, symbol.st_shndx)))
         continue;
      add(table,
          (Symbol){symbol.st_value, symbol.st_size, (char*)name, rank_of(&symbol, name)});
   }
}

/* Reads all tables of a file.  True if it has .symtab, which is the full one.  */
static bool read_file(SymbolTable* table, Elf* elf)
{
   bool full = false;
   for (Elf_Scn* section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == NULL ||
          (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
         continue;
      full = full || header.sh_type == SHT_SYMTAB;
      read_section(table, elf, section, &header);
   }
   return full;
}

/* PLT stubs have no symbols; a section of them becomes one.  */
static void add_stubs(SymbolTable* table, Elf* elf)
{
   size_t names;
   if (elf_getshdrstrndx(elf, &names) != 0)
      return;
   for (Elf_Scn* section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
      GElf_Shdr header;
      const char* name = gelf_getshdr(section, &header) == NULL
                            ? NULL
                            : elf_strptr(elf, names, header.sh_name);
      if (name != NULL && strncmp(name, ".plt", 4) == 0 &&
          (header.sh_flags & SHF_EXECINSTR))
         add(table, (Symbol){header.sh_addr, header.sh_size, "(plt)", 64});
   }
}

static int by_address(const void* left, const void* right)
{
   const Symbol *a = left, *b = right;
   if (a->address != b->address)
      return a->address < b->address ? -1 : 1;
   if (a->rank != b->rank)
      return a->rank < b->rank ? -1 : 1;
   if (a->size != b->size)
      return a->size > b->size ? -1 : 1;
   return strcmp(a->name, b->name);
}

static SymbolTable* read_table(Object* object)
{
   SymbolTable* table = memory_allocate(sizeof *table);
   if (object->elf == NULL)
      return table;
   if (!read_file(table, object->elf)) {
      Elf* debug = debug_file_elf(object);
      if (debug != NULL)
         read_file(table, debug);
   }
   add_stubs(table, object->elf);
   if (table->count == 0)
      return table;
   qsort(table->symbols, table->count, sizeof(Symbol), by_address);
   size_t kept = 1;
   for (size_t i = 1; i < table->count; i++) {
      if (table->symbols[i].address != table->symbols[kept - 1].address)
         table->symbols[kept++] = table->symbols[i];
      else
         free(table->symbols[i].name);
   }
   table->count = kept;
   return table;
}

const char* symbols_name(Object* object, uint64_t address, uint64_t* start)
{
   if (object->symbols == NULL)
      object->symbols = read_table(object);
   const SymbolTable* table = object->symbols;
   size_t next = first_above(table->symbols, table->count, sizeof(Symbol),
                             offsetof(Symbol, address), address);
   if (next == 0)
      return NULL;
   for (unsigned i = 0; i < MAX_OUTER && i < next; i++) {
      const Symbol* symbol = &table->symbols[next - 1 - i];
      *start = symbol->address;
      if (address - symbol->address < symbol->size)
         return symbol->name;
   }
   /* A symbol of assembler code may have no size: it reaches up to the next one.  */
   const Symbol* nearest = &table->symbols[next - 1];
   *start = nearest->address;
   return nearest->size == 0 && next < table->count ? nearest->name : NULL;
}
