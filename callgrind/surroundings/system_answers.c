/* SPDX-License-Identifier: GPL-2.0-or-later

   See system_answers.h.  The system makes each call, and fails where it must.  Only then
   its answer is replaced: in the program's memory, in the register of the result, or by
   another open file in place of the one that was opened.

   Layouts are those of Linux on 64-bit machines.  */

#include "surroundings/system_answers.h"

#include "core/system_call.h"
#include "options/options.h"
#include "surroundings/guest_memory.h"
#include "surroundings/initial_stack.h"
#include "surroundings/random_bytes.h"
#include "surroundings/system_files.h"
#include "surroundings/system_listing.h"
#include "surroundings/system_maps.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"

/* The limit of the stack that nearly every system starts with.  */
#define STACK_LIMIT (8ULL << 20)
#define LIMIT_STACK 3
#define NO_LIMIT (~0ULL)

/* How much to read at a time, as file systems on disks answer; those on a network name
   more, terminals less.  Buffers of libc and of interpreters are as large as this.  */
#define BLOCK_SIZE 4096

/* The system takes no longer path.  */
#define MOST_PATH 4096

#define CLOSE_ON_EXEC 02000000 /* O_CLOEXEC, which the core's headers lack */

/* One of /dev/random and /dev/urandom has been opened: reads are looked at.  */
static Bool random_device_is_open;

/*--------------------------------------------------------------------*/
/* Processors                                                          */

/* The mask of one word in which processor 0 is set; the call returns its size.  */
static void answer_affinity(ThreadId thread, const UWord* arguments, UWord written)
{
   UWord* mask = guest_room(arguments[2], written);
   if (mask == NULL || written < sizeof *mask)
      return;
   VG_(memset)(mask, 0, written);
   mask[0] = 1;
   guest_set_result(thread, sizeof *mask);
}

static void answer_processor(const UWord* arguments)
{
   for (UInt i = 0; i < 2; i++) { /* the processor, and its node */
      UInt* number = guest_room(arguments[i], sizeof *number);
      if (number != NULL)
         *number = 0;
   }
}

/*--------------------------------------------------------------------*/
/* Memory and limits                                                   */

typedef struct {
   ULong uptime, loads[3];
   ULong memory, memory_free, shared, buffers, swap, swap_free;
   UShort processes, pad;
   ULong high, high_free;
   UInt unit;
} SystemInfo;

static void answer_system_info(const UWord* arguments)
{
   SystemInfo* info = guest_room(arguments[0], sizeof *info);
   if (info == NULL)
      return;
   *info = (SystemInfo){.uptime = 1000,
                        .memory = SYSTEM_MEMORY,
                        .memory_free = SYSTEM_MEMORY_FREE,
                        .processes = 100,
                        .unit = 1};
}

static void answer_limit(UWord which, UWord address)
{
   ULong* limits = guest_room(address, 2 * sizeof *limits);
   if (which != LIMIT_STACK || limits == NULL)
      return;
   limits[0] = STACK_LIMIT;
   limits[1] = NO_LIMIT;
}

/*--------------------------------------------------------------------*/
/* Random numbers                                                      */

static void fill(UWord address, UWord size)
{
   UChar* bytes = size == 0 ? NULL : guest_room(address, size);
   if (bytes != NULL)
      random_bytes_fill(bytes, size);
}

static Bool is_random_device(Int fd)
{
   enum { Memory = 1, Random = 8, Unlimited = 9 }; /* the numbers of the devices */
   struct vg_stat status;
   if (VG_(fstat)(fd, &status) != 0 || (status.mode & VKI_S_IFMT) != VKI_S_IFCHR)
      return False;
   return status.rdev == (Memory << 8 | Random) ||
          status.rdev == (Memory << 8 | Unlimited);
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

/* Lets the open file `fd` be another one, which holds `text`.  Where the system has no
   files in memory it stays what it is.  */
static void replace_file(Int fd, UWord flags, const HChar* text)
{
   SysRes made =
      VG_(do_syscall)(__NR_memfd_create, (UWord) "steady", 0, 0, 0, 0, 0, 0, 0);
   if (sr_isError(made))
      return;
   Int file = (Int)sr_Res(made);
   if (VG_(write)(file, text, (Int)VG_(strlen)(text)) > 0 &&
       VG_(lseek)(file, 0, VKI_SEEK_SET) == 0)
      VG_(do_syscall)(__NR_dup3, (UWord)file, (UWord)fd, flags & CLOSE_ON_EXEC, 0, 0, 0,
                      0, 0);
   VG_(close)(file);
}

static void answer_open_of(const HChar* path, UWord flags, Int fd)
{
   if (VG_(strncmp)(path, "/dev/", 5) == 0 && is_random_device(fd))
      random_device_is_open = True;
   if ((flags & VKI_O_ACCMODE) != VKI_O_RDONLY)
      return;
   const HChar* text = system_files_text(path);
   if (text != NULL)
      replace_file(fd, flags, text);
   if (VG_(strcmp)(path, "/proc/self/maps") == 0) {
      HChar* maps = system_maps_text(initial_stack_facts()->stack_pointer);
      replace_file(fd, flags, maps);
      VG_(free)(maps);
   }
}

/* The system has read the path, but other threads may have run since.  */
static void answer_open(UWord path_address, UWord flags, Int fd)
{
   HChar* path;
   if (guest_memory_text("system_answers.path", path_address, MOST_PATH, &path) ==
       TextWhole)
      answer_open_of(path, flags, fd);
   VG_(free)(path);
}

static void answer_status(UWord address)
{
   struct vki_stat* status = guest_room(address, sizeof *status);
   if (status != NULL)
      status->st_blksize = BLOCK_SIZE;
}

static void answer_extended_status(UWord address)
{
   struct vki_statx* status = guest_room(address, sizeof *status);
   if (status != NULL)
      status->stx_blksize = BLOCK_SIZE;
}

/* The name of the working folder has slashes more before its last part, and leads to the
   same folder.  It stays what it is where the program's buffer is too small.  */
static void answer_folder(ThreadId thread, const UWord* arguments, UWord size)
{
   const UWord more = options.steady_folder;
   if (more == 0 || size + more > arguments[1])
      return;
   HChar* name = guest_room(arguments[0], size + more);
   if (name == NULL || name[0] != '/' || name[1] == '\0')
      return;
   HChar* last = name + size - 1;
   while (*last != '/') /* VG_(strrchr) misses one at the start */
      last--;
   VG_(memmove)(last + more, last, size - (UWord)(last - name));
   VG_(memset)(last, '/', more);
   guest_set_result(thread, size + more);
}

/*--------------------------------------------------------------------*/

void system_answers_after_call(ThreadId thread, UInt call, const UWord* arguments,
                               SysRes result)
{
   if (LIKELY(!options.steady) || sr_isError(result))
      return;
   switch (call) {
   case __NR_sched_getaffinity: answer_affinity(thread, arguments, sr_Res(result)); break;
   case __NR_getcpu: answer_processor(arguments); break;
   case __NR_sysinfo: answer_system_info(arguments); break;
   case __NR_getrlimit: answer_limit(arguments[0], arguments[1]); break;
   case __NR_prlimit64: answer_limit(arguments[1], arguments[3]); break;
   case __NR_getcwd: answer_folder(thread, arguments, sr_Res(result)); break;
   case __NR_fstat: answer_status(arguments[1]); break;
   case __NR_newfstatat: answer_status(arguments[2]); break;
   case __NR_statx: answer_extended_status(arguments[4]); break;
   case __NR_getdents64: system_listing_sort(arguments[1], sr_Res(result)); break;
   case __NR_getrandom: fill(arguments[0], sr_Res(result)); break;
   case __NR_read:
      if (random_device_is_open && is_random_device((Int)arguments[0]))
         fill(arguments[1], sr_Res(result));
      break;
   case __NR_openat: answer_open(arguments[1], arguments[2], (Int)sr_Res(result)); break;
#ifdef __NR_open
   case __NR_stat:
   case __NR_lstat: answer_status(arguments[1]); break;
   case __NR_open: answer_open(arguments[0], arguments[1], (Int)sr_Res(result)); break;
#endif
   default: break;
   }
}
