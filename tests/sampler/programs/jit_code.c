/* SPDX-License-Identifier: GPL-2.0-or-later

   Makes code at run time, writes its name as a profiler wants it, and runs it:

      jit_code map|dump TURNS

   By a perf map, or by a jitdump beside it; with the number that the process has for
   itself.  The file stays.  */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* 1: dec rdi; jne 1b; ret */
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#else
/* 1: subs x0, x0, 1; b.ne 1b; ret */
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

static uint64_t now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void write_map(const void* start)
{
   char path[64];
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   FILE* file = fopen(path, "w");
   if (file == NULL)
      exit(3);
   fprintf(file, "%lx %zx made_at_run_time\n", (unsigned long)start, sizeof code);
   fclose(file);
}

/* As tools/perf/Documentation/jitdump-specification.txt of Linux has it.  */
static void write_dump(const void* start)
{
   static const char name[] = "made_at_run_time";
   char path[64];
   struct {
      uint32_t magic, version, size, machine, padding, pid;
      uint64_t time, flags;
   } header = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), now(), 0};
   struct {
      uint32_t kind, size;
      uint64_t time;
      uint32_t pid, tid;
      uint64_t memory, start, length, index;
   } loaded = {0, sizeof loaded + sizeof name + sizeof code, now(), (uint32_t)getpid(),
               (uint32_t)getpid(), (uint64_t)start, (uint64_t)start, sizeof code, 1};
   snprintf(path, sizeof path, "/tmp/jit-%d.dump", (int)getpid());
   int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
   if (file < 0 || write(file, &header, sizeof header) < 0 ||
       write(file, &loaded, sizeof loaded) < 0 || write(file, name, sizeof name) < 0 ||
       write(file, code, sizeof code) < 0)
      exit(3);
   /* By this, profilers know where it is.  */
   mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
   close(file);
}

int main(int count, char** words)
{
   if (count != 3)
      return 2;
   unsigned char* start = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   memcpy(start, code, sizeof code);
   __builtin___clear_cache((char*)start, (char*)start + sizeof code);
   if (strcmp(words[1], "dump") == 0)
      write_dump(start);
   else
      write_map(start);
   ((void (*)(long))(void*)start)(atol(words[2]));
   return 0;
}
