/* SPDX-License-Identifier: GPL-2.0-or-later

   Starts the measurement in the middle of any program: at its Nth call of malloc, from
   however deep that comes.  For LD_PRELOAD, with --instr-atstart=no; does nothing where
   the program does not run under Valgrind.

      START_AFTER   N
      START_STACK   the file for the stack at that time: a line `ADDRESS OBJECT` for each
                    frame, innermost first, ADDRESS being a return address as the
                    object's own file counts it

   The stack is read by the compiler's unwinder, which shares no code with Valgrind's.
   Relies on glibc: backtrace, dladdr1, __libc_malloc.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define MOST_FRAMES 4096

extern void* __libc_malloc(size_t size);

static atomic_long calls_left; /* 0: not now, not any more */

static void write_stack(void)
{
   static void* frames[MOST_FRAMES];
   const char* name = getenv("START_STACK");
   FILE* file = name != NULL ? fopen(name, "w") : NULL;
   if (file == NULL)
      abort();
   int depth = backtrace(frames, MOST_FRAMES);
   for (int i = 0; i < depth; i++) {
      Dl_info where;
      struct link_map* object = NULL;
      if (dladdr1(frames[i], &where, (void**)&object, RTLD_DL_LINKMAP) == 0)
         fprintf(file, "%#lx ?\n", (unsigned long)frames[i]);
      else
         fprintf(file, "%#lx %s\n", (unsigned long)frames[i] - object->l_addr,
                 object->l_name);
   }
   if (depth == MOST_FRAMES || fclose(file) != 0)
      abort();
}

void* malloc(size_t size)
{
   if (calls_left > 0 && atomic_fetch_sub(&calls_left, 1) == 1) {
      write_stack();
      CALLGRIND_START_INSTRUMENTATION;
   }
   return __libc_malloc(size);
}

__attribute__((constructor)) static void prepare(void)
{
   void* frames[1];
   const char* after = getenv("START_AFTER");
   if (after == NULL || !RUNNING_ON_VALGRIND)
      return;
   backtrace(frames, 1); /* the first one loads the unwinder */
   calls_left = atol(after);
}
