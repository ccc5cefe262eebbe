/* SPDX-License-Identifier: GPL-2.0-or-later

   See turns.h.

   One thread runs guest code at a time, the one that has the core's lock.  A thread lets
   go of it for system calls that may wait, and after 100,000 superblocks, and whoever
   comes first has it next.  That is a matter of host time: a thread that is woken
   arrives before or after its waker's next system call.

   Here the lock is given to nobody before all threads are *settled*: each one waits in
   line for its turn, or sleeps in a system call, from which only others can wake it.
   The line is then a matter of what threads have done, and the turn goes around: to the
   next younger thread in line, or else to the oldest.

   Whether a thread sleeps, only the system knows, and /proc tells.  A thread that has
   been woken is not asleep there from that moment on, whenever it gets a processor.

   The linker's --wrap leads the core's calls for its lock here.  The core's own lock is
   taken as well, as the core asks it for its owner; nobody ever waits for it.

   Owns: the line, and who opens files.  A file of /proc that is looked at is the lowest
   free number for a moment, and a thread that opens one at the same moment would see
   that.  So nobody looks while a thread is on its way through a call that may make a
   number.  */

#include "surroundings/turns.h"

#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#ifdef CORE_LOCK_CAN_BE_WRAPPED

struct sched_lock; /* the core's */

struct sched_lock* __real_vgModuleLocal_create_sched_lock(void);
void __real_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock);
void __real_vgModuleLocal_release_sched_lock(struct sched_lock* lock);

struct sched_lock* __wrap_vgModuleLocal_create_sched_lock(void);
void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock);
void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock* lock);

typedef enum { NotCalled, Choose, Run } Call;

/* A thread in line, on the stack of that thread.  */
typedef struct Waiter {
   struct Waiter* next; /* the next younger one */
   Int thread;          /* the system's number */
   UInt age;            /* less for those that began before */
   UInt call;           /* a Call; the thread sleeps until there is one */
} Waiter;

static struct {
   UInt guard; /* of what follows */
   Waiter* first;
   UInt arrivals;
   UInt last_age; /* of the thread that had the last turn */
   Bool is_taken; /* somebody runs, or chooses who does */
   Bool is_given; /* turns are */
   UInt n_waiters, n_threads;
   Bool is_ending; /* a thread is, and has not been seen to be gone */
   Int process;
} line;

/* By ThreadId: which thread, by the system's number, is in a system call that may open a
   file, and not yet in line again?  0 if it is not.  */
static Int* opens_file;
static UInt n_open_file; /* how many are */

Bool turns_are_given(void) { return line.is_given; }

void turns_thread_begins(void) { line.n_threads++; }

void turns_thread_ends(void)
{
   line.n_threads--;
   line.is_ending = True;
}

/*--------------------------------------------------------------------*/
/* Waiting for other threads of this process                           */

enum { FutexWait = 0 | 128, FutexWake = 1 | 128 }; /* within one process */

static void sleep_while(UInt* word, UInt value)
{
   VG_(do_syscall)(__NR_futex, (UWord)word, FutexWait, value, 0, 0, 0, 0, 0);
}

static void wake_one(UInt* word)
{
   VG_(do_syscall)(__NR_futex, (UWord)word, FutexWake, 1, 0, 0, 0, 0, 0);
}

/* Nobody sleeps here, on the way to the line, because that would look as if settled.  */
static void guard_take(void)
{
   while (__atomic_exchange_n(&line.guard, 1, __ATOMIC_ACQUIRE) != 0)
      VG_(do_syscall)(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void guard_leave(void) { __atomic_store_n(&line.guard, 0, __ATOMIC_RELEASE); }

static void call_waiter(Waiter* waiter, Call call)
{
   UInt* word = &waiter->call;
   __atomic_store_n(word, call, __ATOMIC_RELEASE);
   wake_one(word);
}

static Call wait_for_call(Waiter* self)
{
   Call call;
   while ((call = __atomic_load_n(&self->call, __ATOMIC_ACQUIRE)) == NotCalled)
      sleep_while(&self->call, NotCalled);
   __atomic_store_n(&self->call, NotCalled, __ATOMIC_RELAXED);
   return call;
}

/*--------------------------------------------------------------------*/
/* What threads do                                                     */

/* Between these looks at /proc the chooser lets others run.  A thread that is in the
   system for longer, busy or waiting for a disk, is not waited for any more, and the next
   time only half as long, until all threads are settled again.  */
#define LOOKS_WITHOUT_SLEEP 20
#define SLEEP_NANOSECONDS 50000
#define MOST_LOOKS 20000

/* So many times a thread that may be opening a file is given time to do it.  */
#define WAITS_FOR_FILES 220

#define THREADS "/proc/self/task"

static Bool is_in_line(Int thread)
{
   guard_take();
   const Waiter* waiter = line.first;
   while (waiter != NULL && waiter->thread != thread)
      waiter = waiter->next;
   guard_leave();
   return waiter != NULL;
}

static SizeT read_file(Int file, HChar* text, SizeT size)
{
   const Int n = VG_(read)(file, text, (Int)size - 1);
   text[n < 0 ? 0 : n] = '\0';
   return n < 0 ? 0 : (SizeT)n;
}

/* The letter behind the name, which is in parentheses: R runs or is about to, D waits for
   a disk.  A thread that is gone is settled.  */
static Bool is_asleep(const HChar* thread)
{
   HChar path[64], text[128];
   VG_(snprintf)(path, sizeof path, "/proc/self/task/%s/stat", thread);
   SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return True;
   read_file((Int)sr_Res(opened), text, sizeof text);
   VG_(close)((Int)sr_Res(opened));
   const HChar* end = VG_(strrchr)(text, ')');
   return end == NULL || (end[1] == ' ' && end[2] != 'R' && end[2] != 'D');
}

typedef struct {
   ULong inode, offset;
   UShort size;
   UChar type;
   HChar name[]; /* a number, or "." and ".." */
} FolderEntry;

static Bool are_settled(const UChar* entries, UWord size)
{
   for (UWord at = 0; at < size; at += ((const FolderEntry*)(entries + at))->size) {
      const HChar* name = ((const FolderEntry*)(entries + at))->name;
      if (name[0] != '.' && !is_in_line((Int)VG_(strtoll10)(name, NULL)) &&
          !is_asleep(name))
         return False;
   }
   return True;
}

static Bool all_are_settled(void)
{
   UChar entries[4096] __attribute__((aligned(8)));
   SysRes opened = VG_(open)(THREADS, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return True;
   const UWord folder = sr_Res(opened);
   Bool settled = True;
   while (settled) {
      SysRes got = VG_(do_syscall)(__NR_getdents64, folder, (UWord)entries,
                                   sizeof entries, 0, 0, 0, 0, 0);
      if (sr_isError(got) || sr_Res(got) == 0)
         break;
      settled = are_settled(entries, sr_Res(got));
   }
   VG_(close)((Int)folder);
   return settled;
}

static void let_others_run(UInt looks)
{
   struct vki_timespec time = {0, SLEEP_NANOSECONDS};
   if (looks < LOOKS_WITHOUT_SLEEP)
      VG_(do_syscall)(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
   else
      VG_(do_syscall)(__NR_nanosleep, (UWord)&time, 0, 0, 0, 0, 0, 0, 0);
}

/* A thread that waits in such a call has its number already.  */
static void forget_open_calls(void)
{
   guard_take();
   if (n_open_file > 0)
      VG_(memset)(opens_file, 0, VG_N_THREADS * sizeof *opens_file);
   n_open_file = 0;
   guard_leave();
}

/* Then there is no need to look.  */
static Bool all_are_in_line(void)
{
   return !line.is_ending &&
          __atomic_load_n(&line.n_waiters, __ATOMIC_ACQUIRE) == line.n_threads;
}

/* Looks are taken one thread after the other, and a thread may have woken one that was
   looked at before, and then have gone to sleep.  So all have to be settled twice, while
   nobody arrives.  */
static void settle(void)
{
   static UInt patience = MOST_LOOKS;
   UInt quiet = 0;
   for (UInt looks = 0; quiet < 2 && !all_are_in_line() && looks < patience; looks++) {
      const UInt arrivals = __atomic_load_n(&line.arrivals, __ATOMIC_ACQUIRE);
      if ((__atomic_load_n(&n_open_file, __ATOMIC_ACQUIRE) > 0 &&
           looks < WAITS_FOR_FILES) ||
          !all_are_settled()) {
         quiet = 0;
         let_others_run(looks);
      } else {
         quiet++;
      }
      if (__atomic_load_n(&line.arrivals, __ATOMIC_ACQUIRE) != arrivals)
         quiet = 0;
   }
   const Bool settled = quiet == 2 || all_are_in_line();
   patience = settled ? MOST_LOOKS : patience / 2 + 1;
   line.is_ending = line.is_ending && !settled;
   forget_open_calls();
}

/*--------------------------------------------------------------------*/
/* The line                                                            */

static void note_open_call_ended(Int thread)
{
   for (ThreadId i = 0; n_open_file > 0 && i < VG_N_THREADS; i++)
      if (opens_file[i] == thread) {
         opens_file[i] = 0;
         n_open_file--;
      }
}

static void stand_in_line(Waiter* self)
{
   note_open_call_ended(self->thread);
   Waiter** at = &line.first;
   while (*at != NULL && (*at)->age < self->age)
      at = &(*at)->next;
   self->next = *at;
   *at = self;
   __atomic_fetch_add(&line.n_waiters, 1, __ATOMIC_RELEASE);
   __atomic_fetch_add(&line.arrivals, 1, __ATOMIC_RELEASE);
}

/* Takes who is next out of the line.  */
static Waiter* take_next(void)
{
   Waiter** at = &line.first;
   while (*at != NULL && (*at)->age <= line.last_age)
      at = &(*at)->next;
   if (*at == NULL)
      at = &line.first;
   Waiter* next = *at;
   *at = next->next;
   line.n_waiters--;
   line.last_age = next->age;
   return next;
}

/* Gives the turn to a thread in line; True if that is the caller.  */
static Bool choose(const Waiter* self)
{
   settle();
   guard_take();
   Waiter* next = take_next();
   guard_leave();
   if (next == self)
      return True;
   call_waiter(next, Run);
   return False;
}

static void wait_for_turn(Waiter* self)
{
   guard_take();
   stand_in_line(self);
   Bool chooses = !line.is_taken;
   line.is_taken = True;
   guard_leave();
   while (True) {
      if (chooses && choose(self))
         return;
      if (wait_for_call(self) == Run)
         return;
      chooses = True;
   }
}

/* A thread that leaves is not settled yet, so another one has to choose.  */
static void end_turn(void)
{
   guard_take();
   Waiter* chooser = line.first;
   line.is_taken = chooser != NULL;
   if (chooser != NULL)
      call_waiter(chooser, Choose);
   guard_leave();
}

/* Where /proc counts processes otherwise than the system does, as in a container that has
   another one's, nothing can be known of threads.  */
static Bool can_see_threads(void)
{
   HChar path[64];
   struct vg_stat status;
   VG_(sprintf)(path, THREADS "/%d", VG_(gettid)());
   return !sr_isError(VG_(stat)(path, &status));
}

/* Of a forked child, too, which has nothing of its parent's line.  */
static void begin(void)
{
   VG_(memset)(&line, 0, sizeof line);
   line.process = VG_(getpid)();
   line.n_threads = 1;
   line.is_given = options.steady && can_see_threads();
   if (line.is_given && opens_file == NULL)
      opens_file = VG_(calloc)("turns.opens_file", VG_N_THREADS, sizeof *opens_file);
   forget_open_calls();
}

/*--------------------------------------------------------------------*/

struct sched_lock* __wrap_vgModuleLocal_create_sched_lock(void)
{
   begin();
   return __real_vgModuleLocal_create_sched_lock();
}

void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock* lock)
{
   if (turns_are_given()) {
      const Int thread = VG_(gettid)();
      /* Numbers of threads begin again at small ones when they have become large.  */
      Waiter self = {.thread = thread, .age = (UInt)thread - (UInt)line.process};
      wait_for_turn(&self);
   }
   __real_vgModuleLocal_acquire_sched_lock(lock);
}

void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock* lock)
{
   __real_vgModuleLocal_release_sched_lock(lock);
   if (turns_are_given())
      end_turn();
}

/*--------------------------------------------------------------------*/

static Bool may_open_file(UInt call)
{
   switch (call) {
   case __NR_openat:
   case __NR_dup:
   case __NR_dup3:
   case __NR_fcntl:
   case __NR_socket:
   case __NR_socketpair:
   case __NR_accept:
   case __NR_accept4:
   case __NR_recvmsg:
   case __NR_pipe2:
   case __NR_eventfd2:
   case __NR_epoll_create1:
   case __NR_timerfd_create:
   case __NR_signalfd4:
   case __NR_inotify_init1:
   case __NR_memfd_create:
#ifdef __NR_open /* and with it all that older machines have */
   case __NR_open:
   case __NR_creat:
   case __NR_dup2:
   case __NR_pipe:
   case __NR_eventfd:
   case __NR_epoll_create:
   case __NR_signalfd:
   case __NR_inotify_init:
#endif
      return True;
   default: return False;
   }
}

/* Whether the call has ended the thread itself says, when it stands in line again; one
   that never has to let go of the lock does not.  */
void turns_before_call(ThreadId thread, UInt call)
{
   if (!line.is_given || line.n_threads == 1)
      return;
   guard_take();
   n_open_file -= opens_file[thread] != 0;
   opens_file[thread] = may_open_file(call) ? VG_(gettid)() : 0;
   n_open_file += opens_file[thread] != 0;
   guard_leave();
}

#else

void turns_before_call(ThreadId thread, UInt call) { (void)thread, (void)call; }

void turns_thread_begins(void) {}

void turns_thread_ends(void) {}

Bool turns_are_given(void) { return False; }

#endif
