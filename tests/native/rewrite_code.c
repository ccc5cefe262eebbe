/* SPDX-License-Identifier: GPL-2.0-or-later

   What happens to the records of code that is written anew, N times:

      rewrite_code targets N   N arcs to N places; other code comes to each of these
      rewrite_code calls N     one arc that goes to N places in turn
      rewrite_code blocks N    N blocks of one function; other code takes each one's place
      rewrite_code sites N     call sites of N functions, one after another at one address

   Prints a line of what is there at the end.  */

#include "model/arc_targets.h"
#include "model/block.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In place of guest/address.c: where functions start is not asked here.  */
Bool address_is_start(const Function* function, Addr address)
{
   (void)function, (void)address;
   return False;
}

Options options;
ULong cost_clock[COST_MAX_EVENTS];
UInt cost_event_count = 1;
Context* context_first(void) { return NULL; }
UInt symbols_n_functions(void) { return 0; }
Function* symbols_function(UInt id) { return (void)id, NULL; }
StoredLine symbols_store_line(const SourceLine* line)
{
   return (StoredLine){0, line->line, 0};
}
UInt reference_pack(const Reference* references, UInt n, PackedReference* packed)
{
   return (void)references, (void)n, (void)packed, 0;
}

static Function function = {.id = 1};

/*--------------------------------------------------------------------*/

#define FIRST 0x10000

static UInt n_known(Context* caller, CallSite* sites, UInt n)
{
   UInt known = 0;
   for (UInt i = 0; i < n; i++)
      known += arc_recall(caller, &sites[i], FIRST + i) != NULL;
   return known;
}

static void targets(UInt n)
{
   static Context caller, callee;
   const ArcTarget at = {1, 1};
   CallSite* sites = calloc(n, sizeof *sites);
   for (UInt i = 0; i < n; i++) {
      sites[i].last_arc = &arc_none;
      arc_remember(arc_get(&caller, &sites[i], &callee, &at), FIRST + i);
   }
   UInt before = n_known(&caller, sites, n);
   for (UInt i = 0; i < n; i += 2)
      arc_forget_target(FIRST + i);
   UInt odd = n_known(&caller, sites, n);
   for (UInt i = 1; i < n; i += 2)
      arc_forget_target(FIRST + i);
   printf("some: %d, fewer: %d, then: %u\n", before > 0, odd < before && odd > 0,
          n_known(&caller, sites, n));
}

static void calls(UInt n)
{
   static Context caller, callee;
   static CallSite site = {.last_arc = &arc_none};
   const ArcTarget at = {1, 1};
   for (UInt i = 0; i < n; i++)
      arc_remember(arc_get(&caller, &site, &callee, &at), FIRST + i);
   arc_forget_targets();
   printf("known: %d\n", arc_recall(&caller, &site, FIRST + n - 1) != NULL);
}

/* One instruction of `size` bytes.  */
static Block* interned(Addr key, UInt size, Block** retired)
{
   static BlockShape shape;
   shape.function = &function;
   shape.address = shape.file_address = key;
   shape.n_runs = shape.n_instructions = shape.n_spans = 1;
   shape.run_ends[0] = 1;
   shape.sizes[0] = (UChar)size;
   return block_intern(key, &shape, retired);
}

static void blocks(UInt n)
{
   Block* retired;
   UInt n_retired = 0, n_left = 0;
   for (UInt i = 0; i < n; i++)
      interned(FIRST + i, 1, &retired);
   for (UInt i = 0; i < n; i++) {
      block_translation_discarded(FIRST + i);
      interned(FIRST + i, 2, &retired);
      n_retired += retired != NULL;
      block_free(retired);
   }
   for (const Block* block = block_first_of(&function); block != NULL;
        block = block->next_of_function)
      n_left += block->sizes[0] == 2;
   printf("all retired: %d, all replaced: %d\n", n_retired == n, n_left == n);
}

static void sites(UInt n)
{
   Function* functions = calloc(n, sizeof *functions);
   const SourceLine line = {NULL, 0, NULL};
   UInt n_same = 0;
   for (UInt i = 0; i < n; i++) {
      const CallSite* made =
         callsite_intern(SiteCall, FIRST, FIRST, FIRST + 5, &functions[i], line);
      n_same += made == callsite_intern(SiteCall, FIRST, FIRST, FIRST + 5, &functions[i],
                                        line);
   }
   printf("all found again: %d\n", n_same == n);
}

int main(int n_words, char** words)
{
   if (n_words != 3)
      return 2;
   callsite_init(&arc_none);
   UInt n = (UInt)atoi(words[2]);
   if (strcmp(words[1], "targets") == 0)
      targets(n);
   else if (strcmp(words[1], "calls") == 0)
      calls(n);
   else if (strcmp(words[1], "blocks") == 0)
      blocks(n);
   else
      sites(n);
   return 0;
}
