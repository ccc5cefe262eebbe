/* SPDX-License-Identifier: GPL-2.0-or-later

   The profile, which grows while the program works: parts, their trees, and the figures
   of the summary.  The unwinding thread fills it; when that has ended, the main thread
   reads it.  */

#ifndef SAMPLER_PROFILE_H
#define SAMPLER_PROFILE_H

#include "perf/rate.h"
#include "profile/tree.h"

/* What was sampled between two points of time, or for one benchmark.  */
typedef struct Part {
   struct Part* next;
   unsigned number;
   char* benchmark; /* its URI; NULL: none */
   char* trigger;   /* why it ended; NULL: it has not */
   char** notes;
   unsigned note_count;
   Tree* trees;           /* the latest first */
   uint64_t samples;      /* and waits */
   uint64_t began, ended; /* when sampling was switched on and off; 0: not so far */
} Part;

typedef struct {
   uint64_t samples;
   uint64_t waits;
   uint64_t at_step[RATE_STEPS]; /* samples, by the step of their rate; with rates */
   uint64_t lost;                /* by the kernel */
   uint64_t truncated;           /* samples and waits whose callers are not all known */
   uint64_t unnamed;             /* those whose own function has no name */
} ProfileFigures;

/* Sets how many nodes a tree may have before its pending functions are resolved; for
   tests.  */
void profile_set_max_nodes(uint32_t count_of_nodes);

/* Samples are counted by the steps of this rate.  */
void profile_set_rates(unsigned frequency);

/* Adds what a record says, and takes it over.  Records come in the order of time.  */
void profile_take(Record* record);

/* Ends the last part, and gives all functions their final names.  */
void profile_finish(void);

/* The first part, after profile_finish(); the others by `next`.  */
const Part* profile_parts(void);
/* The figures so far.  Any thread may call this.  */
ProfileFigures profile_figures(void);

#endif
