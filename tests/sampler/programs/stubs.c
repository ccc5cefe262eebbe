/* SPDX-License-Identifier: GPL-2.0-or-later

   Frames that are not an ordinary function's: stubs of the linker, the vDSO, signal
   handlers, handlers on a stack of their own.  Three tenths of a second in each.

      stubs plt|vdso|signal|altstack

   A stub of the linker is one instruction, and some processors are interrupted before or
   behind it, but never there.  So now and then the page with its target is taken away:
   then the kernel has to fetch it, and works for the stub.  */

#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int tiny(int number); /* of library.c */

static volatile unsigned sink;

static int is_over(void)
{
   static clock_t end;
   if (end == 0)
      end = clock() + CLOCKS_PER_SEC * 3 / 10;
   return clock() > end;
}

/* Of this program, the page where the first stubs find their targets; or NULL.  */
static int find_targets(struct dl_phdr_info* info, size_t unused, void* page)
{
   (void)unused;
   for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_JMPREL) { /* the linker may have added the base, or not */
         ElfW(Addr) at = entry->d_un.d_ptr;
         at += at < info->dlpi_addr ? info->dlpi_addr : 0;
         at = info->dlpi_addr + ((const ElfW(Rela)*)at)->r_offset;
         *(char**)page = (char*)(at - at % (ElfW(Addr))sysconf(_SC_PAGESIZE));
      }
   }
   return 1; /* the program itself is the first object */
}

/* Puts a file with the same bytes in place of the page: what is taken away of such a
   mapping is not lost.  */
static char* page_of_targets(size_t size)
{
   char* page = NULL;
   dl_iterate_phdr(find_targets, &page);
   if (page == NULL)
      return NULL;
   int file = memfd_create("page", 0);
   int protection = PROT_READ | PROT_WRITE;
   if (write(file, page, size) != (ssize_t)size ||
       mmap(page, size, protection, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      return NULL;
   return page;
}

__attribute__((noinline)) void through_stubs(void)
{
   size_t size = (size_t)sysconf(_SC_PAGESIZE);
   char* page = page_of_targets(size);
   while (!is_over()) {
      for (int i = 0; i < 100000; i++)
         sink += (unsigned)tiny(i);
      for (int i = 0; i < 200 && page != NULL; i++) {
         madvise(page, size, MADV_DONTNEED);
         sink += (unsigned)tiny(i);
      }
   }
}

__attribute__((noinline)) void in_vdso(void)
{
   struct timespec now;
   while (!is_over()) {
      for (int i = 0; i < 10000; i++) {
         clock_gettime(CLOCK_MONOTONIC, &now);
         sink += (unsigned)now.tv_nsec;
      }
   }
}

__attribute__((noinline)) void in_handler(void)
{
   for (unsigned i = 0; i < 100000; i++)
      sink = sink * 1664525u + 1013904223u;
   sink++;
}

static void handler(int number)
{
   (void)number;
   in_handler();
   sink++;
}

__attribute__((noinline)) void interrupted(int flags)
{
   struct sigaction action = {.sa_flags = flags};
   static char stack[65536];
   stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
   sigaltstack(&other, NULL);
   action.sa_handler = handler;
   sigaction(SIGUSR1, &action, NULL);
   while (!is_over())
      raise(SIGUSR1);
   sink++;
}

int main(int count, char** arguments)
{
   const char* what = count > 1 ? arguments[1] : "";
   if (strcmp(what, "plt") == 0)
      through_stubs();
   else if (strcmp(what, "vdso") == 0)
      in_vdso();
   else if (strcmp(what, "signal") == 0)
      interrupted(0);
   else if (strcmp(what, "altstack") == 0)
      interrupted(SA_ONSTACK);
   else
      return 2;
   return 0;
}
