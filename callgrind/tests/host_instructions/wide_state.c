/* SPDX-License-Identifier: GPL-2.0-or-later

   The registers that only AVX-512 has: a handler, a thread and a forked child have their
   own, a program that is executed has none; a fault is told as ever, and nothing is lost
   by it; and what AVX and SSE leave of a vector is what the processor leaves.  */

#if defined(__x86_64__)

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define SIZE 64
#define MASK(value) ((value) * 0x0101010101010101UL)

typedef unsigned char Vector[SIZE];

static void set(unsigned char value)
{
   Vector bytes;
   memset(bytes, value, sizeof bytes);
   __asm__ volatile("vmovdqu64 %0, %%zmm17\n"
                    "vmovdqu64 %0, %%zmm3\n"
                    "kmovq %1, %%k3"
                    :
                    : "m"(bytes), "r"(MASK(value))
                    : "memory");
}

/* Have they this value, in each byte from `first` on?  */
static int are(unsigned char value, unsigned first)
{
   Vector high, low;
   unsigned long mask;
   int same = 1;
   __asm__ volatile("vmovdqu64 %%zmm17, %0\n"
                    "vmovdqu64 %%zmm3, %1\n"
                    "kmovq %%k3, %2"
                    : "=m"(high), "=m"(low), "=r"(mask));
   for (unsigned i = first; i < SIZE; i++)
      same &= high[i] == value && low[i] == value;
   return same && mask == MASK(value);
}

static int is(unsigned char value) { return are(value, 0); }

/*--------------------------------------------------------------------*/

static int in_handler;

static void on_signal(int number)
{
   (void)number;
   set(9);
   in_handler = is(9);
}

static void* begin(void* argument)
{
   (void)argument;
   set(4);
   return (void*)(long)is(4);
}

static void be_copied(void)
{
   struct sigaction action = {.sa_handler = on_signal};
   pthread_t thread;
   void* result;
   int status;
   sigaction(SIGUSR1, &action, NULL);
   set(7);
   kill(getpid(), SIGUSR1);
   printf("in a handler: %d, behind it: %d\n", in_handler, is(7));
   pthread_create(&thread, NULL, begin, NULL);
   pthread_join(thread, &result);
   printf("in a thread: %d\n", (int)(long)result);
   fflush(stdout);
   set(6);
   const pid_t child = fork();
   if (child == 0) {
      const int is_inherited = is(6);
      set(8);
      _exit(is_inherited && is(8) ? 3 : 4);
   }
   waitpid(child, &status, 0);
   printf("in a child: %d, in its parent: %d\n", WEXITSTATUS(status), is(6));
}

/*--------------------------------------------------------------------*/

static unsigned char* pages; /* two; the second one is protected */
static long place;
static int code;

static void on_fault(int number, siginfo_t* info, void* context)
{
   (void)number, (void)context;
   place = (long)((unsigned char*)info->si_addr - pages);
   code = info->si_code;
   mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void protect(int protection)
{
   mprotect(pages + PAGE, PAGE, protection);
   place = 0, code = 0;
}

static void report(const char* what, int first, int last)
{
   printf("%s: at %ld, code %d, %d %d\n", what, place, code, first, last);
}

static void fault(void)
{
   struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
   Vector bytes;
   int index[16];
   unsigned long mask;
   sigaction(SIGSEGV, &action, NULL);
   pages =
      mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   memset(pages, 1, 2 * PAGE);
   for (int i = 0; i < 16; i++)
      index[i] = i * 4 - 32;

   memset(bytes, 3, sizeof bytes);
   protect(PROT_NONE);
   __asm__ volatile("vmovdqu64 %1, %%zmm20\n"
                    "vmovdqu64 %%zmm20, %0"
                    : "=m"(*(Vector*)&pages[PAGE - 16])
                    : "m"(bytes)
                    : "memory");
   report("a store", pages[PAGE - 16], pages[PAGE + 47]);

   protect(PROT_NONE);
   __asm__ volatile("vpxord %%zmm20, %%zmm20, %%zmm20\n"
                    "vpaddb %1, %%zmm20, %%zmm20\n"
                    "vmovdqu64 %%zmm20, %0"
                    : "=m"(bytes)
                    : "m"(*(Vector*)&pages[PAGE - 60])
                    : "memory");
   report("a load", bytes[0], bytes[63]);

   protect(PROT_NONE);
   __asm__ volatile("kmovq %2, %%k1\n"
                    "vmovdqu8 %1, %%zmm20%{%%k1%}%{z%}\n"
                    "vmovdqu64 %%zmm20, %0"
                    : "=m"(bytes)
                    : "m"(*(Vector*)&pages[PAGE - 16]), "r"(0xffffUL)
                    : "memory");
   report("a load that a mask keeps from it", bytes[0], bytes[63]);

   __asm__ volatile("vmovdqu64 %2, %%zmm21\n"
                    "kxnorw %%k2, %%k2, %%k2\n"
                    "vpxord %%zmm20, %%zmm20, %%zmm20\n"
                    "vpgatherdd (%3,%%zmm21), %%zmm20%{%%k2%}\n"
                    "vmovdqu64 %%zmm20, %0\n"
                    "kmovq %%k2, %1"
                    : "=m"(bytes), "=r"(mask)
                    : "m"(index), "r"(pages + PAGE)
                    : "memory");
   report("a gather", bytes[0], bytes[63]);
   printf("its mask: %lx\n", mask);

   memset(bytes, 77, sizeof bytes);
   protect(PROT_READ);
   __asm__ volatile("vmovdqu64 %0, %%zmm20\n"
                    "vmovdqu64 %1, %%zmm21\n"
                    "kxnorw %%k2, %%k2, %%k2\n"
                    "vpscatterdd %%zmm20, (%2,%%zmm21)%{%%k2%}"
                    :
                    : "m"(bytes), "m"(index), "r"(pages + PAGE)
                    : "memory");
   report("a scatter", pages[PAGE - 1], pages[PAGE]);
}

/*--------------------------------------------------------------------*/

#define LEAVE(name, code)                                                                \
   do {                                                                                  \
      Vector bytes;                                                                      \
      set(5);                                                                            \
      __asm__ volatile(code "\n vmovdqu64 %%zmm3, %0" : "=m"(bytes) : : "memory");       \
      printf(name " leaves %d %d %d\n", bytes[0], bytes[16], bytes[63]);                 \
   } while (0)

int main(int argc, char** argv)
{
   if (argc > 1) { /* without Valgrind, the C library has used them already */
      const int is_clear = are(0, SIZE / 2);
      puts(is_clear ? "executed, and all is zero" : "executed");
      return 0;
   }
   be_copied();
   fault();
   LEAVE("SSE", "paddb %%xmm3, %%xmm3");
   LEAVE("AVX", "vpaddb %%xmm3, %%xmm3, %%xmm3");
   LEAVE("vzeroupper", "vzeroupper");
   fflush(stdout);
   execl(argv[0], argv[0], "again", NULL);
   return 1;
}

#else

int main(void) { return 0; }

#endif
