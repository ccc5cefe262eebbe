/* SPDX-License-Identifier: GPL-2.0-or-later

   See thread_names.h.  Of a number that many threads have had, the first names are kept,
   and that there were others.  */

#include "model/thread_names.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define MOST_EARLIER 3

typedef struct {
   HChar now[THREAD_NAME_SIZE];
   UInt n_earlier; /* up to MOST_EARLIER, and one more: there were others */
   HChar earlier[MOST_EARLIER][THREAD_NAME_SIZE];
} ThreadNames;

static ThreadNames* names; /* by number */

void thread_names_init(void)
{
   if (names == NULL)
      names = VG_(calloc)("thread_names", VG_N_THREADS, sizeof *names);
}

static Bool is_earlier(const ThreadNames* of, const HChar* name)
{
   for (UInt i = 0; i < of->n_earlier && i < MOST_EARLIER; i++)
      if (VG_(strcmp)(of->earlier[i], name) == 0)
         return True;
   return False;
}

void thread_names_begin(UInt thread)
{
   ThreadNames* of = &names[thread];
   if (of->now[0] != '\0' && !is_earlier(of, of->now)) {
      if (of->n_earlier < MOST_EARLIER)
         VG_(strcpy)(of->earlier[of->n_earlier], of->now);
      if (of->n_earlier <= MOST_EARLIER)
         of->n_earlier++;
   }
   of->now[0] = '\0';
}

void thread_names_set(UInt thread, const HChar name[THREAD_NAME_SIZE])
{
   tl_assert(VG_(strlen)(name) < THREAD_NAME_SIZE);
   VG_(strcpy)(names[thread].now, name);
}

const HChar* thread_names_now(UInt thread) { return names[thread].now; }

HChar* thread_names_all(UInt thread)
{
   const ThreadNames* of = &names[thread];
   HChar* all =
      VG_(malloc)("thread_names.all", (MOST_EARLIER + 2) * (THREAD_NAME_SIZE + 2));
   all[0] = '\0';
   for (UInt i = 0; i < of->n_earlier; i++) {
      VG_(strcat)(all, i == 0 ? "" : ", ");
      VG_(strcat)(all, i < MOST_EARLIER ? of->earlier[i] : "...");
   }
   if (of->now[0] != '\0' && !is_earlier(of, of->now)) {
      VG_(strcat)(all, all[0] == '\0' ? "" : ", ");
      VG_(strcat)(all, of->now);
   }
   return all;
}
