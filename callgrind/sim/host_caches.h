/* SPDX-License-Identifier: GPL-2.0-or-later

   The caches of the processor that we run on, which are simulated where the command line
   does not say otherwise: I1, D1, and the last level of all.  What is found is what
   callgrind 3.19 finds on the same processor.

   Asks the processor only; prints nothing, for that is the tool's business.  */

#ifndef CALLGRIND_HOST_CACHES_H
#define CALLGRIND_HOST_CACHES_H

#include "sim/geometry.h"

/* Where the answers are put that CPUID gives for a leaf and a subleaf.  */
typedef struct {
   uint32_t eax, ebx, ecx, edx;
} CpuidAnswer;

typedef CpuidAnswer CpuidReader(uint32_t leaf, uint32_t subleaf);

/* All shapes are valid.  */
typedef struct {
   CacheGeometry i1, d1, ll;

   /* What the user ought to know.  */
   bool is_unknown;           /* nothing could be found out: these are default shapes */
   bool ll_is_l3;             /* there is an L3, so L2 is not simulated */
   bool is_without_l2;        /* the processor says so; is_unknown too */
   uint32_t trace_cache_kb;   /* a Pentium 4: i1 stands for its trace cache; else 0 */
   CacheGeometry ll_reported; /* differs from ll where that had to be made simulable */
   CacheGeometry i1_reported, d1_reported; /* likewise; there callgrind 3.19 gives up */
} HostCaches;

/* Finds the caches by the processor's answers.  Without a reader (NULL), and where they
   make no sense, the shapes are those of an old Athlon, as in callgrind 3.19.  */
void host_caches_find(CpuidReader* reader, HostCaches* found);

/* Asks this processor; NULL where there is no such instruction.  */
extern CpuidReader* const host_caches_cpuid;

#endif
