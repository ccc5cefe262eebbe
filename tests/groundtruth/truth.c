/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The counters of a generated program, and how they are written down.  Linked into every
   generated executable; the program's libraries find the counters there.

   The file has a line for each fact, its words divided by tabs:

      arc CALLER CALLEE N      calls that CALLER made of CALLEE
      entered FUNCTION N       how often FUNCTION began to run
      root FUNCTION N          how often it did so without a caller
      live FUNCTION            was under way when measurement began
      path ID PARENT FUNCTION N
                               how often FUNCTION was called by the path PARENT, whose
                               line may come later; 0: from outside of the program
      lost                     there were more paths than can be counted

   A process may write more than once (before an exec that fails, for example): the last
   time counts.
*/

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

unsigned long truth_arcs[TRUTH_FUNCTIONS][TRUTH_CALLEES];
unsigned long truth_entered[TRUTH_FUNCTIONS];
unsigned long truth_roots[TRUTH_FUNCTIONS];
unsigned char truth_live[TRUTH_FUNCTIONS];

TruthPath truth_paths[TRUTH_PATHS];
unsigned char truth_paths_lost;
__thread unsigned long truth_calling;

static const char* const names[TRUTH_CALLEES] = {TRUTH_NAMES};

static void write_arcs(FILE* file)
{
   for (int from = 0; from < TRUTH_FUNCTIONS; from++)
      for (int to = 0; to < TRUTH_CALLEES; to++)
         if (truth_arcs[from][to] != 0)
            fprintf(file, "arc\t%s\t%s\t%lu\n", names[from], names[to],
                    truth_arcs[from][to]);
}

static void write_functions(FILE* file)
{
   for (int at = 0; at < TRUTH_FUNCTIONS; at++) {
      if (truth_entered[at] != 0)
         fprintf(file, "entered\t%s\t%lu\n", names[at], truth_entered[at]);
      if (truth_roots[at] != 0)
         fprintf(file, "root\t%s\t%lu\n", names[at], truth_roots[at]);
      if (truth_live[at])
         fprintf(file, "live\t%s\n", names[at]);
   }
}

static void write_paths(FILE* file)
{
   if (truth_paths_lost) {
      fprintf(file, "lost\n");
      return;
   }
   for (unsigned long at = 0; at < TRUTH_PATHS; at++) {
      const TruthPath* path = &truth_paths[at];
      if (path->key != 0)
         fprintf(file, "path\t%lu\t%lu\t%s\t%lu\n", at + 1, (path->key - 1) >> 16,
                 names[(path->key - 1) & 0xffff], path->count);
   }
}

__attribute__((noinline, destructor)) void truth_write(void)
{
   const char* stem = getenv("TRUTH_FILE");
   char path[4096];
   if (stem == NULL)
      return;
   snprintf(path, sizeof path, "%s.%ld", stem, (long)getpid());
   FILE* file = fopen(path, "w");
   if (file == NULL) {
      perror(path);
      _exit(120);
   }
   write_arcs(file);
   write_functions(file);
   write_paths(file);
   if (fclose(file) != 0) {
      perror(path);
      _exit(120);
   }
}

__attribute__((noinline)) void truth_forget(void)
{
   memset(truth_arcs, 0, sizeof truth_arcs);
   memset(truth_entered, 0, sizeof truth_entered);
   memset(truth_roots, 0, sizeof truth_roots);
   memset(truth_live, 0, sizeof truth_live);
   for (unsigned long at = 0; at < TRUTH_PATHS; at++)
      truth_paths[at].count = 0; /* paths that are under way stay */
}
