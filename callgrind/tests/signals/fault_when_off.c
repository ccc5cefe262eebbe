/* SPDX-License-Identifier: GPL-2.0-or-later

   A handler looks at where the program faults: in code that ran before there was a
   handler, with instrumentation off.  Prints how far from the instruction it is told.
   With an argument, the handler is told the signal and no more, and nothing is printed.  */

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static sigjmp_buf out;
static char* told;

static void on_fault(int signal, siginfo_t* info, void* context)
{
   (void)signal, (void)info;
#if defined(__x86_64__)
   told = (char*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#else
   (void)context;
#endif
   siglongjmp(out, 1);
}

#if defined(__x86_64__)
/* The load that faults stands behind others in its superblock.  */
int load(int* from);
extern char load_it[];
__asm__("load: mov $1, %eax\n"
        "add $2, %eax\n"
        "mov %eax, -8(%rsp)\n"
        "load_it: mov (%rdi), %eax\n"
        "ret\n");
#else
static char* load_it;
static int load(int* from) { return *(volatile int*)from; }
#endif

int main(int n_arguments, char** arguments)
{
   (void)arguments;
   int number = 1;
   load(&number);

   struct sigaction action;
   memset(&action, 0, sizeof action);
   action.sa_sigaction = on_fault;
   action.sa_flags = n_arguments == 1 ? SA_SIGINFO : 0;
   sigaction(SIGSEGV, &action, NULL);

   if (sigsetjmp(out, 1) == 0)
      load((int*)8);
   if (n_arguments == 1)
      printf("%ld\n", (long)(told - load_it));
   return 0;
}
