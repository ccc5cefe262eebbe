/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   Client requests in code that a program makes: written before it is made executable, or
   into memory that is writable and executable, and into shared memory.  Each is a function
   that says START, counts down, and says STOP.  It also reads the bytes of each again.  */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "callgrind.h"

/* To be copied: nothing here depends on where it is.  */
void starts_and_stops(void);
extern const char starts_end[], start_request[], stop_request[];
#define REQUEST                                                                          \
   "rolq $3, %rdi; rolq $13, %rdi; rolq $61, %rdi; rolq $51, %rdi; xchgq %rbx, %rbx\n"
__asm__("starts_and_stops:\n"
        "   push %rbx\n"
        "   sub $64, %rsp\n"
        "   xor %edx, %edx\n"
        "   movq $0, 8(%rsp); movq $0, 16(%rsp); movq $0, 24(%rsp); movq $0, 32(%rsp)\n"
        "   movq $0, 40(%rsp)\n"
        "start_request:\n"
        "   movq $0x43540004, (%rsp)\n"
        "   mov %rsp, %rax\n" REQUEST "   mov $1000, %ecx\n"
        "1: dec %ecx\n"
        "   jnz 1b\n"
        "stop_request:\n"
        "   movq $0x43540005, (%rsp)\n"
        "   mov %rsp, %rax\n"
        "   xor %edx, %edx\n" REQUEST "   add $64, %rsp\n"
        "   pop %rbx\n"
        "   ret\n"
        "starts_end:\n");

static void run(const char* name, void* code)
{
   size_t size = (size_t)(starts_end - (const char*)starts_and_stops);
   ((void (*)(void))code)();
   printf("%s: %s\n", name,
          memcmp(code, (const void*)starts_and_stops, size) == 0 ? "as written" : "changed");
}

int main(void)
{
   size_t size = (size_t)(starts_end - (const char*)starts_and_stops);
   int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

   char* late = mmap(NULL, 4096, PROT_READ | PROT_WRITE, anonymous, -1, 0);
   memcpy(late, (const void*)starts_and_stops, size);
   mprotect(late, 4096, PROT_READ | PROT_EXEC);
   run("made executable", late);

   char* both = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, anonymous, -1, 0);
   memcpy(both + 4090, (const void*)starts_and_stops, size);
   run("writable", both + 4090);

   int file = memfd_create("code", 0);
   if (ftruncate(file, 4096) != 0)
      return 1;
   char* writes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
   char* runs = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
   memcpy(writes, (const void*)starts_and_stops, size);
   run("shared", runs);
   return 0;
}
