/* SPDX-License-Identifier: GPL-2.0-or-later

   Objects, source files and functions; see symbols.h.

   Each kind has a hash table by name.  Functions also have an array by id, and so have
   files.  An object's ELF sections are read from its file when the object is first seen,
   because the core itself keeps only .text and one PLT section (elf_sections.h).  */

#include "guest/symbols.h"

#include "base/hash.h"
#include "base/path.h"
#include "guest/arch.h"
#include "guest/skip.h"
#include "options/allocators.h"
#include "options/options.h"
#include "options/patterns.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Entries of the tables: the core's hash table needs a link and a key in front.  */
typedef struct {
   VgHashNode node;
   Object object;
   ElfSections sections;  /* what object.sections points to */
   const HChar* resolved; /* the path without links; NULL: not asked, or too long */
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
static XArray* files_by_id;     /* of SourceFile* */

static UInt n_objects;
static UInt n_files;

static Object* no_object;
static SourceFile* no_file;
static Function* skipped_function;

/* When there are as many functions as there may be, all further ones of a kind are
   counted as one, so that the profile is not lost.  These shared functions are in no
   table, and are made when they are first needed.  The last one is for unbounded
   code.  */
#define SHARED_UNBOUNDED FUNCTION_KINDS
#define N_SHARED (FUNCTION_KINDS + 1)
static Function* shared_functions[N_SHARED];

/* The largest id of a function that is not shared; leaves room for those that are.  */
static UInt max_own_id;

/*--------------------------------------------------------------------*/
/* Objects and files                                                   */

static Word compare_objects(const void* a, const void* b)
{
   return VG_(strcmp)(((const ObjectEntry*)a)->object.path,
                      ((const ObjectEntry*)b)->object.path);
}

static Word compare_files(const void* a, const void* b)
{
   return VG_(strcmp)(((const FileEntry*)a)->file.path, ((const FileEntry*)b)->file.path);
}

/* A new entry, zeroed but for its key.  */
static void* add_entry(VgHashTable* table, UWord key, const HChar* heap_name, SizeT size)
{
   VgHashNode* entry = VG_(calloc)(heap_name, 1, size);
   entry->key = key;
   VG_(HT_add_node)(table, entry);
   return entry;
}

/* Whose objects copy stacks.  Python calls its extension modules by their own names, with
   more before and behind: `_greenlet.cpython-311-x86_64-linux-gnu.so`.  */
#define COPIER_OF_STACKS "greenlet"

static Bool has_copier_of_stacks;

Bool symbols_stacks_may_be_copied(void) { return has_copier_of_stacks; }

static Bool copies_stacks(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return VG_(strstr)(slash != NULL ? slash : path, COPIER_OF_STACKS) != NULL;
}

Object* symbols_find_object(const HChar* path)
{
   ObjectEntry sought;
   sought.node.key = hash_text(path);
   sought.object.path = path;
   ObjectEntry* entry = VG_(HT_gen_lookup)(objects, &sought, compare_objects);
   return entry != NULL ? &entry->object : NULL;
}

Object* symbols_intern_object(const HChar* path)
{
   Object* known = symbols_find_object(path);
   if (known != NULL)
      return known;
   ObjectEntry* entry =
      add_entry(objects, hash_text(path), "symbols.object", sizeof *entry);
   Object* object = &entry->object;
   object->path = VG_(strdup)("symbols.path", path);
   object->id = n_objects++;
   object->sections = &entry->sections;
   /* The first one is "???", which is no file.  */
   if (no_object != NULL) {
      entry->sections = elf_sections_read(path);
      object->build_id = entry->sections.build_id;
      object->is_skipped = skip_object(path);
      has_copier_of_stacks |= copies_stacks(path);
   }
   return object;
}

SourceFile* symbols_intern_file(const HChar* path)
{
   FileEntry sought;
   sought.node.key = hash_text(path);
   sought.file.path = path;
   FileEntry* entry = VG_(HT_gen_lookup)(files, &sought, compare_files);
   if (entry != NULL)
      return &entry->file;
   entry = add_entry(files, sought.node.key, "symbols.file", sizeof *entry);
   SourceFile* file = &entry->file;
   file->path = VG_(strdup)("symbols.path", path);
   file->id = n_files++;
   VG_(addToXA)(files_by_id, &file);
   return file;
}

Object* symbols_no_object(void) { return no_object; }

SourceFile* symbols_no_file(void) { return no_file; }

Bool symbols_is_object(const Object* object) { return object != no_object; }

Bool symbols_is_file(const SourceFile* file) { return file != no_file; }

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

/*--------------------------------------------------------------------*/
/* Functions                                                           */

static Word compare_functions(const void* a, const void* b)
{
   const Function* f = &((const FunctionEntry*)a)->function;
   const Function* g = &((const FunctionEntry*)b)->function;
   return f->object != g->object || f->file != g->file || VG_(strcmp)(f->name, g->name);
}

/* The first call through a lazily bound PLT slot enters one of these in ld.so.  It ends
   with a jump to the function that was called.  */
static Bool is_resolver_name(const HChar* name)
{
   return VG_(strncmp)(name, "_dl_runtime_resolve", 19) == 0 ||
          VG_(strncmp)(name, "_dl_runtime_profile", 19) == 0;
}

/* The effects that options give to functions of this name.  */
static UInt effects_of(const HChar* name)
{
   return (patterns_match(options.toggle_collect, name) ? FunctionToggles : 0) |
          (patterns_match(options.dump_before, name) ? FunctionDumpsBefore : 0) |
          (patterns_match(options.dump_after, name) ? FunctionDumpsAfter : 0) |
          (patterns_match(options.zero_before, name) ? FunctionZeroesBefore : 0);
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

static FunctionKind kind_of(const Object* object, const HChar* name)
{
   if (object->is_skipped || skip_function(name))
      return FunctionSkipped;
   if (is_resolver_name(name))
      return FunctionResolver;
   /* Compilers call or jump through thunks instead of using an indirect branch or a
      return.  They are stubs, like those of the PLT.  */
   return arch_is_thunk_name(name) ? FunctionPlt : FunctionVisible;
}

/* Fills a zeroed record and gives it the next id.  Takes over `name`.  */
static Function* init_function(Function* function, Object* object, SourceFile* file,
                               const HChar* name, FunctionKind kind)
{
   function->object = object;
   function->file = file;
   function->name = name;
   function->id = (UInt)VG_(sizeXA)(functions_by_id);
   if (object->first_function == 0)
      object->first_function = function->id;
   function->kind = kind;
   function->effects = effects_of(name);
   function->n_recursions =
      patterns_number(options.separate_recursions_of, name, options.separate_recursions);
   function->n_callers =
      patterns_number(options.separate_callers_of, name, options.separate_callers);
   function->group = patterns_number(options.function_groups, name, 0);
   function->allocator = options.collect_alloc ? allocators_find(name) : 0;
   function->entry = SYMBOLS_NO_ENTRY;
   VG_(addToXA)(functions_by_id, &function);
   return function;
}

/* `which` is a FunctionKind or SHARED_UNBOUNDED.  */
static Function* shared_function(UInt which)
{
   if (shared_functions[which] != NULL)
      return shared_functions[which];
   static Bool warned;
   if (!warned)
      VG_(umsg)("Warning: more than %u functions: all further ones are counted as one, "
                "'(too many functions)'\n",
                max_own_id);
   warned = True;
   Function* function = VG_(calloc)("symbols.function", 1, sizeof *function);
   init_function(function, no_object, no_file,
                 VG_(strdup)("symbols.name", "(too many functions)"),
                 which == SHARED_UNBOUNDED ? FunctionVisible : (FunctionKind)which);
   function->is_unbounded = which == SHARED_UNBOUNDED;
   function->is_shared = True;
   return shared_functions[which] = function;
}

Function* symbols_intern_function(Object* object, SourceFile* file, const HChar* name)
{
   FunctionEntry* entry = find_function(object, file, name);
   if (entry != NULL)
      return &entry->function;
   FunctionKind kind = kind_of(object, name);
   if (VG_(sizeXA)(functions_by_id) > max_own_id)
      return shared_function(kind);
   entry = add_entry(functions, hash_function(object, file, name), "symbols.function",
                     sizeof *entry);
   return init_function(&entry->function, object, file, VG_(strdup)("symbols.name", name),
                        kind);
}

Function* symbols_as_stub(Function* function)
{
   if (function->is_shared)
      return shared_function(FunctionPlt);
   function->kind = FunctionPlt;
   return function;
}

Function* symbols_as_unbounded(Function* function)
{
   if (function->is_shared)
      return function->kind == FunctionVisible ? shared_function(SHARED_UNBOUNDED)
                                               : function;
   function->is_unbounded = True;
   return function;
}

Function* symbols_jit_function(const HChar* name)
{
   Function* function =
      symbols_as_unbounded(symbols_intern_function(no_object, no_file, name));
   function->has_jit_name = !function->is_shared;
   return function;
}

void symbols_rename_jit_function(Function* function, const HChar* name, Addr entry)
{
   const HChar* old = function->name;
   FunctionEntry* renamed = find_function(function->object, function->file, old);
   VG_(HT_gen_remove)(functions, renamed, compare_functions);
   function->has_jit_name = True;
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

/* Is anything skipped now that was not before?  */
static Bool skip_objects_by_last(void)
{
   Bool is_any = False;
   ObjectEntry* entry;
   VG_(HT_ResetIter)(objects);
   while ((entry = VG_(HT_Next)(objects)) != NULL) {
      Object* object = &entry->object;
      if (object == no_object)
         continue;
      if (entry->resolved == NULL)
         entry->resolved = path_resolve(object->path);
      if (skip_by_last(object->path, entry->resolved) && !object->is_skipped)
         is_any = object->is_skipped = True;
   }
   return is_any;
}

Bool symbols_apply_last_skip(void)
{
   if (!skip_objects_by_last())
      return False;
   for (UInt id = 1; id <= symbols_n_functions(); id++) {
      Function* function = symbols_function(id);
      if (function->kind == FunctionVisible &&
          (function->object->is_skipped || skip_function(function->name)))
         function->kind = FunctionSkipped;
   }
   return True;
}

Bool symbols_is_jit_function(const Function* function)
{
   return function->is_unbounded && function->object == no_object;
}

Bool symbols_is_unnamed_jit_function(const Function* function)
{
   return symbols_is_jit_function(function) && !function->has_jit_name;
}

Function* symbols_skipped_function(void) { return skipped_function; }

UInt symbols_n_functions(void) { return (UInt)VG_(sizeXA)(functions_by_id) - 1; }

Function* symbols_function(UInt id)
{
   return *(Function**)VG_(indexXA)(functions_by_id, id);
}

/*--------------------------------------------------------------------*/

void symbols_init(void)
{
   max_own_id = SYMBOLS_MAX_FUNCTION_ID - N_SHARED;
   if (options.max_functions < max_own_id)
      max_own_id = options.max_functions;
   objects = VG_(HT_construct)("symbols.objects");
   files = VG_(HT_construct)("symbols.files");
   files_by_id =
      VG_(newXA)(VG_(malloc), "symbols.files_by_id", VG_(free), sizeof(SourceFile*));
   functions = VG_(HT_construct)("symbols.functions");
   functions_by_id =
      VG_(newXA)(VG_(malloc), "symbols.by_id", VG_(free), sizeof(Function*));
   Function* none = NULL;
   VG_(addToXA)(functions_by_id, &none);
   no_object = symbols_intern_object("???");
   no_file = symbols_intern_file("???");
   skipped_function = symbols_intern_function(
      no_object, symbols_intern_file("(callgrind-internal)"), "(skipped)");
}
