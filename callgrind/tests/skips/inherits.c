/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Executes itself in a child process, as `inherits child`.  The first argument says in
   which state, on or off; a second one is the path of an object that is registered for
   skipping before.  Every process calls a library; the parent does so measured, behind
   the child.
*/

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(work, 10)

OPAQUE static void run(void)
{
   lib_call(work);
   NO_TAIL_CALL;
}

OPAQUE static void run_child(const char* program)
{
   if (fork() == 0) {
      execl(program, program, "child", (char*)NULL);
      _exit(1);
   }
   wait(NULL);
}

int main(int argc, char** argv)
{
   const char* state = argc > 1 ? argv[1] : "child";
   if (strcmp(state, "child") == 0) {
      run();
      return 0;
   }
   if (argc > 2)
      CALLGRIND_ADD_OBJ_SKIP(argv[2]);
   if (strcmp(state, "on") == 0)
      CALLGRIND_START_INSTRUMENTATION;
   else {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_STOP_INSTRUMENTATION;
   }
   run_child(argv[0]);
   CALLGRIND_START_INSTRUMENTATION;
   run();
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
