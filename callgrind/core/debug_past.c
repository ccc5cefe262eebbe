/* SPDX-License-Identifier: GPL-2.0-or-later

   See debug_past.h.

   Where the core reads in two steps, a flag in the record says between them that the
   second one is to come.  Tables are sorted after each step, and are left as they can be
   added to as long as that flag is set.  So it has to be set in the other record, too.
   Where it lies is seen when the first record goes on: it is the only byte that was 0
   before, 1 in the pause, and is 0 again.  */

#include "core/debug_past.h"

#ifdef CORE_CAN_READ_LINES_LATE

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

static UChar* copy_of(const void* bytes, SizeT size)
{
   UChar* copy = VG_(malloc)("debug_past.copy", size);
   VG_(memcpy)(copy, bytes, size);
   return copy;
}

/*--------------------------------------------------------------------*/
/* The pause between two steps                                         */

/* Offset in a record.  0: not seen yet, as a pointer is there.  */
static SizeT pause_flag;
static Bool pause_is_strange; /* there is no such byte, or it has not been that */

static Bool may_be_flag(const DebugPast* past, SizeT at)
{
   return past->before[at] == 0 && past->paused[at] == 1 && past->resumed[at] == 0;
}

static void look_for_flag(const DebugPast* past)
{
   UInt n_found = 0;
   for (SizeT i = 0; i < past->size; i++)
      if (may_be_flag(past, i)) {
         n_found++;
         pause_is_strange |= pause_flag != 0 && pause_flag != i;
         pause_flag = i;
      }
   pause_is_strange |= n_found != 1;
   if (pause_is_strange && VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core's reading of debug information is not as known: from now on "
                "all of it is read at once.\n");
}

Bool debug_past_can_be_kept(void) { return !pause_is_strange; }

/*--------------------------------------------------------------------*/
/* Keeping it                                                          */

void debug_past_begin(DebugPast* past, const DebugInfo* record, SizeT size)
{
   *past = (DebugPast){.size = size, .before = copy_of(record, size)};
}

void debug_past_resume(DebugPast* past, const DebugInfo* record)
{
   if (past->resumed != NULL)
      return;
   past->resumed = copy_of(record, past->size);
   if (past->paused == NULL)
      past->paused = copy_of(record, past->size);
   if (!pause_is_strange)
      look_for_flag(past);
}

void debug_past_complete(DebugPast* past, const DebugInfo* record)
{
#ifdef CORE_READS_DEBUG_IN_TWO_STEPS
   UChar** copy = past->resumed == NULL ? &past->paused : &past->finished;
#else
   UChar** copy = &past->finished;
#endif
   if (*copy == NULL)
      *copy = copy_of(record, past->size);
}

Bool debug_past_is_kept(const DebugPast* past) { return past->before != NULL; }

void debug_past_forget(DebugPast* past)
{
   VG_(free)(past->before);
   VG_(free)(past->paused);
   VG_(free)(past->resumed);
   VG_(free)(past->finished);
   *past = (DebugPast){0};
}

/*--------------------------------------------------------------------*/
/* Making up                                                           */

/* Gives `bytes` what has become of `from` in `to`.  False, and nothing is changed, if it
   has neither there.  */
static Bool take_changes(UChar* bytes, SizeT size, const UChar* from, const UChar* to)
{
   for (SizeT i = 0; i < size; i++)
      if (from[i] != to[i] && bytes[i] != from[i] && bytes[i] != to[i])
         return False;
   for (SizeT i = 0; i < size; i++)
      if (from[i] != to[i])
         bytes[i] = to[i];
   return True;
}

typedef Bool Reader(DebugInfo* record, CoreDebugStep step);

/* The second step is the core's to judge: it goes on if that fails.  */
static Bool read_all(const DebugPast* past, UChar* other, Reader* read)
{
   DebugInfo* record = (DebugInfo*)other;
   if (past->paused == NULL)
      return read(record, CoreReadsAll);
   if (!read(record, CoreReadsObject))
      return False;
   if (!pause_is_strange) {
      other[pause_flag] = 1;
      core_debug_complete(record);
   }
   if (!take_changes(other, past->size, past->paused, past->resumed))
      return False;
   (void)read(record, CoreReadsRest);
   return True;
}

Bool debug_past_make_up(DebugPast* past, DebugInfo* record, Reader* read)
{
   if (past->finished == NULL)
      return False;
   UChar* other = copy_of(past->before, past->size);
   Bool is_read = read_all(past, other, read);
   if (is_read) {
      core_debug_complete((DebugInfo*)other);
      is_read = take_changes((UChar*)record, past->size, past->finished, other);
   }
   if (is_read)
      VG_(memcpy)(past->finished, other, past->size);
   VG_(free)(other);
   return is_read;
}

#endif
