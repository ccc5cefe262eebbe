/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   As phantom_root, through JIT code, of which nothing is known, between
   main's side and the wrappers in which measurement starts.  The argument says how it
   looks:

      frame    it keeps a frame pointer
      bare     it has the stack pointer only
      decoy    the same, and where its return address might be expected lies another one:
               that of a call that ended long ago

   A second argument `call` makes it call a function of the program when they have
   returned; `name` does so too, and says in a perf map that its name is `thunk`.
*/

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

typedef void (*Callback)(void);
typedef void (*Thunk)(Callback first, Callback then, void* decoy);

KNOWN_COST(leaf, 10)

/* Calls nothing but leaf; the end of that call is the decoy.  */
void end_of_old_call(void);
OPAQUE __attribute__((naked)) void old_caller(void)
{
   __asm__("call leaf\n\t.globl end_of_old_call\nend_of_old_call:\n\tret");
}

OPAQUE static void innermost(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void middle(void)
{
   innermost();
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void outermost(void)
{
   middle();
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void called_by_thunk(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void enter(Thunk thunk, Callback then)
{
   thunk(outermost, then, (void*)end_of_old_call);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void callee(void)
{
   leaf();
   NO_TAIL_CALL;
}

/* push %rbp; mov %rsp,%rbp; push %rbx; push %rbx; mov %rsi,%rbx; call *%rdi;
   test %rbx,%rbx; je over the call; call *%rbx; pop %rbx; pop %rbx; pop %rbp; ret */
static const unsigned char with_frame[] = {0x55, 0x48, 0x89, 0xe5, 0x53, 0x53, 0x48, 0x89,
                                           0xf3, 0xff, 0xd7, 0x48, 0x85, 0xdb, 0x74, 0x02,
                                           0xff, 0xd3, 0x5b, 0x5b, 0x5d, 0xc3};

/* push %rbx; mov %rsi,%rbx; and as above */
static const unsigned char without_frame[] = {0x53, 0x48, 0x89, 0xf3, 0xff,
                                              0xd7, 0x48, 0x85, 0xdb, 0x74,
                                              0x02, 0xff, 0xd3, 0x5b, 0xc3};

/* push %rbx; mov %rsi,%rbx; push %rdx; push %rdx; and as above, with add $16,%rsp */
static const unsigned char with_decoy[] = {0x53, 0x48, 0x89, 0xf3, 0x52, 0x52, 0xff,
                                           0xd7, 0x48, 0x85, 0xdb, 0x74, 0x02, 0xff,
                                           0xd3, 0x48, 0x83, 0xc4, 0x10, 0x5b, 0xc3};

static void write_code(unsigned char* place, const char* how)
{
   if (strcmp(how, "frame") == 0)
      memcpy(place, with_frame, sizeof with_frame);
   else if (strcmp(how, "decoy") == 0)
      memcpy(place, with_decoy, sizeof with_decoy);
   else
      memcpy(place, without_frame, sizeof without_frame);
}

/* Makes a perf map with one line.  */
static void name_thunk(const unsigned char* place, char* path)
{
   sprintf(path, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(path, "w");
   if (map == NULL)
      return;
   fprintf(map, "%lx %zx thunk\n", (unsigned long)place, sizeof with_frame);
   fclose(map);
}

int main(int argc, char** argv)
{
   unsigned char* place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (place == MAP_FAILED) {
      perror("mmap");
      return 1;
   }
   write_code(place, argc > 1 ? argv[1] : "frame");
   char path[64] = "";
   if (argc > 2 && strcmp(argv[2], "name") == 0)
      name_thunk(place, path);
   old_caller();
   enter((Thunk)place, argc > 2 ? called_by_thunk : NULL);
   callee();
   CALLGRIND_STOP_INSTRUMENTATION;
   if (path[0] != '\0')
      (void)unlink(path);
   return 0;
}
