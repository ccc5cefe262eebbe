/* SPDX-License-Identifier: GPL-2.0-or-later

   See wait_rule.h.

   What a wait really took differs from run to run, most of all on a machine that has too
   much to do.  So it counts the next step of 0.5, 5, 50 s and so on, and a wait that
   comes close to a step counts the one behind it: who sleeps for a time mostly does so
   for 0.1, 0.2, 0.5, 1, 2 or 5 s, and comes back a little later, up to some 100 ms.  The
   bounds lie where there is the most room behind these times.  A program takes 20 to 80
   ms to be started under the tool, three times that on a busy machine, which is one step.

   Shorter waits are for those that run already.  They count a fixed amount, and what they
   took beyond is summed up until it is worth a step that hardly a program comes to.
   Disks are slow when others use them: waits for them are short ones, however long.

   Layouts are those of Linux on 64-bit machines.  */

#include "surroundings/wait_rule.h"

#include "base/system_filter.h"
#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"

#define MICROSECOND 1000ULL
#define MILLISECOND 1000000ULL

#define LONG_WAIT (40 * MILLISECOND)
#define FIRST_STEP (500 * MILLISECOND)
#define STEP_OF_REST (5000 * MILLISECOND)
#define OTHERS MILLISECOND

static ULong not_counted; /* of short waits */

/*--------------------------------------------------------------------*/
/* Which kind                                                          */

enum {
   DontWait = 0x40, /* MSG_DONTWAIT */
   NoHang = 1,      /* WNOHANG */
   NoWait = 04000,  /* IPC_NOWAIT and O_NONBLOCK */
   MemoryDevices = 1,
   FutexWait = 0,
   FutexWaitSet = 9,
   FutexPrivate = 128,
   FutexOperation = 63
};

static Bool is_nonblocking(UWord fd)
{
   SysRes flags = VG_(do_syscall)(__NR_fcntl, fd, VKI_F_GETFL, 0, 0, 0, 0, 0, 0);
   return sr_isError(flags) || (sr_Res(flags) & NoWait) != 0;
}

/* A pipe, a socket, a terminal, or a file that stands for events.  */
static Bool is_of_others(UWord fd)
{
   struct vg_stat status;
   if (VG_(fstat)((Int)fd, &status) != 0)
      return False;
   switch (status.mode & VKI_S_IFMT) {
   case VKI_S_IFREG:
   case VKI_S_IFDIR:
   case VKI_S_IFBLK: return False;
   case VKI_S_IFCHR: return status.rdev >> 8 != MemoryDevices;
   default: return True;
   }
}

static WaitKind others_if(Bool waits) { return waits ? WaitForOthers : WaitUnknown; }

static WaitKind kind_of_read(UWord fd, UWord flags)
{
   if ((flags & DontWait) != 0)
      return WaitUnknown;
   if (system_filter_is_on()) /* nothing may be asked */
      return WaitForOthers;
   if (!is_of_others(fd))
      return WaitForDisk;
   return others_if(!is_nonblocking(fd));
}

static WaitKind kind_of_write(UWord fd)
{
   return system_filter_is_on() || is_of_others(fd) ? WaitUnknown : WaitForDisk;
}

/* The system's number of one of the program's.  */
static Bool is_thread(UWord number)
{
   HChar path[64];
   if (system_filter_is_on())
      return False;
   VG_(sprintf)(path, "/proc/self/task/%lu", number);
   return !sr_isError(VG_(do_syscall)(__NR_faccessat, (UWord)VKI_AT_FDCWD, (UWord)path, 0,
                                      0, 0, 0, 0, 0));
}

/* Who joins a thread waits for a word that has its number, until that is cleared.  */
static WaitKind kind_of_futex(const UWord* arguments)
{
   switch (arguments[1] & FutexOperation) {
   case FutexWait:
   case FutexWaitSet:
      if ((arguments[1] & FutexPrivate) != 0)
         return WaitWithin;
      return is_thread((UInt)arguments[2]) ? WaitForThread : WaitForOthers;
   default: return WaitUnknown;
   }
}

WaitKind wait_kind(UInt call, const UWord* arguments)
{
   switch (call) {
   case __NR_wait4: return arguments[2] & NoHang ? WaitUnknown : WaitForChild;
   case __NR_waitid: return arguments[3] & NoHang ? WaitUnknown : WaitForChild;
   case __NR_read:
   case __NR_readv:
   case __NR_accept:
   case __NR_accept4:
   case __NR_connect: return kind_of_read(arguments[0], 0);
   case __NR_write:
   case __NR_writev: return kind_of_write(arguments[0]);
   case __NR_pread64:
   case __NR_pwrite64:
   case __NR_fsync:
   case __NR_fdatasync:
   case __NR_sync:
   case __NR_syncfs:
   case __NR_getdents64:
   case __NR_newfstatat:
   case __NR_unlinkat:
   case __NR_ftruncate: return WaitForDisk;
   case __NR_recvfrom: return kind_of_read(arguments[0], arguments[3]);
   case __NR_recvmsg: return kind_of_read(arguments[0], arguments[2]);
   case __NR_recvmmsg: return kind_of_read(arguments[0], arguments[3]);
   case __NR_mq_timedreceive:
      return others_if(!system_filter_is_on() && !is_nonblocking(arguments[0]));
   case __NR_msgrcv: return others_if((arguments[4] & NoWait) == 0);
   case __NR_futex: return kind_of_futex(arguments);
   case __NR_mmap:
   case __NR_mprotect: return WaitForCore;
   case __NR_epoll_pwait: return others_if((Int)arguments[3] != 0);
   case __NR_ppoll:
   case __NR_pselect6:
   case __NR_rt_sigtimedwait:
   case __NR_io_getevents: return WaitForOthers;
#ifdef __NR_poll /* and with it all that older machines have */
   case __NR_poll: return others_if((Int)arguments[2] != 0);
   case __NR_epoll_wait: return others_if((Int)arguments[3] != 0);
   case __NR_select: return WaitForOthers;
   case __NR_stat:
   case __NR_lstat:
   case __NR_unlink:
   case __NR_rename: return WaitForDisk;
#endif
   default: return WaitUnknown;
   }
}

/*--------------------------------------------------------------------*/
/* Limits of sockets                                                   */

#define ERROR_IN_PROGRESS 115

enum { OfSocket = 1, ReceiveLimit = 20, SendLimit = 21 };

static Int option_of_limit(UInt call)
{
   switch (call) {
   case __NR_read:
   case __NR_readv:
   case __NR_accept:
   case __NR_accept4:
   case __NR_recvfrom:
   case __NR_recvmsg:
   case __NR_recvmmsg: return ReceiveLimit;
   case __NR_write:
   case __NR_writev:
   case __NR_connect:
   case __NR_sendto:
   case __NR_sendmsg:
   case __NR_sendmmsg:
   case __NR_sendfile: return SendLimit;
   default: return 0;
   }
}

ULong wait_limit_of_socket(UInt call, const UWord* arguments, SysRes result)
{
   const Int option = option_of_limit(call);
   if (option == 0 || !sr_isError(result) ||
       (sr_Err(result) != VKI_EAGAIN && sr_Err(result) != ERROR_IN_PROGRESS))
      return 0;
   ULong limit[2] = {0, 0}; /* seconds and microseconds */
   UInt size = sizeof limit;
   SysRes got = VG_(do_syscall)(__NR_getsockopt, arguments[0], OfSocket, (UWord)option,
                                (UWord)limit, (UWord)&size, 0, 0, 0);
   return sr_isError(got) ? 0 : limit[0] * 1000 * MILLISECOND + limit[1] * MICROSECOND;
}

/*--------------------------------------------------------------------*/
/* How much                                                            */

/* The first of 0.5, 5, 50 s, ... of which nine tenths are more.  */
static ULong next_step(ULong passed)
{
   ULong step = FIRST_STEP;
   while (step - step / 10 <= passed)
      step *= 10;
   return step;
}

/* Keeps `passed`, and returns the steps that it is worth with what was kept before.  */
static ULong steps_of_short(ULong passed)
{
   not_counted += passed;
   const ULong steps = not_counted / STEP_OF_REST * STEP_OF_REST;
   not_counted -= steps;
   return steps;
}

static ULong counts_without_limit(WaitKind kind, Bool has_ended_well, ULong passed)
{
   if (passed >= LONG_WAIT && kind != WaitForDisk)
      return next_step(passed);
   switch (kind) {
   case WaitForChild: return has_ended_well ? FIRST_STEP : steps_of_short(passed);
   case WaitWithin: return 0;
   case WaitForThread:
   case WaitForOthers: {
      const ULong fixed = has_ended_well ? OTHERS : 0;
      return fixed + steps_of_short(passed > fixed ? passed - fixed : 0);
   }
   default: return steps_of_short(passed);
   }
}

/* What has come in time was not late: a call that ends before its limit leaves an eighth
   of it, unless that has passed, too.  */
ULong wait_counts(WaitKind kind, Bool has_ended_well, ULong passed, ULong left)
{
   if (kind == WaitForCore)
      return 0;
   const ULong counts = counts_without_limit(kind, has_ended_well, passed);
   if (left == 0 || counts < left - left / 8)
      return counts;
   return passed < left - left / 8 ? left - left / 8 : left;
}
