/* SPDX-License-Identifier: GPL-2.0-or-later

   The profile that grows while the program runs: parts, their trees, and the figures of
   the summary.  Fed by the unwinding thread; read when that has ended.  */

#ifndef SAMPLER_PROFILE_H
#define SAMPLER_PROFILE_H

#include "unwind/libdw_unwind.h"
#include "profile/tree.h"

typedef struct Part {
   struct Part* next;
   unsigned number;
   char* benchmark; /* a URI, or NULL */
   char* trigger;   /* or NULL */
   char** notes;
   unsigned note_count;
   Tree* trees; /* the latest first */
   uint64_t samples;
   uint64_t began, ended; /* when sampling was on; 0: it was not, or still is */
} Part;

typedef struct {
   uint64_t samples;
   uint64_t lost;      /* by the kernel */
   uint64_t truncated; /* samples whose callers are not all known */
   uint64_t unnamed;   /* samples whose own function has no name */
} ProfileFigures;

/* How large a tree may become before the places in it are resolved: tests only.  */
void profile_set_max_nodes(uint32_t count_of_nodes);

/* Unwinds each stack by libdw, too, and counts how the two agree: tests only.  */
void profile_compare(void);
/* How many stacks agree in which way.  */
const uint64_t* profile_agreements(void);

/* Takes a record, in the order of time; it stays the caller's.  */
void profile_take(const Record* record);

/* Ends the last part.  Trees and names are final then.  */
void profile_finish(void);

/* The parts, in order, after profile_finish().  */
const Part* profile_parts(void);
/* May be read while the profile grows, for the progress.  */
ProfileFigures profile_figures(void);

#endif
