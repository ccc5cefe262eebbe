/* SPDX-License-Identifier: GPL-2.0-or-later

   Who holds memory (--collect-alloc): a record for each call site that has allocated, by
   each path that has led there.  It knows how many bytes of its blocks live, and how many
   lived when all owners together held most, the peak;
   the last one, where there are several.

   To know the latter, nobody looks at all owners at a peak.  An owner notes, before its
   bytes change, what it held at the last peak, if there has been one since they changed
   before: it held the same then.  */

#ifndef CALLGRIND_ALLOC_OWNERS_H
#define CALLGRIND_ALLOC_OWNERS_H

#include "model/arc.h"

struct TreeNode;

/* Where memory is allocated.  */
typedef struct {
   UInt path; /* that leads to the caller of the allocator (alloc_paths.h); 0: of one that
                 only frees */
   Context* context;
   CallSite* site;
   struct TreeNode* node; /* of the caller; NULL: there is none */
} AllocPlace;

/* The owner that allocates there; made at its first use.  Never 0, never freed.  */
UInt alloc_owner_at(const AllocPlace* place);

/* It allocates a block, or its part of one grows: counted when owners are booked.  */
void alloc_owner_count(UInt owner, ULong blocks, ULong bytes);

/* It frees a block, which may be another's.  */
void alloc_owner_count_free(UInt owner);

/* It holds so many bytes more, or less.  */
void alloc_owner_hold(UInt owner, ULong bytes);
void alloc_owner_release(UInt owner, ULong bytes);

/* What all owners hold, and the most that they have held since alloc_owners_zero().  */
ULong alloc_owners_held(void);
ULong alloc_owners_peak(void);

/* Books on contexts, arcs and nodes what was allocated, what was held at the peak and
   what is held, as far as it has changed since the last time.  What of the latter two has
   no clock is added to `spent`.  */
void alloc_owners_book(ULong* spent);

/* What was booked has been set to zero, of one thread's contexts or (0) of all.  From now
   on another peak counts.  */
void alloc_owners_zero(UInt thread);

/* Calls `keep` for the nodes that are to be booked on.  */
void alloc_owners_keep_nodes(void (*keep)(struct TreeNode* node));

/* How many there are.  */
UInt alloc_owners_count(void);

#endif
