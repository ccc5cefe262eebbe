/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   How the counters of a generated program are written down.  Compiled once, and linked
   into every generated executable; the program's libraries find the counters there.
   building.py writes the tables, which are as large as each program needs them.

   The file has a line for each fact, its words divided by tabs:

      arc CALLER CALLEE N      calls that CALLER made of CALLEE
      entered FUNCTION N       how often FUNCTION began to run
      root FUNCTION N          how often it did so without a caller
      live FUNCTION            was under way when measurement began
      path ID PARENT FUNCTION N
                               how often FUNCTION was called by the path PARENT, whose
                               line may come later; 0: from outside of the program
      flat ID PARENT FUNCTION N
                               the same, if a function that is jumped to is called by the
                               caller of the one that jumps
      lost path|flat           there were more than can be counted
      open ID FLAT             the process was forked in the midst of these two paths;
                               their calls are its parent's

   A process may write more than once (before an exec that fails, for example): the last
   time counts.
*/

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRUTH_WRITER
#include "truth.h"

/* The tables of the program: calls by caller and callee, entries, roots, and what is live.
   The names are those of all callees, in the order of their numbers, each with its 0.  */
extern const int truth_functions, truth_callees;
extern unsigned long truth_arcs[], truth_entered[], truth_roots[];
extern unsigned char truth_live[];
extern const char truth_names[];

TruthPath truth_paths[TRUTH_PATHS], truth_flat_paths[TRUTH_PATHS];
unsigned char truth_paths_lost, truth_flat_paths_lost;
static unsigned long open_path, open_flat_path;
__thread unsigned long truth_calling;
__thread void* truth_calling_frame;

static const char* name_of(unsigned long number)
{
   const char* name = truth_names;
   for (unsigned long at = 0; at < number; at++)
      name += strlen(name) + 1;
   return name;
}

static void write_arcs(FILE* file)
{
   const unsigned long* count = truth_arcs;
   for (int from = 0; from < truth_functions; from++)
      for (int to = 0; to < truth_callees; to++, count++)
         if (*count != 0)
            fprintf(file, "arc\t%s\t%s\t%lu\n", name_of(from), name_of(to), *count);
}

static void write_functions(FILE* file)
{
   for (int at = 0; at < truth_functions; at++) {
      if (truth_entered[at] != 0)
         fprintf(file, "entered\t%s\t%lu\n", name_of(at), truth_entered[at]);
      if (truth_roots[at] != 0)
         fprintf(file, "root\t%s\t%lu\n", name_of(at), truth_roots[at]);
      if (truth_live[at])
         fprintf(file, "live\t%s\n", name_of(at));
   }
}

static void write_paths(FILE* file, const TruthPath* paths, int lost, const char* what)
{
   if (lost) {
      fprintf(file, "lost\t%s\n", what);
      return;
   }
   for (unsigned long at = 0; at < TRUTH_PATHS; at++) {
      const TruthPath* path = &paths[at];
      if (path->key != 0)
         fprintf(file, "%s\t%lu\t%lu\t%s\t%lu\n", what, at + 1, (path->key - 1) >> 16,
                 name_of((path->key - 1) & 0xffff), path->count);
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
   write_paths(file, truth_paths, truth_paths_lost, "path");
   write_paths(file, truth_flat_paths, truth_flat_paths_lost, "flat");
   if (open_path != 0)
      fprintf(file, "open\t%lu\t%lu\n", open_path, open_flat_path);
   if (fclose(file) != 0) {
      perror(path);
      _exit(120);
   }
}

__attribute__((noinline)) void truth_forget(unsigned long path)
{
   const unsigned long mask = (1UL << TRUTH_PATH_BITS) - 1;
   const size_t functions = truth_functions, callees = truth_callees;
   memset(truth_arcs, 0, functions * callees * sizeof truth_arcs[0]);
   memset(truth_entered, 0, functions * sizeof truth_entered[0]);
   memset(truth_roots, 0, functions * sizeof truth_roots[0]);
   memset(truth_live, 0, functions);
   for (unsigned long at = 0; at < TRUTH_PATHS; at++) /* paths under way stay */
      truth_paths[at].count = truth_flat_paths[at].count = 0;
   open_path = path & mask;
   open_flat_path = path >> TRUTH_PATH_BITS & mask;
}
