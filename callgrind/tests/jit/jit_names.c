/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Makes functions of JIT code at addresses that it chooses, calls them, and says in
   /tmp/perf-PID.map, or in a jitdump file, what they are called: each letter of the
   argument is something that it does.

      a..d   calls the code at place 0 to 3, from the function `run`
      A..D   writes new code to the place: 10, 20, 30 ... instructions
      K      writes code to place 0 that says of itself, when it runs, that it is `one`,
             and calls the code at place 1
      U, M   unmaps all places; maps them again
      1      says that place 0 is `one`; 2 that it is `two`, 3 that place 1 is `two`
      0      says nothing that makes sense, of place 0 and otherwise
      L      says that place 2 is called 10,000 letters; W that place 3 is called `a;b`, a
             tabulator, a backslash and more
      I      says that place 0 is called `(1)`, and place 1 `(2) two`
      j      begins a jitdump file in this folder; 4 says there that place 0 is `dumped`,
             5 that place 0's code and name have moved to place 1, 6 writes half a record
      i, s   stops and starts instrumentation
      f      goes on in a forked child, and waits for it
*/

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"
#include "known_cost.h"

#define PLACE ((unsigned char*)0x1230000000)
#define DISTANCE 0x100
#define SIZE 0x80

typedef void (*Code)(void);

OPAQUE static void run(Code code)
{
   code();
   NO_TAIL_CALL;
}

static unsigned char* place(int number) { return PLACE + number * DISTANCE; }

static void map_places(void)
{
   void* at = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
   if (at != PLACE) {
      perror("mmap");
      exit(1);
   }
}

/* Nops and a return; each time more of them.  */
static void write_code(int number)
{
   static int size;
   size += 10;
   memset(place(number), 0x90, (size_t)size - 1);
   place(number)[size - 1] = 0xc3;
}

static void say(const char* format, int number, const char* name)
{
   static FILE* map;
   static pid_t owner;
   if (owner != getpid()) {
      char path[64];
      snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
      map = fopen(path, "w");
      owner = getpid();
   }
   fprintf(map, format, (unsigned long)place(number), SIZE, name);
   fflush(map);
}

static void say_name(int number, const char* name) { say("%lx %x %s\n", number, name); }

static void say_long_name(int number)
{
   static char name[10001];
   memset(name, 'x', 10000);
   say_name(number, name);
}

/*--------------------------------------------------------------------*/
/* jitdump: see the format's specification in Linux's tools/perf.  */

static int dump_file;

static void begin_dump(void)
{
   char path[64];
   snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
   dump_file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0666);
   uint32_t words[10] = {0x4a695444, 1, sizeof words, 62, 0, (uint32_t)getpid()};
   if (write(dump_file, words, sizeof words) != sizeof words ||
       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump_file, 0) == MAP_FAILED)
      perror(path);
}

static void dump(uint32_t kind, const uint64_t* numbers, int n, const char* name,
                 size_t cut)
{
   unsigned char record[256];
   size_t size = 16;
   uint32_t process[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
   memcpy(record + size, process, sizeof process);
   size += sizeof process;
   memcpy(record + size, numbers, (size_t)n * sizeof *numbers);
   size += (size_t)n * sizeof *numbers;
   if (name != NULL) {
      memcpy(record + size, name, strlen(name) + 1);
      size += strlen(name) + 1;
      memset(record + size, 0x90, SIZE);
      size += SIZE;
   }
   uint32_t head[4] = {kind, (uint32_t)size, 0, 0};
   memcpy(record, head, sizeof head);
   if (write(dump_file, record, size - cut) < 0)
      perror("write");
}

static void dump_loaded(int number, const char* name, size_t cut)
{
   uint64_t at = (uint64_t)place(number);
   dump(0, (uint64_t[]){at, at, SIZE, 1}, 4, name, cut);
}

static void dump_moved(int from, int to)
{
   uint64_t old = (uint64_t)place(from), new = (uint64_t)place(to);
   dump(1, (uint64_t[]){new, old, new, SIZE, 1}, 5, NULL, 0);
}

/*--------------------------------------------------------------------*/

static void say_one_and_call(void)
{
   say_name(0, "one");
   run((Code)place(1));
}

/* A call with a frame around it, four nops and a return.  */
static void write_code_that_names_itself(void)
{
   static const unsigned char code[] = {
      0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0, 0,    0,    0,    0,    0,   0,
      0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0x90, 0x90, 0x90, 0x90, 0xc3};
   void (*called)(void) = say_one_and_call;
   memcpy(place(0), code, sizeof code);
   memcpy(place(0) + 6, &called, sizeof called);
}

static void go_on_in_child(void)
{
   pid_t child = fork();
   int status;
   if (child == 0)
      return;
   waitpid(child, &status, 0);
   exit(0);
}

static void act(char letter)
{
   switch (letter) {
   case 'U': munmap(PLACE, 4096); break;
   case 'M': map_places(); break;
   case '1': say_name(0, "one"); break;
   case '2': say_name(0, "two"); break;
   case '3': say_name(1, "two"); break;
   case '0':
      say("%lx %x", 0, "");
      say("\n\n   \n%lx\n%x\n%s\n", 0, "0");
      say("%lx %x\n%s\n", 0, "name without numbers");
      say("f%lx0000000 %x %s\n", 0, "too_high");
      say("%lx -%x %s\n", 0, "negative");
      say("%lx 0 %x%s\n", 0, "empty");
      say("%lx %x %s\n", 0, "");
      break;
   case 'K': write_code_that_names_itself(); break;
   case 'L': say_long_name(2); break;
   case 'W': say_name(3, "a;b\tc\\d \001 \377 fn=(1) '2 e"); break;
   case 'I':
      say_name(0, "(1)");
      say_name(1, "(2) two");
      break;
   case 'j': begin_dump(); break;
   case '4': dump_loaded(0, "dumped", 0); break;
   case '5': dump_moved(0, 1); break;
   case '6': dump_loaded(0, "half", 10); break;
   case 'i': CALLGRIND_STOP_INSTRUMENTATION; break;
   case 's': CALLGRIND_START_INSTRUMENTATION; break;
   case 'f': go_on_in_child(); break;
   default:
      if (letter >= 'A' && letter <= 'D')
         write_code(letter - 'A');
      else
         run((Code)place(letter - 'a'));
   }
}

int main(int argc, char** argv)
{
   map_places();
   for (const char* letter = argc > 1 ? argv[1] : ""; *letter != '\0'; letter++)
      act(*letter);
   return 0;
}
