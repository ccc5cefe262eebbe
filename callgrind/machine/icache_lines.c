/* SPDX-License-Identifier: GPL-2.0-or-later

   Records of lines of code; see icache_lines.h.

   Owns the records, and a hash table from address to record.  */

#include "machine/icache_lines.h"

#include "machine/simulation.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node; /* its key is the line's address */
   ICacheLine* line;
} KnownLine;

static VgHashTable* known;

/* The first ones lie in the tool's own data, where generated code reaches them with a
   short address.  They do for 4 MB of code in lines of 64 bytes.  */
#define NEAR_LINES 0x10000
static ICacheLine near_lines[NEAR_LINES];
static UInt n_near;

static ICacheLine* make_line(Addr address, Addr shift)
{
   ICacheLine* line = n_near < NEAR_LINES
                         ? &near_lines[n_near++]
                         : VG_(malloc)("icache_lines.line", sizeof *line);
   *line = icache_new_line(simulation_code(), address, address - shift);
   return line;
}

ICacheLine* icache_line_at(Addr address, Addr shift)
{
   /* Lookups mostly come in the order of addresses, several for each line.  */
   static const KnownLine* recent;
   if (recent != NULL && recent->node.key == address)
      return recent->line;
   if (known == NULL)
      known = VG_(HT_construct)("icache_lines.known");
   KnownLine* found = VG_(HT_lookup)(known, address);
   if (found == NULL) {
      found = VG_(malloc)("icache_lines.known", sizeof *found);
      found->node.key = address;
      found->line = make_line(address, shift);
      VG_(HT_add_node)(known, found);
   }
   recent = found;
   return found->line;
}
