/* SPDX-License-Identifier: GPL-2.0-or-later

   The shape of a cache, as --I1, --D1 and --LL give it on the command line.  Knows
   nothing of what a cache holds (cachesim.h), nor of the tool.  */

#ifndef CALLGRIND_GEOMETRY_H
#define CALLGRIND_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

/* A cache of `size` bytes, in lines of `line_size` bytes, of which `ways` form a set.
   Valid if size == sets * ways * line_size, sets and line_size are powers of two, and
   line_size is at least GEOMETRY_SMALLEST_LINE and less than size.  */
typedef struct {
   uint32_t size, ways, line_size;
} CacheGeometry;

#define GEOMETRY_SMALLEST_LINE 16

/* How many sets a valid geometry has.  */
uint32_t geometry_sets(const CacheGeometry* geometry);

/* The binary logarithm of a power of two; of another number, rounded down.  */
uint32_t geometry_bits(uint32_t power);

/* What is wrong with the text that describes a cache.  */
typedef enum {
   GeometryValid,
   GeometryMalformed, /* not three decimal numbers with a comma between each two */
   GeometryTooLarge,  /* a number does not fit into 31 bits */
   GeometryZero,      /* no ways, or lines of no bytes */
   GeometryBadSets,   /* the lines do not fill sets whose number is a power of two */
   GeometryBadLine,   /* the line size is no power of two */
   GeometrySmallLine,
   GeometrySmallCache /* a single line, or less */
} GeometryFault;

/* Reads SIZE,WAYS,LINE_SIZE.  Sets *geometry if it returns GeometryValid; otherwise
   *geometry is left as it is.  Accepts and refuses what callgrind 3.19 does, found by
   trying, except for GeometryZero, where 3.19 divides by zero.  As there, a number may
   have blanks and a sign in front, and a missing number is 0.  */
GeometryFault geometry_parse(const char* text, CacheGeometry* geometry);

/* What is wrong, in one line for the user, without a full stop; "" for GeometryValid.
   Never to be freed.  */
const char* geometry_fault_text(GeometryFault fault);

/* Changes the shape of a host's cache into one that can be simulated, as callgrind 3.19
   does: the number of sets is rounded down to a power of two, and the number of ways is
   chosen that comes nearest to the size.  False: nothing had to be changed.  No field may
   be 0, the line size must be a power of two, and a way must have at least one line.  */
bool geometry_make_simulable(CacheGeometry* geometry);

#endif
