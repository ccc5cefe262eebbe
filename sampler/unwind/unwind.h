/* SPDX-License-Identifier: GPL-2.0-or-later

   From registers and a copy of the stack to the chain of callers.  Knows nothing of
   processes: a function of the caller's finds the code at an address.  */

#ifndef SAMPLER_UNWIND_H
#define SAMPLER_UNWIND_H

#include "code/object.h"
#include "perf/record.h"

#define UNWIND_MAX_FRAMES 4096

/* A place in code.  */
typedef struct {
   Object* object;   /* NULL: code in no file */
   uint64_t address; /* as the file numbers it; in memory if there is no file */
} CodePlace;

/* Finds the place of an address in memory; false if no code is known there.  */
typedef bool (*CodeFinder)(void* context, uint64_t address, CodePlace* place);

typedef enum {
   UnwindWhole,   /* up to the first function of the thread */
   UnwindTooDeep, /* the rest of the stack was not copied */
   UnwindNoRule   /* nothing says where the caller is */
} UnwindEnd;

typedef struct {
   CodePlace frames[UNWIND_MAX_FRAMES]; /* innermost first */
   unsigned count;
   UnwindEnd end;
   unsigned used; /* how many bytes of the stack's copy were looked at */
} UnwindResult;

/* Unwinds the user's stack of a sample.  `context` is passed to `find`.  */
void unwind_sample(const Sample* sample, CodeFinder find, void* context,
                   UnwindResult* result);

#endif
