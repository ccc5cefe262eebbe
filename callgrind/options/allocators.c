/* SPDX-License-Identifier: GPL-2.0-or-later

   See allocators.h.  The names are those of the libraries' documentation, and the symbols
   that these have for them: malloc(3), C++ [new.delete], jemalloc(3), the headers of
   mimalloc and gperftools, Rust's core::alloc, Python's C API "Memory Management",
   Ruby's (whose functions are macros for ruby_x*), and Go's runtime.

   Functions that allocate by calling one of these need no row: strdup(), asprintf().  */

#include "options/allocators.h"

#include "base/pattern.h"
#include "options/options.h"
#include "options/patterns.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#define ALLOCATES(name, size) {name, size, 0, 0, 0, ArgumentsOfC, False}
#define ALLOCATES_MANY(name, count, size) {name, size, count, 0, 0, ArgumentsOfC, False}
#define RESIZES(name, old, size) {name, size, 0, old, 0, ArgumentsOfC, False}
#define RESIZES_MANY(name, old, count, size)                                             \
   {name, size, count, old, 0, ArgumentsOfC, False}
#define PUTS(name, out, size) {name, size, 0, 0, out, ArgumentsOfC, False}
#define FREES(name, old) {name, 0, 0, old, 0, ArgumentsOfC, False}

/* clang-format off */
static const Allocator of_c[] = {
   ALLOCATES("malloc", 1), ALLOCATES("__libc_malloc", 1), ALLOCATES("__malloc", 1),
   ALLOCATES("__libc_malloc_impl", 1), /* musl */
   ALLOCATES_MANY("calloc", 1, 2), ALLOCATES_MANY("__libc_calloc", 1, 2),
   ALLOCATES_MANY("__calloc", 1, 2),
   RESIZES("realloc", 1, 2), RESIZES("__libc_realloc", 1, 2), RESIZES("__realloc", 1, 2),
   RESIZES_MANY("reallocarray", 1, 2, 3), RESIZES_MANY("__libc_reallocarray", 1, 2, 3),
   ALLOCATES("aligned_alloc", 2), ALLOCATES("__libc_aligned_alloc", 2),
   ALLOCATES("memalign", 2), ALLOCATES("__libc_memalign", 2),
   PUTS("posix_memalign", 1, 3), PUTS("__posix_memalign", 1, 3),
   ALLOCATES("valloc", 1), ALLOCATES("__libc_valloc", 1),
   ALLOCATES("pvalloc", 1), ALLOCATES("__libc_pvalloc", 1),
   FREES("free", 1), FREES("__libc_free", 1), FREES("__free", 1), FREES("cfree", 1),
   FREES("free_sized", 1), FREES("free_aligned_sized", 1),
};

static const Allocator of_cxx[] = {
   ALLOCATES("operator new(unsigned long)", 1),
   ALLOCATES("operator new[](unsigned long)", 1),
   ALLOCATES("operator new(unsigned long, std::nothrow_t const&)", 1),
   ALLOCATES("operator new[](unsigned long, std::nothrow_t const&)", 1),
   ALLOCATES("operator new(unsigned long, std::align_val_t*)", 1),
   ALLOCATES("operator new[](unsigned long, std::align_val_t*)", 1),
   FREES("operator delete(void*)", 1), FREES("operator delete[](void*)", 1),
   FREES("operator delete(void*, unsigned long*)", 1),
   FREES("operator delete[](void*, unsigned long*)", 1),
   FREES("operator delete(void*, std::*)", 1),
   FREES("operator delete[](void*, std::*)", 1),
   ALLOCATES("_Znwm", 1), ALLOCATES("_Znam", 1),
   ALLOCATES("_ZnwmRKSt9nothrow_t", 1), ALLOCATES("_ZnamRKSt9nothrow_t", 1),
   ALLOCATES("_ZnwmSt11align_val_t*", 1), ALLOCATES("_ZnamSt11align_val_t*", 1),
   FREES("_ZdlPv", 1), FREES("_ZdaPv", 1), FREES("_ZdlPvm*", 1), FREES("_ZdaPvm*", 1),
   FREES("_ZdlPvSt11align_val_t*", 1), FREES("_ZdaPvSt11align_val_t*", 1),
   FREES("_ZdlPvRKSt9nothrow_t", 1), FREES("_ZdaPvRKSt9nothrow_t", 1),
};

/* `*` is the crate with its hash: since 1.87 these names are mangled, before they were
   not.  */
static const Allocator of_rust[] = {
   ALLOCATES("__rust_alloc", 1), ALLOCATES("__rust_alloc_zeroed", 1),
   RESIZES("__rust_realloc", 1, 4), FREES("__rust_dealloc", 1),
   ALLOCATES("__rustc*::__rust_alloc", 1), ALLOCATES("__rustc*::__rust_alloc_zeroed", 1),
   RESIZES("__rustc*::__rust_realloc", 1, 4), FREES("__rustc*::__rust_dealloc", 1),
   ALLOCATES("_R*7___rustc12___rust_alloc", 1),
   ALLOCATES("_R*7___rustc19___rust_alloc_zeroed", 1),
   RESIZES("_R*7___rustc14___rust_realloc", 1, 4),
   FREES("_R*7___rustc14___rust_dealloc", 1),
   ALLOCATES("__rdl_alloc", 1), ALLOCATES("__rdl_alloc_zeroed", 1),
   RESIZES("__rdl_realloc", 1, 4), FREES("__rdl_dealloc", 1),
   ALLOCATES("__rg_alloc", 1), ALLOCATES("__rg_alloc_zeroed", 1),
   RESIZES("__rg_realloc", 1, 4), FREES("__rg_dealloc", 1),
};

/* With the prefixes that distributions (je_) and Rust's crate (_rjem_) give it.  */
#define JEMALLOC(prefix)                                                                 \
   ALLOCATES(prefix "malloc", 1), ALLOCATES_MANY(prefix "calloc", 1, 2),                 \
   RESIZES(prefix "realloc", 1, 2), FREES(prefix "free", 1),                             \
   ALLOCATES(prefix "aligned_alloc", 2), ALLOCATES(prefix "memalign", 2),                \
   PUTS(prefix "posix_memalign", 1, 3), ALLOCATES(prefix "valloc", 1),                   \
   ALLOCATES(prefix "mallocx", 1), RESIZES(prefix "rallocx", 1, 2),                      \
   FREES(prefix "dallocx", 1), FREES(prefix "sdallocx", 1)
static const Allocator of_jemalloc[] = {
   ALLOCATES("mallocx", 1), RESIZES("rallocx", 1, 2), FREES("dallocx", 1),
   FREES("sdallocx", 1), JEMALLOC("je_"), JEMALLOC("_rjem_"), JEMALLOC("_rjem_je_"),
};

static const Allocator of_mimalloc[] = {
   ALLOCATES("mi_malloc", 1), ALLOCATES("mi_malloc_small", 1), ALLOCATES("mi_zalloc", 1),
   ALLOCATES("mi_zalloc_small", 1), ALLOCATES_MANY("mi_calloc", 1, 2),
   ALLOCATES_MANY("mi_mallocn", 1, 2), RESIZES("mi_realloc", 1, 2),
   RESIZES("mi_reallocf", 1, 2), RESIZES("mi_rezalloc", 1, 2),
   RESIZES_MANY("mi_reallocn", 1, 2, 3), RESIZES_MANY("mi_recalloc", 1, 2, 3),
   RESIZES_MANY("mi_reallocarray", 1, 2, 3),
   ALLOCATES("mi_malloc_aligned", 1), ALLOCATES("mi_zalloc_aligned", 1),
   ALLOCATES_MANY("mi_calloc_aligned", 1, 2), RESIZES("mi_realloc_aligned", 1, 2),
   RESIZES("mi_rezalloc_aligned", 1, 2), ALLOCATES("mi_aligned_alloc", 2),
   ALLOCATES("mi_memalign", 2), PUTS("mi_posix_memalign", 1, 3),
   ALLOCATES("mi_valloc", 1), ALLOCATES("mi_pvalloc", 1),
   ALLOCATES("mi_new", 1), ALLOCATES("mi_new_nothrow", 1), ALLOCATES("mi_new_aligned", 1),
   ALLOCATES("mi_new_aligned_nothrow", 1), ALLOCATES_MANY("mi_new_n", 1, 2),
   RESIZES("mi_new_realloc", 1, 2), RESIZES_MANY("mi_new_reallocn", 1, 2, 3),
   ALLOCATES("mi_heap_malloc", 2), ALLOCATES("mi_heap_zalloc", 2),
   ALLOCATES_MANY("mi_heap_calloc", 2, 3), RESIZES("mi_heap_realloc", 2, 3),
   FREES("mi_free", 1), FREES("mi_free_size", 1), FREES("mi_free_size_aligned", 1),
   FREES("mi_free_aligned", 1), FREES("mi_cfree", 1),
};

static const Allocator of_tcmalloc[] = {
   ALLOCATES("tc_malloc", 1), ALLOCATES_MANY("tc_calloc", 1, 2),
   RESIZES("tc_realloc", 1, 2), ALLOCATES("tc_memalign", 2), ALLOCATES("tc_valloc", 1),
   ALLOCATES("tc_pvalloc", 1), PUTS("tc_posix_memalign", 1, 3),
   ALLOCATES("tc_new", 1), ALLOCATES("tc_newarray", 1), ALLOCATES("tc_new_nothrow", 1),
   ALLOCATES("tc_newarray_nothrow", 1), ALLOCATES("tc_new_aligned*", 1),
   ALLOCATES("tc_newarray_aligned*", 1),
   FREES("tc_free", 1), FREES("tc_free_sized", 1), FREES("tc_cfree", 1),
   FREES("tc_delete*", 1),
   ALLOCATES("TCMallocInternalMalloc", 1),
   ALLOCATES_MANY("TCMallocInternalCalloc", 1, 2),
   RESIZES("TCMallocInternalRealloc", 1, 2), FREES("TCMallocInternalFree", 1),
   FREES("TCMallocInternalSdallocx", 1), FREES("TCMallocInternalDelete*", 1),
   ALLOCATES("TCMallocInternalNew*", 1), ALLOCATES("TCMallocInternalMemalign", 2),
   ALLOCATES("TCMallocInternalAlignedAlloc", 2),
   PUTS("TCMallocInternalPosixMemalign", 1, 3),
};

static const Allocator of_python[] = {
   ALLOCATES("PyObject_Malloc", 1), ALLOCATES_MANY("PyObject_Calloc", 1, 2),
   RESIZES("PyObject_Realloc", 1, 2), FREES("PyObject_Free", 1),
   ALLOCATES("PyMem_Malloc", 1), ALLOCATES_MANY("PyMem_Calloc", 1, 2),
   RESIZES("PyMem_Realloc", 1, 2), FREES("PyMem_Free", 1),
   ALLOCATES("PyMem_RawMalloc", 1), ALLOCATES_MANY("PyMem_RawCalloc", 1, 2),
   RESIZES("PyMem_RawRealloc", 1, 2), FREES("PyMem_RawFree", 1),
   ALLOCATES("_PyObject_Malloc", 2), ALLOCATES_MANY("_PyObject_Calloc", 2, 3),
   RESIZES("_PyObject_Realloc", 2, 3), FREES("_PyObject_Free", 2),
};

static const Allocator of_ruby[] = {
   ALLOCATES("ruby_xmalloc", 1), ALLOCATES_MANY("ruby_xmalloc2", 1, 2),
   ALLOCATES_MANY("ruby_xcalloc", 1, 2), RESIZES("ruby_xrealloc", 1, 2),
   RESIZES_MANY("ruby_xrealloc2", 1, 2, 3), FREES("ruby_xfree", 1),
   ALLOCATES("ruby_mimmalloc", 1), FREES("ruby_mimfree", 1),
};

/* What is allocated by inlined code (the minor heap) is not seen.  */
static const Allocator of_ocaml[] = {
   ALLOCATES("caml_stat_alloc", 1), ALLOCATES("caml_stat_alloc_noexc", 1),
   RESIZES("caml_stat_resize", 1, 2), RESIZES("caml_stat_resize_noexc", 1, 2),
   ALLOCATES_MANY("caml_stat_calloc_noexc", 1, 2), FREES("caml_stat_free", 1),
};

/* Its collector frees without a call for each block.  */
static const Allocator of_go[] = {
   {"runtime.mallocgc", 1, 0, 0, 0, ArgumentsOfGo, False},
};

static const Allocator of_mmap[] = {
   {"mmap", 2, 0, 0, 0, ArgumentsOfC, True}, {"mmap64", 2, 0, 0, 0, ArgumentsOfC, True},
   {"__mmap", 2, 0, 0, 0, ArgumentsOfC, True},
   {"__mmap64", 2, 0, 0, 0, ArgumentsOfC, True},
   {"mremap", 3, 0, 1, 0, ArgumentsOfC, True},
   FREES("munmap", 1), FREES("__munmap", 1),
};
/* clang-format on */

typedef struct {
   const HChar* name;
   const Allocator* rows;
   UInt n_rows;
   Bool is_chosen;
} Preset;

#define PRESET(name, rows, is_chosen) {name, rows, sizeof rows / sizeof *rows, is_chosen}

/* Those that are chosen from the beginning need no names.  */
static Preset presets[] = {
   PRESET(NULL, of_c, True),           PRESET(NULL, of_cxx, True),
   PRESET(NULL, of_rust, True),        PRESET(NULL, of_jemalloc, True),
   PRESET(NULL, of_mimalloc, True),    PRESET(NULL, of_tcmalloc, True),
   PRESET("python", of_python, False), PRESET("ruby", of_ruby, False),
   PRESET("ocaml", of_ocaml, False),   PRESET("go", of_go, False),
   PRESET("mmap", of_mmap, False),
};

#define N_PRESETS (sizeof presets / sizeof *presets)

static XArray*
   added; /* of Allocator; in the order of the command line; names are owned */

/*--------------------------------------------------------------------*/
/* --alloc-fn                                                          */

static Bool choose_preset(const HChar* name)
{
   for (UInt i = 0; i < N_PRESETS; i++)
      if (presets[i].name != NULL && VG_(strcmp)(presets[i].name, name) == 0) {
         presets[i].is_chosen = True;
         return True;
      }
   return False;
}

/* The place for the number of an argument that this key, of `length` characters, sets;
   NULL: there is no such key.  */
static UChar* place_of_key(Allocator* allocator, const HChar* key, SizeT length)
{
   const struct {
      const HChar* key;
      UChar* place;
   } known[] = {{"size", &allocator->size},
                {"count", &allocator->count},
                {"free", &allocator->old},
                {"out", &allocator->out}};
   for (UInt i = 0; i < sizeof known / sizeof *known; i++)
      if (VG_(strlen)(known[i].key) == length &&
          VG_(strncmp)(known[i].key, key, length) == 0)
         return known[i].place;
   return NULL;
}

/* Reads "size=1,free=2".  False if it is not that.  */
static Bool read_arguments(Allocator* allocator, const HChar* text)
{
   for (;;) {
      const HChar* equals = VG_(strchr)(text, '=');
      if (equals == NULL)
         return False;
      UChar* place = place_of_key(allocator, text, (SizeT)(equals - text));
      if (place == NULL || equals[1] < '1' || equals[1] > '0' + ALLOCATOR_MAX_ARGUMENT)
         return False;
      *place = (UChar)(equals[1] - '0');
      if (equals[2] == '\0')
         return allocator->size != 0 ||
                (allocator->old != 0 && allocator->count == 0 && allocator->out == 0);
      if (equals[2] != ',')
         return False;
      text = equals + 3;
   }
}

void allocators_add(const HChar* argument, const HChar* value)
{
   options.collect_alloc = True;
   if (choose_preset(value))
      return;
   Allocator allocator = {NULL, 0, 0, 0, 0, ArgumentsOfC, False};
   const HChar* colon = VG_(strrchr)(value, ':');
   if (colon == NULL || colon == value || !read_arguments(&allocator, colon + 1))
      VG_(fmsg_bad_option)(
         argument,
         "It should be python, ruby, ocaml, go or mmap, or name a function and\n"
         "its arguments, from 1 to 6: NAME:size=1, NAME:count=1,size=2,\n"
         "NAME:size=2,out=1, NAME:free=1 or NAME:free=1,size=2.\n");
   HChar* name = VG_(strdup)("allocators.name", value);
   name[colon - value] = '\0';
   allocator.name = name;
   if (added == NULL)
      added = VG_(newXA)(VG_(malloc), "allocators.added", VG_(free), sizeof allocator);
   VG_(addToXA)(added, &allocator);
   patterns_add(&options.alloc_functions, name, (UInt)VG_(sizeXA)(added));
}

/*--------------------------------------------------------------------*/
/* Numbers: those that were added come first                           */

static UInt n_added(void) { return added != NULL ? (UInt)VG_(sizeXA)(added) : 0; }

UInt allocators_find(const HChar* name)
{
   UInt number = patterns_number(options.alloc_functions, name, 0);
   if (number != 0)
      return number;
   UInt first = n_added() + 1;
   for (UInt i = 0; i < N_PRESETS; first += presets[i++].n_rows)
      for (UInt row = 0; presets[i].is_chosen && row < presets[i].n_rows; row++)
         if (pattern_matches(presets[i].rows[row].name, name))
            return first + row;
   return 0;
}

/* All of them, by number; made when the first one is asked for.  */
static const Allocator** all;
static UInt n_all;

static void add_all(const Allocator* rows, UInt n)
{
   for (UInt i = 0; i < n; i++)
      all[++n_all] = &rows[i];
}

static void list_all(void)
{
   UInt n = n_added() + 1;
   for (UInt i = 0; i < N_PRESETS; i++)
      n += presets[i].n_rows;
   all = VG_(calloc)("allocators.all", n, sizeof *all);
   if (n_added() > 0)
      add_all(VG_(indexXA)(added, 0), n_added());
   for (UInt i = 0; i < N_PRESETS; i++)
      add_all(presets[i].rows, presets[i].n_rows);
}

const Allocator* allocators_at(UInt number)
{
   if (UNLIKELY(all == NULL))
      list_all();
   tl_assert(number > 0 && number <= n_all);
   return all[number];
}
