/* SPDX-License-Identifier: GPL-2.0-or-later

   See thread_naming.h.

   A thread names itself by prctl(PR_SET_NAME), and another one, as pthread_setname_np()
   does, by writing to /proc/self/task/THREAD/comm, where THREAD is the kernel's number.
   That number is the result of the system call that made the thread.  The names are read
   from the arguments: the kernel is asked for nothing, as a program may have forbidden
   its threads to open files.  */

#include "control/processes/thread_naming.h"

#include "core/open_files.h"
#include "guest/memory.h"
#include "model/thread_names.h"
#include "options/options.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/thread.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#ifndef VKI_PR_SET_NAME
#define VKI_PR_SET_NAME 15
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif

static Int* kernel_numbers; /* by ThreadId; 0: the process's first thread, or none */

/* The file by which a thread is about to be named.  */
static Int open_file = -1;
static ThreadId named_by_file;

/*--------------------------------------------------------------------*/
/* Names                                                               */

/* What is at `at`, up to a zero, a line feed, or `most` bytes.  False if that cannot be
   read.  */
static Bool read_name(Addr at, SizeT most, HChar name[THREAD_NAME_SIZE])
{
   SizeT length = 0;
   for (; length < most && length < THREAD_NAME_SIZE - 1; length++) {
      if (!guest_memory_copy(&name[length], at + length, 1))
         return False;
      if (name[length] == '\0' || name[length] == '\n')
         break;
   }
   name[length] = '\0';
   return True;
}

static void name_thread(ThreadId thread, Addr at, SizeT most)
{
   HChar name[THREAD_NAME_SIZE];
   if (!read_name(at, most, name))
      return;
   thread_names_set(thread, name);
   timed_frames_name_thread(thread);
}

/*--------------------------------------------------------------------*/
/* The kernel's numbers                                                */

/* `creator` has made the thread that was made last.  */
static void note_created(ThreadId creator, Int number)
{
   ThreadId child = thread_created_last();
   if (child != VG_INVALID_THREADID && child != creator && number > 0)
      kernel_numbers[child] = number;
}

static Int wanted_number;
static ThreadId found;

static void find_number(ThreadId thread, ShadowStack* stack)
{
   (void)stack;
   if (kernel_numbers[thread] == wanted_number)
      found = thread;
}

/* The live thread that the kernel calls so; VG_INVALID_THREADID if there is none.  */
static ThreadId thread_of(Int number)
{
   found = VG_INVALID_THREADID;
   wanted_number = number == VG_(getpid)() ? 0 : number;
   thread_for_each_live(find_number);
   return found;
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

/* The number in `/proc/.../NUMBER/comm`; 0 if the path is no such one.  */
static Int number_in(const HChar* path)
{
   static const HChar end[] = "/comm";
   SizeT length = VG_(strlen)(path);
   if (VG_(strncmp)(path, "/proc/", 6) != 0 || length < 6 + sizeof end ||
       VG_(strcmp)(path + length - (sizeof end - 1), end) != 0)
      return 0;
   const HChar* digits = path + length - (sizeof end - 1);
   while (digits[-1] != '/')
      digits--;
   HChar* behind;
   Long number = VG_(strtoll10)(digits, &behind);
   return *behind == '/' && number > 0 && number == (Int)number ? (Int)number : 0;
}

static void note_opened(Int file, UWord flags)
{
   const HChar* path;
   if ((flags & VKI_O_ACCMODE) == VKI_O_RDONLY || !core_path_of_open_file(file, &path))
      return;
   ThreadId thread = VG_INVALID_THREADID;
   Int number = number_in(path);
   if (number != 0)
      thread = thread_of(number);
   if (thread != VG_INVALID_THREADID) {
      open_file = file;
      named_by_file = thread;
   }
}

static void note_written(Int file, Addr from, SizeT written)
{
   if (file == open_file)
      name_thread(named_by_file, from, written);
}

/*--------------------------------------------------------------------*/

void thread_naming_after_call(ThreadId thread, UInt call, const UWord* arguments,
                              UWord result)
{
   if (!options.call_tree && !options.timeline)
      return;
   switch (call) {
   case __NR_prctl:
      if (arguments[0] == VKI_PR_SET_NAME)
         name_thread(thread, arguments[1], THREAD_NAME_SIZE);
      break;
   case __NR_clone:
   case __NR_clone3: note_created(thread, (Int)result); break;
   case __NR_openat: note_opened((Int)result, arguments[2]); break;
#ifdef __NR_open
   case __NR_open: note_opened((Int)result, arguments[1]); break;
#endif
   case __NR_write: note_written((Int)arguments[0], arguments[1], result); break;
   case __NR_close:
      if ((Int)arguments[0] == open_file)
         open_file = -1;
      break;
   }
}

void thread_naming_in_child(void)
{
   VG_(memset)(kernel_numbers, 0, VG_N_THREADS * sizeof *kernel_numbers);
   open_file = -1;
}

void thread_naming_init(void)
{
   thread_names_init();
   kernel_numbers = VG_(calloc)("thread_naming", VG_N_THREADS, sizeof *kernel_numbers);
}
