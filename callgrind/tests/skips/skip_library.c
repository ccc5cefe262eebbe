/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC -foptimize-sibling-calls -Wl,-z,now
   A library that tests fold away.  It calls back into the program in all sorts of ways,
   and some of its functions issue client requests.
*/

#include <stddef.h>

#include "callgrind.h"

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(lib_cost, 100)

Callback lib_in_handler;

OPAQUE void lib_inner(Callback callback)
{
   lib_cost();
   callback();
   lib_cost();
   NO_TAIL_CALL;
}

OPAQUE void lib_call(Callback callback)
{
   lib_inner(callback);
   NO_TAIL_CALL;
}

OPAQUE void lib_start(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   NO_TAIL_CALL;
}

OPAQUE void lib_stop(void)
{
   CALLGRIND_STOP_INSTRUMENTATION;
   NO_TAIL_CALL;
}

OPAQUE void lib_measure(Callback callback)
{
   lib_start();
   lib_inner(callback);
   lib_stop();
   NO_TAIL_CALL;
}

OPAQUE void lib_descend(int depth, Callback at_bottom, Callback on_return)
{
   if (depth > 1)
      lib_descend(depth - 1, at_bottom, on_return);
   else
      at_bottom();
   lib_cost();
   on_return();
   NO_TAIL_CALL;
}

OPAQUE void* lib_thread(void* callback)
{
   ((Callback)callback)();
   lib_call((Callback)callback);
   NO_TAIL_CALL;
   return NULL;
}

OPAQUE void lib_jump(Callback callback)
{
   lib_cost();
   callback();
}

/* The signal is there at once, before the call returns.  */
OPAQUE NAKED void lib_kill(__attribute__((unused)) long pid,
                           __attribute__((unused)) long signal)
{
   __asm__(NUMBER_OF_KILL "\n\t" SYSTEM_CALL "\n\tnop\n\tnop\n\tret");
}

OPAQUE void lib_raise(long pid, long signal)
{
   lib_kill(pid, signal);
   lib_cost();
   NO_TAIL_CALL;
}

OPAQUE void lib_disturbed(long pid, long signal, Callback callback)
{
   lib_raise(pid, signal);
   lib_cost();
   callback();
   NO_TAIL_CALL;
}

OPAQUE void lib_handler(int signal)
{
   (void)signal;
   lib_cost();
   lib_in_handler();
   lib_cost();
   NO_TAIL_CALL;
}
