/* SPDX-License-Identifier: GPL-2.0-or-later

   What is known of each of the core's records of objects, and what of it waits to be
   read.  */

#ifndef CALLGRIND_LATE_OBJECTS_H
#define CALLGRIND_LATE_OBJECTS_H

#include "core/debug_past.h"
#include "core/debug_records.h"
#include "guest/own_lines.h"
#include "lines/read_files.h"
#include "lines/stored_lines.h"

#include "pub_tool_hashtable.h"

#ifdef CORE_CAN_READ_LINES_LATE

/* What is known of a record of the core's.  */
typedef struct {
   VgHashNode node; /* key: its address */
   SizeT size;
   StoredLines* lines; /* NULL: there are none, or they are not stored */
   Bool symbols_wait;  /* and all else with them */
   Bool lines_wait, inlined_wait, frames_wait; /* what is put off without them */
   DebugPast past;                             /* not kept if nothing is put off */
   ReadFiles files; /* those that were read; none if the past is not kept */
   OwnLines* own;   /* NULL: not sought, or the core must read them */
   Bool own_is_sought;
} LateObject;

void late_objects_init(void);

/* There is a record for one more object, of `size` bytes.  */
void late_objects_add(const DebugInfo* record, SizeT size);

/* NULL if nothing is known of it.  */
LateObject* late_object_of(const DebugInfo* record);

/* Calls `action` for each object that is there.  */
void late_objects_for_all(void (*action)(LateObject* of));

/* Is anything of it put off?  */
Bool late_object_waits(const LateObject* of);

/* Nothing of it is put off any more.  */
void late_object_forget(LateObject* of);

/* Its lines by its files, which are read once; NULL if the core must read them.  */
OwnLines* late_object_own_lines(LateObject* of);

/* Of how many that was not NULL.  */
UInt late_objects_read_here(void);

#endif

#endif
