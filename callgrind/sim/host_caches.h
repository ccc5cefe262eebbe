/* SPDX-License-Identifier: GPL-2.0-or-later

   The caches of the processor that we run on: I1, D1 and the last level.  They are
   simulated unless the command line gives others.  The result is what callgrind 3.19
   finds on the same processor.

   Where there is no CPUID instruction (arm64), the kernel's files below
   /sys/devices/system/cpu tell; there callgrind 3.19 knows nothing of the processor.

   Relies on the two readers only.  Prints nothing: that is left to the tool.  */

#ifndef CALLGRIND_HOST_CACHES_H
#define CALLGRIND_HOST_CACHES_H

#include "sim/geometry.h"

#include <stdbool.h>
#include <stddef.h>

/* What CPUID answers for a leaf and a subleaf.  */
typedef struct {
   uint32_t eax, ebx, ecx, edx;
} CpuidAnswer;

typedef CpuidAnswer CpuidReader(uint32_t leaf, uint32_t subleaf);

/* What was found.  All shapes but those reported are valid geometries.  */
typedef struct {
   CacheGeometry i1, d1, ll;

   /* What the user should know.  */
   bool is_unknown;           /* nothing was found: the shapes are defaults */
   bool ll_is_l3;             /* there is an L3, so L2 is not simulated */
   bool is_without_l2;        /* the processor says so; is_unknown too */
   uint32_t trace_cache_kb;   /* of a Pentium 4, whose trace cache i1 replaces; else 0 */
   CacheGeometry ll_reported; /* differs from ll if that had to be made simulable */
   CacheGeometry i1_reported, d1_reported; /* likewise; there callgrind 3.19 gives up */
} HostCaches;

/* Fills in *found from the processor's answers.  Without a reader (NULL), or if the
   answers make no sense, the shapes are those of an old Athlon, as in callgrind 3.19.  */
void host_caches_find(CpuidReader* reader, HostCaches* found);

/* Reads file `name` of the kernel's folder of cache `index`, as text that a 0 ends; False
   if there is none, or if it does not fit.  */
typedef bool CacheFileReader(uint32_t index, const char* name, char* text, size_t size);

/* Fills in *found by the kernel's files.  Where these tell too little, as in many virtual
   machines, the shapes are the same defaults.  */
void host_caches_find_in_files(CacheFileReader* reader, HostCaches* found);

/* Reads from this processor; NULL if it has no CPUID instruction.  */
extern CpuidReader* const host_caches_cpuid;

#endif
