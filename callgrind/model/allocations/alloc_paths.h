/* SPDX-License-Identifier: GPL-2.0-or-later

   Paths of calls that have led to allocations (--collect-alloc), so that what a program
   holds can be shown as inclusive cost, though nobody knows at the call how long a block
   will live.

   A path is what frames lie on each other: the arcs by which they were entered.  There is
   one record for each, which knows the path that it continues:

      the empty path <-parent- main's root <-parent- arc main->f <-parent- arc f->g

   In a recursion a path goes back to where its context was first: no context is twice in
   a path.  So the inclusive cost of what is held is at most all that is held, and the
   paths do not grow with the depth of a stack.  */

#ifndef CALLGRIND_ALLOC_PATHS_H
#define CALLGRIND_ALLOC_PATHS_H

#include "model/arc.h"

/* A path's number.  0 is no path.  */
#define ALLOC_PATH_EMPTY 1

/* The path that goes on from `path` by `arc`, or, if that is NULL, in `context` by way of
   nobody.  If there are too many paths, `path` itself.  Never freed.  */
UInt alloc_path_continued(UInt path, Arc* arc, Context* context);

/* Adds what is to be booked on each arc of this path.  */
void alloc_path_add(UInt path, const ULong* amounts);

/* So many amounts has a path.  */
#define ALLOC_PATH_AMOUNTS 2

/* Books what was added, on the arcs of paths: amount number i on the event with the index
   events[i].  */
void alloc_paths_book(const UInt* events);

/* How many there are.  */
UInt alloc_paths_count(void);

#endif
