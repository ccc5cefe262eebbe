/* SPDX-License-Identifier: GPL-2.0-or-later

   Reference: a static place in code that uses a simulated unit: a fetch, a data read or
   write, a branch.  One execution of it is an access.  A fetch or data access may miss
   caches, a branch may be mispredicted: these are its outcomes.

   How often a reference is executed follows from its run (block_record.h).  How often it
   had each outcome is counted: a reference owns a few counters in every context, one for
   each outcome.

   References that are checked together form a group: generated code checks inline
   whether all of them are MRU hits, and calls the simulator for the group if not.  */

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

/* How many arguments generated code passes with a group of references, at most; what
   Reference.argument says if the address is static; and the value of an argument if a
   guarded access was not made.  */
#define REFERENCE_MAX_ARGUMENTS 4
#define REFERENCE_NO_ARGUMENT REFERENCE_MAX_ARGUMENTS
#define REFERENCE_NOT_MADE (~(Addr)0)

/* What costs cycles (--cycle-model): OutcomeMiss, OutcomeLastMiss; and outcomes that have
   no event of their own: the second level was missed, which is between those two, and the
   page was not in the translation buffers.  Of a branch: the processor's predictor was
   wrong, which may have been right where OutcomeMispredicted is counted.  */
enum {
   LateMiss,
   LateLastMiss,
   LateSecondMiss,
   LateWalk,
   REFERENCE_LATE,
   LateMispredicted = LateSecondMiss
};

/* No more references than this are in a group.  */
#define REFERENCE_MAX_TOGETHER 255

typedef struct {
   Addr address; /* of the first byte: absolute, or relative to the argument; of a fetch
                    and of a branch: the canonical one (layout/code_layout.h) */
   union {
      Addr at;          /* of data, of branches, and with --cacheuse=yes of all: the
                           instruction, where it really is */
      ICacheLine* line; /* of a fetch: the line that holds the last byte */
   };
   UInt outcomes; /* index of its first counter: in its superblock, later in a context */
   UShort size;   /* in bytes; of a branch: 0 */
   UShort instruction;   /* index in its superblock */
   UChar kind;           /* ReferenceKind */
   UChar argument : 4;   /* index of the one that `address` is relative to; or
                          REFERENCE_NO_ARGUMENT */
   UChar is_guarded : 1; /* made if a condition holds: one more counter says how often */
   UChar is_last : 1;    /* the last of its group */
   /* Of a fetch: from two cache lines, of which `line` is the first and leads to the
      other.  */
   UChar is_from_two : 1;
   UChar before;     /* how many of its group come before it */
   UChar mru_misses; /* of data: how many accesses were MRU misses while the code was cold
                        (cold_code.h), up to REFERENCE_OFTEN_MISSES_MRU */
   UInt inlined;     /* with --call-tree, of an inlined function: its slot + 1; else 0 */
   UShort late[REFERENCE_LATE];          /* hundredths of a cycle */
} __attribute__((aligned(8))) Reference; /* SizedReference has use for the lowest bits */

/* One in sixteen of the accesses of cold code.  Such a reference is checked alone,
   because each of its misses would call the simulator for the whole group.  */
#define REFERENCE_OFTEN_MISSES_MRU 255

static inline Bool reference_is_data(const Reference* reference)
{
   return reference->kind == ReferenceRead || reference->kind == ReferenceWrite;
}

/* A data reference in one word: all that the simulator needs to know if the access
   hits.  Those of a group lie close together, because they are used so seldom that
   the host's cache does not hold them.  From the lowest bit on: `argument`, or
   PACKED_INCOMPLETE; `is_last`; whether it writes; `size`; its distance behind its
   reference, in words; and in the upper half `address`, with its sign.  Guarded
   references do not fit.  */
typedef ULong PackedReference;
#define PACKED_ARGUMENT 7
#define PACKED_INCOMPLETE PACKED_ARGUMENT /* it does not fit: read the reference */
#define PACKED_IS_LAST 8
#define PACKED_WRITES 16
#define PACKED_SIZE_SHIFT 5
#define PACKED_SIZE 0x7ff
#define PACKED_DISTANCE_SHIFT 16
#define PACKED_DISTANCE 0xffff

/* Packs the data references among `n` references into `packed`, and returns their
   number.  `packed` lies behind the references, in the same piece of memory; NULL:
   only counts.  */
UInt reference_pack(const Reference* references, UInt n, PackedReference* packed);

static inline const Reference* reference_of_packed(const PackedReference* packed)
{
   return (const Reference*)(packed -
                             (*packed >> PACKED_DISTANCE_SHIFT & PACKED_DISTANCE));
}

/* A pointer to a reference with the binary logarithm of its size in the lowest bits,
   if that is a power of two.  So generated code passes one number, and the simulator
   knows the size without reading the reference.  */
typedef UWord SizedReference;
#define SIZED_REFERENCE_INCOMPLETE 7 /* in these bits: read the size from the reference */

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
#define REFERENCE_MAX_OUTCOMES 6

/* How many counters a reference has: of outcomes that have an event, of those that only
   cost cycles, and of a guarded one how often it was made.  */
UInt reference_n_outcomes(const Reference* reference);

/* Index in a cost vector of the event that counter number `outcome` counts;
   COST_NOT_COUNTED if it has none.  */
UInt reference_event(const Reference* reference, UInt outcome);

/* The counter for an entry of `late`, which must cost something.  */
UInt reference_late_outcome(const Reference* reference, UInt late);

/* Has the entry of `late` a counter?  */
Bool reference_may_be_late(const Reference* reference, UInt late);

/* As reference_event(), for an outcome with an event that is counted.  Fast.  */
extern UChar reference_events[REFERENCE_KINDS][REFERENCE_MAX_OUTCOMES - 3];
static inline UInt reference_outcome_event(const Reference* reference, UInt outcome)
{
   return reference_events[reference->kind][outcome];
}

/* Index in a cost vector of the event that counts references of this kind: Ir for
   fetches, Dr for reads, and so on.  */
UInt reference_made_event(ReferenceKind kind);

#endif
