/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the JIT names; see jit_names.h.

   Memory is divided into pieces that do not overlap, in an ordered set.  Each has a name,
   which may have several pieces, since a later one may have taken its middle:

      one, from 0x1000, 0x100 bytes       | one           |
      two, from 0x1040, 0x10 bytes        | one | two | one |

   A name is freed with its last piece.  */

#include "guest/jit/jit_names.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

typedef struct {
   Addr start; /* of the code as it was named */
   UInt n_pieces;
   HChar name[];
} JitName;

typedef struct {
   Addr first, last; /* bytes; the key */
   JitName* what;
} Piece;

static OSet* pieces;

/* Pieces that overlap are equal: so a search finds one that holds a byte of the key.  */
static Word compare_pieces(const void* key, const void* element)
{
   const Piece* sought = key;
   const Piece* piece = element;
   return sought->last < piece->first ? -1 : sought->first > piece->last ? 1 : 0;
}

void jit_names_init(void)
{
   pieces =
      VG_(OSetGen_Create)(0, compare_pieces, VG_(malloc), "jit_names.pieces", VG_(free));
}

static void insert(Addr first, Addr last, JitName* what)
{
   Piece* piece = VG_(OSetGen_AllocNode)(pieces, sizeof *piece);
   piece->first = first;
   piece->last = last;
   piece->what = what;
   what->n_pieces++;
   VG_(OSetGen_Insert)(pieces, piece);
}

/* Takes all names off the bytes from `first` to `last`.  */
static void clear(Addr first, Addr last)
{
   const Piece range = {first, last, NULL};
   Piece* piece;
   while ((piece = VG_(OSetGen_Remove)(pieces, &range)) != NULL) {
      JitName* what = piece->what;
      if (piece->first < first)
         insert(piece->first, first - 1, what);
      if (piece->last > last)
         insert(last + 1, piece->last, what);
      VG_(OSetGen_FreeNode)(pieces, piece);
      if (--what->n_pieces == 0)
         VG_(free)(what);
   }
}

void jit_names_add(Addr start, SizeT size, const HChar* name, SizeT length)
{
   if (size == 0 || length == 0 || start + (size - 1) < start)
      return;
   JitName* what = VG_(malloc)("jit_names.name", sizeof *what + length + 1);
   what->start = start;
   what->n_pieces = 0;
   VG_(memcpy)(what->name, name, length);
   what->name[length] = '\0';
   clear(start, start + (size - 1));
   insert(start, start + (size - 1), what);
}

static void take_name(void* unused, uint64_t start, uint64_t size, uint64_t time,
                      const char* name, size_t length)
{
   (void)unused, (void)time;
   jit_names_add((Addr)start, (SizeT)size, name, length);
}

static void take_move(void* unused, uint64_t from, uint64_t to, uint64_t size,
                      uint64_t time)
{
   (void)unused, (void)time;
   const HChar* name = jit_names_at((Addr)from);
   if (name != NULL)
      jit_names_add((Addr)to, (SizeT)size, name, VG_(strlen)(name));
}

const NameSink jit_names_sink = {NULL, take_name, take_move};

static const JitName* name_of(Addr address)
{
   const Piece byte = {address, address, NULL};
   const Piece* piece = VG_(OSetGen_Lookup)(pieces, &byte);
   return piece != NULL ? piece->what : NULL;
}

const HChar* jit_names_at(Addr address)
{
   const JitName* found = name_of(address);
   return found != NULL ? found->name : NULL;
}

Bool jit_names_begin_at(Addr address)
{
   const JitName* found = name_of(address);
   return found != NULL && found->start == address;
}
