/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints what a program is told of the machine that it runs on, a line each.  */

#define _GNU_SOURCE
#include <cpuid.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <x86intrin.h>

extern char** environ;

static void print_cpuid(void)
{
   unsigned a, b, c, d;
   __cpuid_count(1, 0, a, b, c, d);
   printf("cpuid 1 %x %x %x %x\n", a, b, c, d);
   printf("F16C %u\nRDRAND %u\nAVX %u\n", c >> 29 & 1, c >> 30 & 1, c >> 28 & 1);
   __cpuid_count(7, 0, a, b, c, d);
   printf("cpuid 7 %x %x %x %x\nAVX2 %u\nRDSEED %u\n", a, b, c, d, b >> 5 & 1,
          b >> 18 & 1);
   __cpuid_count(4, 0, a, b, c, d);
   printf("cpuid 4 %x %x %x %x\n", a, b, c, d);
}

static void print_bytes(const char* name, const unsigned char* bytes, int size)
{
   printf("%s ", name);
   for (int i = 0; i < size; i++)
      printf("%02x", bytes[i]);
   printf("\n");
}

static void print_random(void)
{
   unsigned char bytes[11];
   if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
      exit(1);
   print_bytes("getrandom", bytes, sizeof bytes);
   int fd = open("/dev/urandom", O_RDONLY);
   if (read(fd, bytes, sizeof bytes) != sizeof bytes)
      exit(1);
   print_bytes("urandom", bytes, sizeof bytes);
   close(fd);
   print_bytes("AT_RANDOM", (const unsigned char*)getauxval(AT_RANDOM), 16);
}

/* The lines of a file that begin with `start`.  */
static void print_file(const char* path, const char* start)
{
   char line[1024];
   unsigned n = 0;
   FILE* file = fopen(path, "r");
   while (file != NULL && fgets(line, sizeof line, file) != NULL)
      if (strncmp(line, start, strlen(start)) == 0 && n++ < 3)
         printf("%s %s", path, line);
   if (file != NULL)
      fclose(file);
   printf("%s lines %u\n", path, n);
}

static void print_processors(void)
{
   cpu_set_t set;
   unsigned processor = 99, node = 99;
   CPU_ZERO(&set);
   sched_getaffinity(0, sizeof set, &set);
   getcpu(&processor, &node);
   printf("affinity %d first %d\n", CPU_COUNT(&set), CPU_ISSET(0, &set));
   printf("getcpu %u %u\n", processor, node);
   printf("online %ld configured %ld\n", sysconf(_SC_NPROCESSORS_ONLN),
          sysconf(_SC_NPROCESSORS_CONF));
   print_file("/proc/cpuinfo", "processor");
   print_file("/proc/stat", "cpu");
   print_file("/sys/devices/system/cpu/online", "");
}

static void print_memory(void)
{
   struct sysinfo info;
   struct rlimit limit;
   sysinfo(&info);
   printf("memory %lu\n", info.totalram / 1024 * info.mem_unit);
   print_file("/proc/meminfo", "MemTotal");
   getrlimit(RLIMIT_STACK, &limit);
   printf("stack limit %" PRIu64 "\n", (uint64_t)limit.rlim_cur);
}

/* The vector as the kernel's file has it must be the one on the stack.  */
static void print_vector(void)
{
   unsigned long pair[2];
   int fd = open("/proc/self/auxv", O_RDONLY);
   unsigned n = 0, alike = 0;
   unsigned long hwcap = 0;
   while (read(fd, pair, sizeof pair) == sizeof pair) {
      n++;
      if (pair[0] == AT_HWCAP)
         hwcap = pair[1]; /* getauxval() has a value of libc's own for this */
      else
         alike += getauxval(pair[0]) == pair[1];
      if (pair[0] == AT_NULL)
         break;
   }
   close(fd);
   printf("auxv %u alike %u\n", n, alike + (hwcap != 0));
   printf("HWCAP %lx HWCAP2 %lx\n", hwcap, getauxval(AT_HWCAP2));
   printf("PLATFORM %s\n", (const char*)getauxval(AT_PLATFORM));
   printf("EXECFN at %lx\n", getauxval(AT_EXECFN));
}

/* How much of a file to read at a time, by each call that tells it.  */
static void print_block_sizes(const char* path)
{
   struct stat status;
   struct statx extended;
   int fd = open(path, O_RDONLY);
   printf("block");
   if (stat(path, &status) == 0)
      printf(" %ld", (long)status.st_blksize);
   if (lstat(path, &status) == 0)
      printf(" %ld", (long)status.st_blksize);
   if (fstat(fd, &status) == 0)
      printf(" %ld", (long)status.st_blksize);
   if (fstatat(AT_FDCWD, path, &status, 0) == 0)
      printf(" %ld", (long)status.st_blksize);
   if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &extended) == 0)
      printf(" %u", extended.stx_blksize);
#ifdef SYS_stat /* libc has not called these for long */
   if (syscall(SYS_stat, path, &status) == 0)
      printf(" %ld", (long)status.st_blksize);
   if (syscall(SYS_lstat, path, &status) == 0)
      printf(" %ld", (long)status.st_blksize);
#endif
   printf("\n");
   close(fd);
}

/* In the order of the system; with the place behind the last one, from which nothing is
   left to be read.  */
static void print_listing(const char* path)
{
   DIR* folder = opendir(path);
   if (folder == NULL)
      return;
   printf("listing");
   long end = 0;
   for (struct dirent* entry; (entry = readdir(folder)) != NULL; end = telldir(folder))
      printf(" %s", entry->d_name);
   seekdir(folder, end);
   printf("\nleft %s\n", readdir(folder) == NULL ? "nothing" : "something");
   closedir(folder);
}

int main(int count, char** arguments)
{
   printf("stack %p\n", (void*)__builtin_frame_address(0));
   printf("tables %p\n", (void*)arguments);
   printf("arguments %d", count - 1);
   for (int i = 1; i < count; i++)
      printf(" %s", arguments[i]);
   printf("\nheap %p\n", malloc(1000));
   for (char** variable = environ; *variable != NULL; variable++)
      if (strncmp(*variable, "VALGRIND_L", 10) != 0 &&
          strncmp(*variable, "LD_PRELOAD", 10) != 0)
         printf("variable %.40s\n", *variable);
   char folder[4096], *small = getcwd(malloc(16), 16);
   if (getcwd(folder, sizeof folder) == NULL)
      return 1;
   printf("folder %s\nsmall %s\n", folder, small == NULL ? "-" : small);
   printf("preload %zu\n", strlen(getenv("LD_PRELOAD")));
   print_cpuid();
   unsigned long long first = __rdtsc();
   printf("rdtsc %llu\n", __rdtsc() - first);
   print_random();
   print_processors();
   print_memory();
   print_vector();
   print_block_sizes("/proc/version");
   print_listing("listed");
   return 0;
}
