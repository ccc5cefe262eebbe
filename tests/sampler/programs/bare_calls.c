/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls where no call frame information is, as in a C library's clone().

      bare_calls reads     waits for a pipe fifty times, in a function without rules
      bare_calls threads   starts three hundred threads, one after the other  */

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long bare_read(int file, void* bytes, unsigned long size);

__asm__(".text\n"
        ".globl bare_read\n"
        ".type bare_read, @function\n"
        "bare_read: xor %eax, %eax\n"
        "   syscall\n"
        "   ret\n"
        ".size bare_read, . - bare_read\n");

__attribute__((noinline)) long reading(int file)
{
   char byte;
   return bare_read(file, &byte, 1) + 1;
}

__attribute__((noinline)) void reads(void)
{
   int ends[2];
   if (pipe(ends) != 0)
      return;
   if (fork() == 0) {
      struct timespec pause = {0, 2000000};
      for (int i = 0; i < 50; i++) {
         nanosleep(&pause, NULL);
         (void)!write(ends[1], "", 1);
      }
      _exit(0);
   }
   for (int i = 0; i < 50; i++)
      reading(ends[0]);
   wait(NULL);
}

static void* run(void* nothing) { return nothing; }

__attribute__((noinline)) static void starting(void)
{
   pthread_t thread;
   if (pthread_create(&thread, NULL, run, NULL) == 0)
      pthread_join(thread, NULL);
}

int main(int argc, char** argv)
{
   if (argc > 1 && strcmp(argv[1], "reads") == 0)
      reads();
   else
      for (int i = 0; i < 300; i++)
         starting();
   return 0;
}
