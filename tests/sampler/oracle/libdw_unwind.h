/* SPDX-License-Identifier: GPL-2.0-or-later

   Unwinding by libdw's own unwinder, which is slow, and knows nothing of the sampler's:
   tests compare the two.  */

#ifndef ORACLE_LIBDW_UNWIND_H
#define ORACLE_LIBDW_UNWIND_H

#include "unwind/unwind.h"

typedef struct LibdwUnwinder LibdwUnwinder;

/* Without any code so far.  To be ended by libdw_unwind_end().  */
LibdwUnwinder* libdw_unwind_begin(void);
void libdw_unwind_end(LibdwUnwinder* unwinder);

/* Makes an object known, whose addresses are `bias` higher in memory than in the
   file.  */
void libdw_unwind_add(LibdwUnwinder* unwinder, Object* object, uint64_t bias);

/* Unwinds a sample as unwind_sample() does, but the end is UnwindWhole or
   UnwindNoRule.  */
void libdw_unwind_sample(LibdwUnwinder* unwinder, const Sample* sample, CodeFinder find,
                         void* context, UnwindResult* result);

/* How our frames of a sample and libdw's agree.  */
typedef enum {
   AgreementWhole,
   AgreementOursGoesOn, /* libdw stops earlier */
   AgreementOursStops,  /* libdw goes on */
   AgreementNone,
   AgreementKinds
} Agreement;

/* Compares our frames of a sample with libdw's.  */
Agreement libdw_unwind_compare(const UnwindResult* ours, const UnwindResult* theirs);

#endif
