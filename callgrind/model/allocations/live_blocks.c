/* SPDX-License-Identifier: GPL-2.0-or-later

   See live_blocks.h.

   A hash table with open addressing, in parts.  The highest bits of an address's hash say
   which part, and the next ones where in the part; behind that place the block is found
   before the first empty cell.  A part that is full beyond 17/20 grows by a quarter, so
   at least 17/25 of its cells are used: 16 * 25 / 17 = 23.5 bytes a block.  Since the
   parts are many, only a little of the table is copied at a time.

      cell: | address, 48 bits | owner, low 16 | size, 48 bits | owner, high 16 |

   No block lives at address 0, so that is an empty cell.  */

#include "model/allocations/live_blocks.h"

#include "base/hash.h"

#include "pub_tool_mallocfree.h"

#define BITS 48
#define MASK ((1ULL << BITS) - 1)

typedef struct {
   ULong address_and_owner, size_and_owner;
} Cell;

typedef struct {
   Cell* cells;
   UInt n, n_cells;
} Part;

#define PART_BITS 6
#define FIRST_CELLS 8

static Part parts[1 << PART_BITS];
static ULong n_blocks;
static ULong n_cells;

/* Blocks lie at multiples of 16, mostly.  */
static ULong hash_of(Addr address)
{
   ULong hash = (address >> 4 ^ address << 60) * CHECKSUM_FACTOR;
   return hash ^ hash >> 32;
}

static Part* part_of(ULong hash) { return &parts[hash & ((1 << PART_BITS) - 1)]; }

static UInt place_of(const Part* part, ULong hash)
{
   return (UInt)((hash >> 32) * part->n_cells >> 32);
}

static UInt next_place(const Part* part, UInt place)
{
   return place + 1 == part->n_cells ? 0 : place + 1;
}

static Addr address_of(const Cell* cell) { return cell->address_and_owner & MASK; }

static LiveBlock block_of(const Cell* cell)
{
   return (LiveBlock){
      cell->size_and_owner & MASK,
      (UInt)(cell->address_and_owner >> BITS | cell->size_and_owner >> BITS << 16)};
}

static Cell cell_of(Addr address, LiveBlock block)
{
   return (Cell){address | (ULong)(block.owner & 0xffff) << BITS,
                 block.size | (ULong)(block.owner >> 16) << BITS};
}

/* The cell of this address, or the empty one that it would get.  The part has cells.  */
static Cell* find(const Part* part, Addr address, ULong hash)
{
   UInt place = place_of(part, hash);
   while (part->cells[place].address_and_owner != 0 &&
          address_of(&part->cells[place]) != address)
      place = next_place(part, place);
   return &part->cells[place];
}

/* Gives the part so many cells, which is more than it has blocks.  */
static void resize(Part* part, UInt wanted)
{
   const Part old = *part;
   part->cells = VG_(calloc)("live_blocks.cells", wanted, sizeof(Cell));
   part->n_cells = wanted;
   n_cells += wanted;
   n_cells -= old.n_cells;
   for (UInt i = 0; i < old.n_cells; i++) {
      const Cell* cell = &old.cells[i];
      if (cell->address_and_owner != 0)
         *find(part, address_of(cell), hash_of(address_of(cell))) = *cell;
   }
   VG_(free)(old.cells);
}

Bool live_blocks_add(Addr address, LiveBlock block, LiveBlock* replaced)
{
   if (address == 0 || address > MASK || block.size > MASK)
      return False;
   const ULong hash = hash_of(address);
   Part* part = part_of(hash);
   if (UNLIKELY((ULong)(part->n + 1) * 20 > (ULong)part->n_cells * 17))
      resize(part, part->n_cells < FIRST_CELLS ? FIRST_CELLS
                                               : part->n_cells + part->n_cells / 4);
   Cell* cell = find(part, address, hash);
   const Bool is_replaced = cell->address_and_owner != 0;
   if (is_replaced)
      *replaced = block_of(cell);
   else {
      part->n++;
      n_blocks++;
   }
   *cell = cell_of(address, block);
   return is_replaced;
}

/* Empties a cell, and moves up those behind it that would not be found otherwise.  */
static void empty(Part* part, UInt place)
{
   for (UInt i = next_place(part, place);; i = next_place(part, i)) {
      const Cell* cell = &part->cells[i];
      if (cell->address_and_owner == 0)
         break;
      UInt wanted = place_of(part, hash_of(address_of(cell)));
      Bool is_between =
         place <= i ? place < wanted && wanted <= i : place < wanted || wanted <= i;
      if (is_between)
         continue;
      part->cells[place] = *cell;
      place = i;
   }
   part->cells[place] = (Cell){0, 0};
}

Bool live_blocks_take(Addr address, LiveBlock* taken)
{
   if (address == 0 || address > MASK)
      return False;
   const ULong hash = hash_of(address);
   Part* part = part_of(hash);
   if (part->n == 0)
      return False;
   const Cell* cell = find(part, address, hash);
   if (cell->address_and_owner == 0)
      return False;
   *taken = block_of(cell);
   empty(part, (UInt)(cell - part->cells));
   part->n--;
   n_blocks--;
   if (UNLIKELY(part->n_cells > FIRST_CELLS && part->n < part->n_cells / 4))
      resize(part,
             part->n + part->n / 2 > FIRST_CELLS ? part->n + part->n / 2 : FIRST_CELLS);
   return True;
}

ULong live_blocks_count(void) { return n_blocks; }

ULong live_blocks_memory(void) { return n_cells * sizeof(Cell) + sizeof parts; }
