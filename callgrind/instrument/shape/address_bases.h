/* SPDX-License-Identifier: GPL-2.0-or-later

   What is known of the addresses that a superblock computes: which temporaries are
   another one plus a constant, and how a base is aligned.  Accesses at constant distances
   from one base can be checked together.

   Relies on flat IR: an address is a constant or a temporary, and a temporary is assigned
   before it is used.  */

#ifndef CALLGRIND_ADDRESS_BASES_H
#define CALLGRIND_ADDRESS_BASES_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* An address as base + offset.  */
typedef struct {
   IRExpr* base; /* a temporary; NULL: `offset` is the whole address */
   ULong offset;
} SplitAddress;

/* Two accesses relative to one base are likely to be in one cache line if they are in one
   piece of memory of this size, aligned to it.  */
#define ADDRESS_GRANULE 16

#define ADDRESS_BASES_MOST 8192

/* What is known, by temporary.  Of one beyond the end nothing is known.  */
typedef struct {
   ThreadId running;
   SplitAddress sums[ADDRESS_BASES_MOST];   /* base NULL: nothing is known */
   UChar misalignments[ADDRESS_BASES_MOST]; /* modulo ADDRESS_GRANULE */
} AddressBases;

/* Nothing is known of the temporaries of this superblock yet.  It is about to be run by
   this thread; VG_INVALID_THREADID: by none, it is only looked at.  */
void address_bases_begin(AddressBases* bases, const IRSB* superblock, ThreadId thread);

/* Learns from an assignment to a temporary (Ist_WrTmp).  To be called for the
   superblock's statements in their order.  */
void address_bases_learn(AddressBases* bases, const IRStmt* assignment);

/* An address, split as far as it is known.  */
SplitAddress address_bases_split(const AddressBases* bases, IRExpr* address);

/* Are both the same temporary, or both NULL?  */
Bool address_bases_are_same(const IRExpr* a, const IRExpr* b);

/* What the base is modulo ADDRESS_GRANULE.  A guess: a wrong one costs time, and changes
   no count.  */
UInt address_bases_misalignment(const AddressBases* bases, const IRExpr* base);

#endif
