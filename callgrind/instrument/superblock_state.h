/* SPDX-License-Identifier: GPL-2.0-or-later

   All that is known of the one superblock that is being translated.  There is one at a
   time, since the core translates one at a time; translations/superblocks.h owns it, and
   passes it down.  instrument.c draws its life.  A room below gets the part that is
   its own.  */

#ifndef CALLGRIND_SUPERBLOCK_STATE_H
#define CALLGRIND_SUPERBLOCK_STATE_H

#include "instrument/host/chains.h"
#include "instrument/host/dispatch.h"
#include "instrument/ir/ir_build.h"
#include "instrument/ir/recording.h"
#include "instrument/ir/stack_moves.h"
#include "instrument/shape/address_bases.h"
#include "instrument/shape/reference_plan.h"
#include "instrument/shape/superblock_cycles.h"
#include "instrument/shape/superblock_shape.h"

/* All zero: no superblock is at hand, and what is instrumented has no patch points, is
   not recorded, and goes on by the core's dispatcher.  */
typedef struct {
   /* What VEX gives.  */
   const IRSB* in;
   const VexGuestLayout* layout; /* of the guest's state; VEX's own, which stays */

   /* What is found out.  */
   UInt n_bytes_added;      /* of the guest's code, behind what VEX has read
                               (host_instructions/) */
   UInt most_instructions;  /* it must be made again, of so many; 0: it need not be */
   Addr refused;            /* an instruction that neither VEX nor the host executes */
   StackMoves stack_moves;  /* which statements may lead to another native stack */
   AddressBases bases;      /* which addresses have a base in common */
   PlanRoom plans;          /* the memory of the segments' plans */
   SuperblockCycles cycles; /* --cycle-model */
   BlockShape shape;        /* of the segment whose record is made */
   UInt n_segments;
   Segment segments[SEGMENTS_MAX];

   /* What is made.  */
   IrOutput out;
   ExitKnowledge exits;
   DispatcherChoice dispatcher;
   Recording recording;
} SuperblockState;

#endif
