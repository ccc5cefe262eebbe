/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   A library is registered for skipping when it has been measured for a while.  The first
   argument says when:

      ran      after two calls of it, before three more
      active   by a function that it calls, so that two of its functions are under way;
               then three more calls
      deep     the same, 6 of its functions deep, each of which calls the program
               afterwards

   Where functions are under way, a part is dumped just then.  The second argument is the
   path; without it the program does the same, but what it asks for has nothing to do with
   skipping.
*/

#include <string.h>

#include "callgrind.h"

#include "known_cost.h"
#include "skip_library.h"

static const char* path;

KNOWN_COST(leaf, 10)

OPAQUE static void work(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void returning(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void register_path(void)
{
   int code = path != NULL ? VG_USERREQ__ADD_OBJ_SKIP : VG_USERREQ__ADD_DESC;
   const char* text = path != NULL ? path : "Note: nothing is registered";
   VALGRIND_DO_CLIENT_REQUEST_STMT(code, text, 0, 0, 0, 0);
}

OPAQUE static void register_now(void)
{
   register_path();
   CALLGRIND_DUMP_STATS;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void run(void)
{
   lib_call(work);
   NO_TAIL_CALL;
}

OPAQUE static void run_active(void)
{
   lib_call(register_now);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void run_deep(void)
{
   lib_descend(6, register_now, returning);
   leaf();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   const char* when = argc > 1 ? argv[1] : "ran";
   path = argc > 2 ? argv[2] : NULL;
   if (strcmp(when, "active") == 0)
      run_active();
   else if (strcmp(when, "deep") == 0)
      run_deep();
   else {
      run();
      run();
      register_path();
   }
   for (int i = 0; i < 3; i++)
      run();
   return 0;
}
