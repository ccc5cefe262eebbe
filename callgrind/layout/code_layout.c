/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_layout.h.  Owns the places of all pieces.

   A canonical address, from the highest bit on:

        1    this address space: no program has memory here, and the tags of simulated
             caches are long enough (sim/linetags.h)
       12    a hash of the object
       25    a hash of the piece
        6    0, where a piece begins: it is aligned to 64 bytes  */

#include "layout/code_layout.h"

#include "base/table.h"
#include "guest/address.h"
#include "layout/plain_name.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define SPACE_BITS 43
#define OBJECT_BITS 12
#define PIECE_BITS 25
#define ALIGNMENT_BITS 6
_Static_assert(OBJECT_BITS + PIECE_BITS + ALIGNMENT_BITS == SPACE_BITS,
               "all bits of an address have a meaning");
_Static_assert((CODE_LAYOUT_PAGES >> (PIECE_BITS + ALIGNMENT_BITS)) == 0,
               "an object's pages are its own");

/* What JIT code is divided into.  Mappings begin at multiples of it.  */
#define JIT_PIECE 4096

/* A piece, known by the object and by where it begins there.  */
typedef struct {
   const Object* object;
   const Function* function; /* of code whose begin is not known; otherwise NULL */
   Addr start;               /* where it begins: as Place.file_address */
   Addr place;
} Piece;

/* How many pieces go by the same.  */
typedef struct {
   UInt n;
} Namesakes;

static Table pieces, namesakes;

static ULong mixed(ULong hash)
{
   hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ULL;
   hash = (hash ^ hash >> 27) * 0x94d049bb133111ebULL;
   return hash ^ hash >> 31;
}

/*--------------------------------------------------------------------*/
/* What a piece goes by                                                */

static ULong hash_of_plain(const HChar* name, void (*make_plain)(const char*, char*))
{
   HChar* plain = VG_(malloc)("code_layout.plain", VG_(strlen)(name) + 1);
   make_plain(name, plain);
   ULong hash = hash_text(plain);
   VG_(free)(plain);
   return hash;
}

/* What has no library's name is the program: its copies have other names.  */
static ULong hash_of_object(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   if (VG_(strstr)(slash != NULL ? slash : path, ".so") == NULL)
      return HASH_START;
   return hash_of_plain(path, plain_name_of_object);
}

/* Of each instruction its length, and the byte that is the same wherever the linker puts
   what it refers to.  */
static ULong hash_of_code(Addr address, const FirstCode* code)
{
   ULong hash = HASH_START;
   for (UInt i = 0; i < code->n; i++) {
#if defined(VGA_arm64)
      UChar byte = ((const UChar*)address)[3] & 0x9c; /* without bits of adr and bl */
#else
      UChar byte = ((const UChar*)address)[0];
#endif
      hash = (hash ^ code->sizes[i]) * HASH_FACTOR;
      hash = (hash ^ byte) * HASH_FACTOR;
      address += code->sizes[i];
   }
   return hash;
}

/* Is the function named by its address, which each build makes anew?  */
static Bool is_nameless(const Function* function)
{
   return VG_(strncmp)(function->name, "0x", 2) == 0;
}

/* A place for the next piece that goes by `object` and `own`.  */
static Addr new_place(ULong object, ULong own)
{
   ULong both = mixed(object) ^ own;
   Namesakes* same = table_find_only(&namesakes, both);
   if (same == NULL) {
      same = VG_(calloc)("code_layout.namesakes", 1, sizeof *same);
      table_add(&namesakes, both, same);
   }
   ULong hash = mixed(both + same->n++ * CHECKSUM_FACTOR);
   return (Addr)1 << SPACE_BITS |
          (Addr)(mixed(object) >> (64 - OBJECT_BITS)) << (PIECE_BITS + ALIGNMENT_BITS) |
          (Addr)(hash >> (64 - PIECE_BITS)) << ALIGNMENT_BITS;
}

/*--------------------------------------------------------------------*/
/* Pieces                                                              */

static ULong key_of(const Piece* piece)
{
   return mixed((UWord)piece->object ^ mixed((UWord)piece->function) ^ piece->start);
}

static Bool is_same_piece(const void* record, const void* sought)
{
   const Piece* a = record;
   const Piece* b = sought;
   return a->object == b->object && a->function == b->function &&
          (a->function != NULL || a->start == b->start);
}

/* What identifies the piece that holds `address`.  A function whose begin is not known
   has a piece that begins where it was seen first.  */
static Piece piece_of(const Function* function, Addr address, const Place* place)
{
   Piece piece = {.object = place->object};
   if (address_is_jit_code(place)) {
      piece.start = address & -(Addr)JIT_PIECE;
      return piece;
   }
   Addr start = place->is_plt ? 0 : address_start_of(function, address);
   if (start != 0)
      piece.start = place->file_address - (address - start);
   else
      piece.function = function;
   return piece;
}

static const Piece* find_piece(const Piece* sought)
{
   return table_find(&pieces, key_of(sought), is_same_piece, sought);
}

static ULong hash_of_piece(const Function* function, Addr address, const Place* place,
                           const FirstCode* code)
{
   if (address_is_jit_code(place))
      return 0;
   return is_nameless(function) ? hash_of_code(address, code)
                                : hash_of_plain(function->name, plain_name_of_function);
}

static const Piece* make_piece(Piece piece, const Function* function, Addr address,
                               const Place* place, const FirstCode* code)
{
   const ULong key = key_of(&piece);
   piece.place = new_place(hash_of_object(place->object->path),
                           hash_of_piece(function, address, place, code));
   if (piece.function != NULL)
      piece.start = place->file_address;
   Piece* made = VG_(malloc)("code_layout.piece", sizeof *made);
   *made = piece;
   table_add(&pieces, key, made);
   return made;
}

static Addr shift_in(const Piece* piece, Addr address, const Place* place)
{
   return piece->place + (place->file_address - piece->start) - address;
}

Addr code_layout_shift(const Function* function, Addr address, const FirstCode* code)
{
   if (options.layout == LayoutReal)
      return 0;
   Place place = address_place_of(address);
   Piece sought = piece_of(function, address, &place);
   const Piece* piece = find_piece(&sought);
   if (piece == NULL)
      piece = make_piece(sought, function, address, &place, code);
   return shift_in(piece, address, &place);
}

/*--------------------------------------------------------------------*/
/* Targets                                                             */

typedef struct {
   Addr canonical;
} Target;

static Table targets; /* by address */

/* Code that has no name, and has not run yet, goes by the order of such targets.  */
static Addr find_target(Addr target)
{
   Place place = address_place_of(target);
   const Function* function = address_function_of(target, &place);
   if (function != NULL) {
      Piece sought = piece_of(function, target, &place);
      const Piece* piece = find_piece(&sought);
      if (piece == NULL && !is_nameless(function) && !address_is_jit_code(&place))
         piece = make_piece(sought, function, target, &place, NULL);
      if (piece != NULL)
         return target + shift_in(piece, target, &place);
   }
   return new_place(HASH_START, 0);
}

Addr code_layout_target(Addr target)
{
   if (options.layout == LayoutReal)
      return target;
   Target* known = table_find_only(&targets, target);
   if (known == NULL) {
      known = VG_(malloc)("code_layout.target", sizeof *known);
      known->canonical = find_target(target);
      table_add(&targets, target, known);
   }
   return known->canonical;
}
