/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the timeline (model/timeline.h) as docs/timeline.md says.  The threads come in
   an order that does not depend on how they were scheduled, and names in the order in
   which they are needed.  */

#ifndef CALLGRIND_TIMELINE_WRITER_H
#define CALLGRIND_TIMELINE_WRITER_H

#include "model/timeline.h"
#include "write/output.h"

/* Calls `visit` for each call that is open in the thread with this track.  */
typedef void TimelineForOpen(const TimelineTrack* track,
                             void (*visit)(const TimelineCall* call));

/* Writes all that is kept, as it is now.  */
void timeline_writer_write(Output* to, TimelineForOpen* for_open);

#endif
