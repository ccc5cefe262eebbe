/* SPDX-License-Identifier: GPL-2.0-or-later

   See wait_rule.h.

   What a wait really took differs from run to run.  So it counts the next step of 100,
   200, 500, 1000 ms and so on.  Who sleeps for a time mostly does so for one of these,
   and comes back a little later: from there to the next step there is the most room.  A
   program takes some 20 to 80 ms to be started under the tool, which is one step.

   Shorter waits are for those that run already.  They count a fixed amount, and what they
   took beyond is summed up until it is worth a step.

   Layouts are those of Linux on 64-bit machines.  */

#include "surroundings/wait_rule.h"

#include "base/system_filter.h"
#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"

#define MICROSECOND 1000ULL
#define MILLISECOND 1000000ULL

#define LONG_WAIT (20 * MILLISECOND)
#define FIRST_STEP (100 * MILLISECOND)
#define OTHERS (100 * MICROSECOND)

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
   /* Where nothing may be asked, it may be one.  */
   return others_if(system_filter_is_on() || (is_of_others(fd) && !is_nonblocking(fd)));
}

static WaitKind kind_of_futex(UWord operation)
{
   switch (operation & FutexOperation) {
   case FutexWait:
   case FutexWaitSet: return (operation & FutexPrivate) != 0 ? WaitWithin : WaitForOthers;
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
   case __NR_recvfrom: return kind_of_read(arguments[0], arguments[3]);
   case __NR_recvmsg: return kind_of_read(arguments[0], arguments[2]);
   case __NR_recvmmsg: return kind_of_read(arguments[0], arguments[3]);
   case __NR_mq_timedreceive:
      return others_if(!system_filter_is_on() && !is_nonblocking(arguments[0]));
   case __NR_msgrcv: return others_if((arguments[4] & NoWait) == 0);
   case __NR_futex: return kind_of_futex(arguments[1]);
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

/* The first of 100, 200, 500, 1000 ms, ... that is more.  */
static ULong next_step(ULong passed)
{
   ULong decade = FIRST_STEP;
   while (decade * 10 <= passed)
      decade *= 10;
   if (passed < decade)
      return decade;
   return passed < 2 * decade   ? 2 * decade
          : passed < 5 * decade ? 5 * decade
                                : 10 * decade;
}

/* Keeps `passed`, and returns the steps that it is worth with what was kept before.  */
static ULong steps_of_short(ULong passed)
{
   not_counted += passed;
   const ULong steps = not_counted / FIRST_STEP * FIRST_STEP;
   not_counted -= steps;
   return steps;
}

static ULong counts_without_limit(WaitKind kind, Bool has_ended_well, ULong passed)
{
   if (passed >= LONG_WAIT)
      return next_step(passed);
   switch (kind) {
   case WaitForChild: return has_ended_well ? FIRST_STEP : steps_of_short(passed);
   case WaitWithin: return 0;
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
