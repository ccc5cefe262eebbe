/* SPDX-License-Identifier: GPL-2.0-or-later

   Where the simulated machine takes code to be (--layout): at its real addresses, or at
   *canonical* ones, which do not depend on where the linker has put it.

   A canonical address is the place of a piece of code and the offset in it.  The place
   comes of the piece's name.  So a function that is renamed, changed, added or moved
   moves no other.  What a piece is, and what it goes by:

      a function with a symbol     its object's and its own plain name (plain_name.h)
      without, known by .eh_frame  its object's name, and the code seen of it first
      unbounded code, PLT stubs    the same
      JIT code                     4 KB of memory: the order in which they first run

   Pieces that go by the same, such as local functions of one name in several files, are
   told apart by the order in which they first run, which no linker decides.  Parts that a
   compiler has split off (f.cold, f.part) have symbols, and are pieces by themselves.
   Inlined code is a part of the function that it is in.

   All code gets its place when it is first translated, and keeps it.  Two pieces that
   overlap share lines of the last level, and nothing else comes of that.  With 20,000
   functions of 640 bytes that are some hundred.  */

#ifndef CALLGRIND_CODE_LAYOUT_H
#define CALLGRIND_CODE_LAYOUT_H

#include "guest/symbols.h"
#include "options/options.h"

/* What is known of the first superblock of a piece: the `n` sizes of its instructions, in
   bytes.  Its bytes can be read.  */
typedef struct {
   const UChar* sizes;
   UInt n;
} FirstCode;

/* What has to be added to an address of this superblock of `function`, which begins at
   `address`, to get the canonical one.  With --layout=real 0.  */
Addr code_layout_shift(const Function* function, Addr address, const FirstCode* code);

/* Of which address the predictors take `target` to be, to which an indirect branch leads.
   Cheap, but for the first time.  */
Addr code_layout_target(Addr target);

/* Canonical places are far from each other, and a function has a page to itself.  So the
   translation buffers would see far more pages than there are.  For them an object has
   256 pages, of 1 MB together, in which its functions are spread.  Of a canonical address
   the buffers are given this one.  */
#define CODE_LAYOUT_PAGES 0x7ff00000UL
static inline Addr code_layout_page(Addr address)
{
   return options.layout == LayoutNames ? address & ~(Addr)CODE_LAYOUT_PAGES : address;
}

#endif
