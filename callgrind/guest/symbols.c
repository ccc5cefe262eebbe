/* SPDX-License-Identifier: GPL-2.0-or-later

   Guest address -> object, function, source line; see symbols.h.

   Owns all names.  The core's look-up functions return storage that the next
   call overwrites, and cost a search each, so this is asked once for each
   superblock translated and the answers are interned.

   An object's ELF sections are read from its file when the object is first
   seen (elf_sections.c): the core itself knows only .text and one PLT section
   of it.  */

#include "guest/symbols.h"

#include "guest/call_bytes.h"
#include "guest/elf_sections.h"
#include "guest/skip.h"
#include "options/options.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Table entries: the core's hash table wants a link and a key in front.  */
typedef struct {
   VgHashNode node;
   Object object;
   ElfSections sections;
} ObjectEntry;

typedef struct {
   VgHashNode node;
   SourceFile file;
} FileEntry;

typedef struct {
   VgHashNode node;
   Function function;
} FunctionEntry;

static VgHashTable* objects;    /* path -> ObjectEntry */
static VgHashTable* files;      /* path -> FileEntry */
static VgHashTable* functions;  /* object, file, name -> FunctionEntry */
static XArray* functions_by_id; /* of Function*; index 0 is NULL */

static ObjectEntry* no_object;
static FileEntry* no_file;
static Function* skipped_function;

static UInt n_objects;
static UInt n_files;
static XArray* files_by_id; /* of SourceFile* */

/* Counts the states of the address space.  */
static UInt mapping_epoch = 1;
static Function* last_function; /* found last; neighbours are asked about next */

/* The last mapping asked about; almost every question is about it again.  */
static struct {
   Addr start, end; /* inclusive; start > end: nothing cached */
   ULong offset;
   ObjectEntry* object;
} last_mapping = {1, 0, 0, NULL};

/* FNV-1a: short, and good enough on names that share long prefixes.  */
static UWord hash_text(const HChar* text)
{
   UWord hash = (UWord)0xcbf29ce484222325ULL;
   for (; *text != '\0'; text++)
      hash = (hash ^ (UChar)*text) * (UWord)0x100000001b3ULL;
   return hash;
}

static Word compare_objects(const void* a, const void* b)
{
   return VG_(strcmp)(((const ObjectEntry*)a)->object.path,
                      ((const ObjectEntry*)b)->object.path);
}

static Word compare_files(const void* a, const void* b)
{
   return VG_(strcmp)(((const FileEntry*)a)->file.path, ((const FileEntry*)b)->file.path);
}

static Word compare_functions(const void* a, const void* b)
{
   const Function* f = &((const FunctionEntry*)a)->function;
   const Function* g = &((const FunctionEntry*)b)->function;
   return f->object != g->object || f->file != g->file || VG_(strcmp)(f->name, g->name);
}

/* A new entry, zeroed but for its key.  */
static void* add_entry(VgHashTable* table, UWord key, const HChar* heap_name, SizeT size)
{
   VgHashNode* entry = VG_(calloc)(heap_name, 1, size);
   entry->key = key;
   VG_(HT_add_node)(table, entry);
   return entry;
}

static ObjectEntry* intern_object(const HChar* path, Bool is_real)
{
   ObjectEntry sought;
   sought.node.key = hash_text(path);
   sought.object.path = path;
   ObjectEntry* entry = VG_(HT_gen_lookup)(objects, &sought, compare_objects);
   if (entry != NULL)
      return entry;
   entry = add_entry(objects, sought.node.key, "symbols.object", sizeof *entry);
   entry->object.path = VG_(strdup)("symbols.path", path);
   entry->object.id = n_objects++;
   if (is_real) {
      entry->sections = elf_sections_read(path);
      entry->object.build_id = entry->sections.build_id;
      entry->object.is_skipped = skip_object(path);
   }
   return entry;
}

static FileEntry* intern_file(const HChar* path)
{
   FileEntry sought;
   sought.node.key = hash_text(path);
   sought.file.path = path;
   FileEntry* entry = VG_(HT_gen_lookup)(files, &sought, compare_files);
   if (entry != NULL)
      return entry;
   entry = add_entry(files, sought.node.key, "symbols.file", sizeof *entry);
   entry->file.path = VG_(strdup)("symbols.path", path);
   entry->file.id = n_files++;
   SourceFile* file = &entry->file;
   VG_(addToXA)(files_by_id, &file);
   return entry;
}

/* ld.so enters these on the first call through a lazily bound PLT slot, and
   leaves them by a jump to the function that was called.  */
static Bool is_resolver_name(const HChar* name)
{
   return VG_(strncmp)(name, "_dl_runtime_resolve", 19) == 0 ||
          VG_(strncmp)(name, "_dl_runtime_profile", 19) == 0;
}

/* What options have to say about the function of this name.  */
static UInt effects_of(const HChar* name)
{
   return (options_match(options.toggle_collect, name) ? FunctionToggles : 0) |
          (options_match(options.dump_before, name) ? FunctionDumpsBefore : 0) |
          (options_match(options.dump_after, name) ? FunctionDumpsAfter : 0) |
          (options_match(options.zero_before, name) ? FunctionZeroesBefore : 0);
}

/* Compilers call or jump through these where the processor must not guess where an
   indirect branch or a return goes (-mindirect-branch=thunk): stubs, like the PLT's.  */
static Bool is_thunk_name(const HChar* name)
{
   return VG_(strncmp)(name, "__x86_indirect_thunk", 20) == 0 ||
          VG_(strncmp)(name, "__x86_return_thunk", 18) == 0 ||
          VG_(strncmp)(name, "__llvm_retpoline_", 17) == 0;
}

static UWord hash_function(const Object* object, const SourceFile* file,
                           const HChar* name)
{
   return hash_text(name) ^ (UWord)object ^ ((UWord)file << 1);
}

static FunctionEntry* find_function(Object* object, SourceFile* file, const HChar* name)
{
   FunctionEntry sought;
   sought.node.key = hash_function(object, file, name);
   sought.function.object = object;
   sought.function.file = file;
   sought.function.name = name;
   return VG_(HT_gen_lookup)(functions, &sought, compare_functions);
}

static Function* intern_function(Object* object, SourceFile* file, const HChar* name)
{
   FunctionEntry* entry = find_function(object, file, name);
   if (entry != NULL)
      return &entry->function;
   entry = add_entry(functions, hash_function(object, file, name), "symbols.function",
                     sizeof *entry);
   Function* function = &entry->function;
   function->object = object;
   function->file = file;
   function->name = VG_(strdup)("symbols.name", name);
   function->id = (UInt)VG_(sizeXA)(functions_by_id);
   if (object->is_skipped || skip_function(name))
      function->kind = FunctionSkipped;
   else if (is_resolver_name(name))
      function->kind = FunctionResolver;
   else if (is_thunk_name(name))
      function->kind = FunctionPlt;
   tl_assert2(function->id <= SYMBOLS_MAX_FUNCTION_ID, "too many functions");
   function->effects = effects_of(name);
   function->n_recursions =
      options_number(options.separate_recursions_of, name, options.separate_recursions);
   function->n_callers =
      options_number(options.separate_callers_of, name, options.separate_callers);
   function->group = options_number(options.function_groups, name, 0);
   function->entry = SYMBOLS_NO_ENTRY;
   VG_(addToXA)(functions_by_id, &function);
   return function;
}

void symbols_init(void)
{
   objects = VG_(HT_construct)("symbols.objects");
   files = VG_(HT_construct)("symbols.files");
   files_by_id =
      VG_(newXA)(VG_(malloc), "symbols.files_by_id", VG_(free), sizeof(SourceFile*));
   functions = VG_(HT_construct)("symbols.functions");
   functions_by_id =
      VG_(newXA)(VG_(malloc), "symbols.by_id", VG_(free), sizeof(Function*));
   Function* none = NULL;
   VG_(addToXA)(functions_by_id, &none);
   no_object = intern_object("???", False);
   no_file = intern_file("???");
   skipped_function = intern_function(
      &no_object->object, &intern_file("(callgrind-internal)")->file, "(skipped)");
}

/* Fills last_mapping with the mapping that holds `address`.  */
static void find_mapping(Addr address)
{
   if (address >= last_mapping.start && address <= last_mapping.end)
      return;
   const NSegment* segment = VG_(am_find_nsegment)(address);
   if (segment == NULL) {
      last_mapping.start = last_mapping.end = address;
      last_mapping.object = no_object;
      return;
   }
   last_mapping.start = segment->start;
   last_mapping.end = segment->end;
   last_mapping.offset = (ULong)segment->offset;
   last_mapping.object = no_object;
   if (segment->kind == SkFileC || segment->kind == SkFileV) {
      const HChar* path = VG_(am_get_filename)(segment);
      if (path == NULL)
         return;
      last_mapping.object = intern_object(path, True);
      if (segment->hasX)
         mappings_note(&last_mapping.object->object.mappings, segment->start,
                       segment->end - segment->start + 1, last_mapping.offset);
   }
}

void symbols_forget_ranges(void)
{
   last_mapping.start = 1;
   last_mapping.end = 0;
   mapping_epoch++;
   last_function = NULL;
}

/* Remembers where a function begins: the first of several that share its record.  */
static void learn_entry(Function* function, Addr entry, UInt line)
{
   if (function->entry != SYMBOLS_NO_ENTRY || !symbols_is_object(function->object))
      return;
   find_mapping(entry);
   if (&last_mapping.object->object != function->object)
      return;
   function->entry = entry - last_mapping.start + last_mapping.offset;
   function->line = line;
}

/* Remembers that [start, address] belongs to `function`.  */
static void learn_range(Function* function, Addr start, Addr address)
{
   if (function->known_epoch != mapping_epoch || function->known_start != start) {
      function->known_epoch = mapping_epoch;
      function->known_start = start;
      function->known_last = address;
   } else if (address > function->known_last)
      function->known_last = address;
   last_function = function;
}

static Bool in_known_range(const Function* function, Addr address)
{
   return function != NULL && function->known_epoch == mapping_epoch &&
          address >= function->known_start && address <= function->known_last;
}

Place symbols_place_of(Addr address)
{
   find_mapping(address);
   ObjectEntry* entry = last_mapping.object;
   Place place = {&entry->object, address, False};
   if (entry == no_object)
      return place;

   ULong file_offset = address - last_mapping.start + last_mapping.offset;
   const ElfSection* section = elf_sections_find(&entry->sections, file_offset);
   if (section != NULL) {
      place.file_address = section->address + (Addr)(file_offset - section->file_offset);
      place.is_plt = section->is_plt;
      return place;
   }
   /* No section headers (sstrip): the core's own idea of the load bias.  */
   DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
   if (info != NULL)
      place.file_address = address - (Addr)VG_(DebugInfo_get_text_bias)(info);
   place.is_plt = VG_(DebugInfo_sect_kind)(NULL, address) == Vg_SectPLT;
   return place;
}

SourceLine symbols_line_of(Addr address)
{
   static HChar* path; /* grown as needed, never shrunk */
   static SizeT path_size;
   static FileEntry* last;

   const HChar *name, *directory;
   SourceLine result = {&no_file->file, 0, NULL};
   UInt line;
   if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), address, &name, &directory,
                                  &line))
      return result;
   SizeT needed = VG_(strlen)(directory) + VG_(strlen)(name) + 2;
   if (needed > path_size) {
      path_size = needed * 2;
      path = VG_(realloc)("symbols.path", path, path_size);
   }
   if (directory[0] != '\0')
      VG_(sprintf)(path, "%s/%s", directory, name);
   else
      VG_(strcpy)(path, name);
   if (last == NULL || VG_(strcmp)(last->file.path, path) != 0)
      last = intern_file(path);
   result.file = &last->file;
   result.line = line;
   result.inlined = inlined_at(address);
   return result;
}

/* The core can print an address as "name+offset".  Its offset alone is not on
   offer, so it is read back from there.  */
static Addr symbol_start(Addr address, SizeT name_length)
{
   const HChar* text;
   if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), address, &text))
      return address;
   if (VG_(strlen)(text) <= name_length + 1 || text[name_length] != '+')
      return address;
   HChar* end;
   Long offset = VG_(strtoll10)(text + name_length + 1, &end);
   return *end == '\0' && offset > 0 ? address - (Addr)offset : address;
}

/* Names `place`, which lies at `entry` in memory, as nameless code is named, with `suffix`
   behind.  */
static Function* named_by_address(Addr entry, const Place* place, const HChar* suffix)
{
   HChar name[64];
   VG_(snprintf)(name, sizeof name, "0x%016llx%s", (ULong)place->file_address, suffix);
   Function* function = intern_function(place->object, &no_file->file, name);
   learn_entry(function, entry, 0);
   return function;
}

static void set_stub_if_thunk(Function* function, Addr start)
{
   if (function->kind == FunctionVisible && call_bytes_is_thunk(start))
      function->kind = FunctionPlt;
}

/* The function that call frame information knows at `place`.  */
static Function* nameless_function(Addr address, const Place* place)
{
   if (place->object == &no_object->object)
      return NULL;
   find_mapping(address);
   const FunctionExtent* extent = elf_sections_function(
      &last_mapping.object->sections, place->object->path, place->file_address);
   if (extent == NULL)
      return NULL;
   Place entry = *place;
   entry.file_address = extent->start;
   Addr start = address - (place->file_address - extent->start);
   Function* function = named_by_address(start, &entry, "");
   set_stub_if_thunk(function, start);
   learn_range(function, start, start + (extent->end - extent->start) - 1);
   return function;
}

Function* symbols_function_of(Addr address, const Place* place)
{
   if (place->is_plt) {
      Function* stub = named_by_address(address, place, " [PLT]");
      if (options.skip_plt)
         stub->kind = FunctionPlt;
      return stub;
   }

   if (in_known_range(last_function, address))
      return last_function;

   const HChar* found;
   if (!VG_(get_fnname)(VG_(current_DiEpoch)(), address, &found) || found[0] == '\0')
      return nameless_function(address, place);
   HChar* name = VG_(strdup)("symbols.temporary", found);
   /* Its file is that of its first instruction, whichever of its superblocks
      is seen first: later ones may begin in inlined code.  */
   Addr start = symbol_start(address, VG_(strlen)(name));
   SourceLine line = symbols_line_of(start);
   Function* function = intern_function(place->object, line.file, name);
   VG_(free)(name);
   learn_entry(function, start, line.line);
   learn_range(function, start, address);
   return function;
}

Bool symbols_is_inside(const Function* function, Addr address)
{
   if (in_known_range(function, address))
      return True;
   Place place = symbols_place_of(address);
   return symbols_function_of(address, &place) == function;
}

Bool symbols_is_start(const Function* function, Addr address)
{
   if (function->is_unbounded)
      return True; /* as far as anybody knows */
   /* Several may share one record: a class's destructors have one name.  */
   if (!in_known_range(function, address)) {
      Place place = symbols_place_of(address);
      (void)symbols_function_of(address, &place); /* learns the range anew */
   }
   return function->known_start == address;
}

Function* symbols_unbounded_function(Addr address, const Place* place)
{
   Function* function = named_by_address(address, place, "");
   function->is_unbounded = True;
   set_stub_if_thunk(function, address);
   return function;
}

Function* symbols_jit_function(const HChar* name)
{
   Function* function = intern_function(&no_object->object, &no_file->file, name);
   function->is_unbounded = True;
   return function;
}

void symbols_rename_jit_function(Function* function, const HChar* name, Addr entry)
{
   const HChar* old = function->name;
   FunctionEntry* renamed = find_function(function->object, function->file, old);
   VG_(HT_gen_remove)(functions, renamed, compare_functions);
   if (find_function(function->object, function->file, name) == NULL)
      function->name = VG_(strdup)("symbols.name", name);
   else {
      SizeT size = VG_(strlen)(name) + 32;
      HChar* distinct = VG_(malloc)("symbols.name", size);
      VG_(snprintf)(distinct, (Int)size, "%s [0x%016llx]", name, (ULong)entry);
      function->name = distinct;
   }
   renamed->node.key = hash_function(function->object, function->file, function->name);
   VG_(HT_add_node)(functions, renamed);
   VG_(free)((HChar*)old);
}

void symbols_apply_skips(void)
{
   VG_(HT_ResetIter)(objects);
   ObjectEntry* entry;
   while ((entry = VG_(HT_Next)(objects)) != NULL)
      if (entry != no_object)
         entry->object.is_skipped = skip_object(entry->object.path);
   for (UInt id = 1; id <= symbols_n_functions(); id++) {
      Function* function = symbols_function(id);
      if (function->kind == FunctionVisible &&
          (function->object->is_skipped || skip_function(function->name)))
         function->kind = FunctionSkipped;
   }
}

Bool symbols_is_jit_function(const Function* function)
{
   return function->is_unbounded && function->object == &no_object->object;
}

Bool symbols_is_jit_code(const Place* place)
{
   return place->object == &no_object->object;
}

Bool symbols_is_object(const Object* object) { return object != &no_object->object; }

Bool symbols_is_file(const SourceFile* file) { return file != &no_file->file; }

Function* symbols_skipped_function(void) { return skipped_function; }

UInt symbols_n_objects(void) { return n_objects; }

UInt symbols_n_files(void) { return n_files; }

StoredLine symbols_store_line(const SourceLine* line)
{
   return (StoredLine){line->file->id, line->line,
                       line->inlined != NULL ? line->inlined->id + 1 : 0};
}

SourceLine symbols_stored_line(const StoredLine* line)
{
   return (SourceLine){*(SourceFile**)VG_(indexXA)(files_by_id, line->file), line->line,
                       line->inlined > 0 ? inlined_by_id(line->inlined - 1) : NULL};
}

UInt symbols_n_functions(void) { return (UInt)VG_(sizeXA)(functions_by_id) - 1; }

Function* symbols_function(UInt id)
{
   return *(Function**)VG_(indexXA)(functions_by_id, id);
}
