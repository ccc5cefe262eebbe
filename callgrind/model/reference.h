/* SPDX-License-Identifier: GPL-2.0-or-later

   Reference: what an instruction asks of a simulated part of the machine, which may serve
   it well or badly.  A fetch and a data access may miss caches, a branch may be
   mispredicted.

   How often an instruction asks follows from its run (block.h).  How often it was served
   badly is counted: each reference owns a few counters in every context, one for each
   event that may come of it, its outcomes.  */

#ifndef CALLGRIND_REFERENCE_H
#define CALLGRIND_REFERENCE_H

#include "model/cost.h"
#include "sim/icache.h"

typedef enum {
   ReferenceFetch,       /* of one instruction */
   ReferenceRead,        /* of data */
   ReferenceWrite,       /* of data; may read them before */
   ReferenceConditional, /* a branch that may not be followed */
   ReferenceIndirect,    /* a branch that may lead anywhere */
   REFERENCE_KINDS
} ReferenceKind;

/* The arguments that generated code hands over with a group of references; and the value
   of one that is none, because a guarded access was not made.  */
#define REFERENCE_MAX_ARGUMENTS 4
#define REFERENCE_NO_ARGUMENT REFERENCE_MAX_ARGUMENTS
#define REFERENCE_NOT_MADE (~(Addr)0)

/* No more than this many are looked at together.  */
#define REFERENCE_MAX_TOGETHER 255

typedef struct {
   Addr address; /* of the first byte: as it is, or from the argument on */
   union {
      Addr at;          /* of data, and branches: the instruction */
      ICacheLine* line; /* of a fetch: the line that holds the last byte */
   };
   UInt outcomes; /* index of its first counter: in its superblock, later in a context */
   UShort size;   /* in bytes; of a branch: 0 */
   UShort instruction; /* index in its superblock */
   UChar kind;         /* ReferenceKind */
   UChar argument : 4; /* index of the one that `address` counts from; or _NO_ARGUMENT */
   UChar is_guarded : 1; /* made if a condition holds: one more counter says how often */
   UChar is_last : 1;    /* of those that are looked at together */
   /* Of a fetch: from two lines, of which `line` is the first and leads to the other.  */
   UChar is_from_two : 1;
   UChar before;     /* how many come before it of those that are looked at together */
   UChar mru_misses; /* how often data were no plain hit while the code was cold
                    (cold_code.h), up to REFERENCE_OFTEN_MISSES_MRU */
   UInt inlined;     /* with --call-tree, of an inlined function: its slot + 1; else 0 */
} __attribute__((aligned(8))) Reference; /* SizedReference has use for the lowest bits */

/* One in sixteen of what cold code makes.  Such a reference is looked at alone, for the
   others would be looked at with it each time.  */
#define REFERENCE_OFTEN_MISSES_MRU 255

/* Address of the instruction that makes it.  */
static inline Addr reference_at(const Reference* reference)
{
   return reference->kind == ReferenceFetch ? reference->address : reference->at;
}

static inline Bool reference_is_data(const Reference* reference)
{
   return reference->kind == ReferenceRead || reference->kind == ReferenceWrite;
}

/* An access to data in a word: what is looked at first, and close together for those that
   are looked at together, since that is seldom enough for the host to have forgotten it.
   From the lowest bit on: `argument`, or PACKED_INCOMPLETE; whether it is the last of them;
   whether it writes; `size`; how far it stands behind its reference, in words; and in the
   upper half `address`, with its sign.  It is all that is to be known of an access that
   hits: guarded ones have no room here.  */
typedef ULong PackedReference;
#define PACKED_ARGUMENT 7
#define PACKED_INCOMPLETE PACKED_ARGUMENT /* what has no room here is to be read there */
#define PACKED_IS_LAST 8
#define PACKED_WRITES 16
#define PACKED_SIZE_SHIFT 5
#define PACKED_SIZE 0x7ff
#define PACKED_DISTANCE_SHIFT 16
#define PACKED_DISTANCE 0xffff

/* Packs the data among `n` references, and returns how many they are.  NULL: counts only.
   `packed` stands behind the references, in the same piece of memory.  */
UInt reference_pack(const Reference* references, UInt n, PackedReference* packed);

static inline const Reference* reference_of_packed(const PackedReference* packed)
{
   return (const Reference*)(packed -
                             (*packed >> PACKED_DISTANCE_SHIFT & PACKED_DISTANCE));
}

/* The address of a reference with its size, if that is a power of two, as a binary logarithm
   in the lowest bits.  Generated code has one number to hand over, and who takes it need
   not look at the reference for that.  */
typedef UWord SizedReference;
#define SIZED_REFERENCE_INCOMPLETE 7 /* in these bits: the size is to be read there */

SizedReference reference_sized(const Reference* reference);

static inline const Reference* reference_of_sized(SizedReference sized)
{
   return (const Reference*)(sized & ~(UWord)SIZED_REFERENCE_INCOMPLETE);
}

static inline UInt reference_size_of_sized(SizedReference sized)
{
   UInt bits = sized & SIZED_REFERENCE_INCOMPLETE;
   return LIKELY(bits != SIZED_REFERENCE_INCOMPLETE) ? 1u << bits
                                                     : reference_of_sized(sized)->size;
}

/* After cost_init().  */
void reference_init(void);

/* The outcomes of a memory reference, in the order of their counters.  */
enum { OutcomeMiss, OutcomeLastMiss, OutcomeWrittenBack };

/* The outcome of a branch.  */
enum { OutcomeMispredicted };

/* No reference has more counters.  */
#define REFERENCE_MAX_OUTCOMES 4

/* How many counters a reference has.  Of a guarded one the last counts how often it was
   made.  */
UInt reference_n_outcomes(const Reference* reference);

/* Index in a cost vector of the event that counter number `outcome` counts.  */
UInt reference_event(const Reference* reference, UInt outcome);

/* The same for a counter of an outcome, which is each but that of how often a guarded
   reference was made.  The outcome must be one that this run counts.  */
extern UChar reference_events[REFERENCE_KINDS][REFERENCE_MAX_OUTCOMES - 1];
static inline UInt reference_outcome_event(const Reference* reference, UInt outcome)
{
   return reference_events[reference->kind][outcome];
}

/* Index in a cost vector of the event that each making of such a reference is; fetches
   have none but Ir.  */
UInt reference_made_event(ReferenceKind kind);

#endif
