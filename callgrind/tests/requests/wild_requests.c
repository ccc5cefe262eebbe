/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Makes the requests that the core carries out, with addresses that cannot be read,
   written or executed, and one whose own address is such.  None does anything, and each
   has its default for a result.  Then some that are good.
*/

#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "valgrind.h"

#define PAGE 65536

static char* pages(void)
{
   return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static unsigned long ask(unsigned long code, const void* first, const void* second)
{
   return VALGRIND_DO_CLIENT_REQUEST_EXPR(17, code, first, second, 0, 0, 0);
}

/* As VALGRIND_PRINTF, by reference.  */
static void print(unsigned long code, const char* format, ...)
{
   va_list list;
   va_start(list, format);
   ask(code, format, &list);
   va_end(list);
}

/* A request at an address of the program's choice.  */
static unsigned long ask_at(const void* request)
{
   unsigned long result = 17;
#if defined(__x86_64__)
   const void* after = request;
   __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                    "xchgq %%rbx, %%rbx"
                    : "+d"(result), "+a"(after)
                    :
                    : "cc", "memory");
   if (after != request)
      printf("the register has changed\n");
#else
   (void)request;
#endif
   return result;
}

static void ask_all(const char* bad)
{
   static const unsigned long codes[] = {
      VG_USERREQ__GDB_MONITOR_COMMAND,
      VG_USERREQ__CLO_CHANGE,
      VG_USERREQ__PRINTF,
      VG_USERREQ__PRINTF_BACKTRACE,
      VG_USERREQ__PRINTF_VALIST_BY_REF,
      VG_USERREQ__PRINTF_BACKTRACE_VALIST_BY_REF,
      VG_USERREQ__CLIENT_CALL0,
      VG_USERREQ__CLIENT_CALL3,
   };
   for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++)
      if (ask(codes[i], bad, bad) != 17)
         printf("request %#lx has another result\n", codes[i]);
   if (ask(VG_USERREQ__MAP_IP_TO_SRCLOC, (void*)&ask_all, bad) != 17)
      printf("a place was written\n");
   if (ask(VG_USERREQ__PRINTF_VALIST_BY_REF, "%s\n", bad) != 17)
      printf("a list was read\n");
   print(VG_USERREQ__PRINTF_VALIST_BY_REF, "%d %.*s %5s\n", 1, 2, "three", bad);
   print(VG_USERREQ__PRINTF_BACKTRACE_VALIST_BY_REF, "%ld %s %s\n", 1L, "two", bad);
   if (ask_at(bad) != 17)
      printf("a request was read\n");
}

int main(void)
{
   char *none = pages(), *forbidden = pages(), *text = pages() + PAGE - 8;
   munmap(none, PAGE);
   mprotect(forbidden, PAGE, PROT_NONE);
   memset(text, 'x', 8); /* up to what follows, which is not there */
   munmap(text + 8, PAGE);
   ask_all((char*)8);
   ask_all((char*)0x8000000000000000);
   ask_all((char*)-1);
   ask_all(none);
   ask_all(none + 3);
   ask_all(forbidden);
   char place[64] = "";
   VALGRIND_MAP_IP_TO_SRCLOC(&main, place);
   printf("%s\n", place);
   fflush(stdout);
   print(VG_USERREQ__PRINTF_VALIST_BY_REF, "%s %d %c %s\n", "good", 2, 'c', "end");
   VALGRIND_PRINTF("%5s %.*s %lu %%\n", "one", 2, "two", 3UL);
   VALGRIND_MONITOR_COMMAND("no such command");
   return 0;
}
