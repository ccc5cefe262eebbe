/* SPDX-License-Identifier: GPL-2.0-or-later

   How the core reads the debug information of an object: it fills in a record that has
   been allocated for the object, from the object's file and others that it finds by that.
   Reading call frame information is one call in the middle, or two; reading lines is one
   behind that; and reading inlined functions, and variables, one behind lines.  The calls
   are led here (--wrap), and to who can leave them out and make up for it.  Two shapes
   are known:

   - in one go, as seen in 3.18 to 3.21: all is read when the object is mapped, and
     finish_CFSI_arrays() ends it;
   - in two steps, as seen in 3.22 to 3.27: of the object's own file the symbols and call
     frame information that are loaded with it, when it is mapped; the rest, also of other
     files, once it is asked for.  finish_CFSI_arrays() ends each step.  m_redir.c asks
     for that of libc and of the dynamic linker at once, other objects may wait for ever.

   Where this is possible, CORE_CAN_READ_LINES_LATE is defined.  */

#ifndef CALLGRIND_DEBUG_RECORDS_H
#define CALLGRIND_DEBUG_RECORDS_H

#include "core_version.h"
#include "pub_tool_debuginfo.h"

#ifdef CORE_CAN_READ_LINES_LATE

typedef enum {
   CoreReadsAll,    /* in one go */
   CoreReadsObject, /* the first step of two */
   CoreReadsRest    /* the second one */
} CoreDebugStep;

typedef struct {
   /* There is a record of `size` bytes for one more object.  It may lie where one was
      that is gone.  */
   void (*made)(const DebugInfo* record, SizeT size);
   /* Is to do what core_debug_read() does.  */
   Bool (*read)(DebugInfo* record, CoreDebugStep step);
   /* Its tables are complete, for this step.  */
   void (*completed)(DebugInfo* record);
   /* The core is about to open a file, to read it: may it?  Otherwise there is none.  */
   Bool (*may_open)(const HChar* path);
   /* The core has opened a file, to read it.  */
   void (*opened)(const HChar* path);
   /* Lines, inlined functions, or call frame information are about to be read: are they
      to be left out?  */
   Bool (*lines_may_wait)(void);
   Bool (*inlined_may_wait)(void);
   Bool (*frames_may_wait)(void);
   /* The core looks for an address among the symbols of an object.  */
   void (*symbols_wanted)(DebugInfo* record);
   /* Likewise in its lines; every step has been made.  */
   void (*lines_wanted)(DebugInfo* record);
   /* The core unwinds a frame in which control is at `address`.  0: that is not known,
      and it may be anywhere.  */
   void (*frames_wanted)(Addr address);
} CoreDebugHooks;

/* Without, nothing is left out.  */
void core_debug_lead(const CoreDebugHooks* hooks);

/* Has the core fill in a record; False if it cannot.  */
Bool core_debug_read(DebugInfo* record, CoreDebugStep step);

/* Does what the core does to a record after a step.  */
void core_debug_complete(DebugInfo* record);

/* Has the core make the steps that wait, which may call the hooks.  */
void core_debug_load(DebugInfo* record);

/* While an object is read: has the core told of one before it that it was complete?  Of
   the first one, that cannot be known.  */
Bool core_debug_is_completed_as_known(void);

/* Has the core look for a line, and unwind a frame as `unwind` asks it to, to see whether
   these calls arrive; the hooks do not hear of them.  To be called while a thread
   runs.  */
void core_debug_try(void (*unwind)(void));

/* Has one of these calls passed by?  One line says so under -v.  */
Bool core_debug_passes_by(void);

/* Or that one which says that symbols are wanted?  */
Bool core_debug_symbols_pass_by(void);

#else

static inline Bool core_debug_passes_by(void) { return True; }
static inline Bool core_debug_symbols_pass_by(void) { return True; }

#endif

#endif
