/* SPDX-License-Identifier: GPL-2.0-or-later

   The segments of superblocks, from translation to discard: each has a record, in which
   it is counted.  */

#ifndef CALLGRIND_SEGMENTS_H
#define CALLGRIND_SEGMENTS_H

#include "instrument/superblock_state.h"

/* Fills in the segments of the superblock, which is translated for guest address `key`
   and for this thread (address_bases.h).  There are none if it holds no instruction.  */
void segments_find(SuperblockState* superblock, Addr key, ThreadId thread);

/* Is the superblock at `key`, which was translated last, divided into segments?  */
Bool segments_are_divided(Addr key);

/* A translation of the superblock at `key`, whose guest code has not changed, is about to
   be used again; it was discarded, and is not divided.  `length` bytes of guest code
   belong to it.  False if its code is not known to be of the same function and object as
   it was: then it must be translated again.  */
Bool segments_take_up(Addr key, SizeT length);

/* The core has discarded the translation of the superblock at `key`; it `counts`, or was
   made while instrumentation was off.  */
void segments_discarded(Addr key, Bool counts);

#endif
