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

   The core's calls for its lock come here first (core/thread_lock.h).  Its own lock is
   taken as well; nobody ever waits for it.

   Owns: the line, and who opens files.  A file of /proc that is looked at is the lowest
   free number for a moment, and a thread that opens one at the same moment would see
   that.  So a thread on its way through a call that may make a number is looked at first,
   in a file that it has opened itself before the call, when nobody else was on the way.
   Only when such threads sleep are the others looked at.  */

#include "surroundings/turns.h"

#include "core/open_files.h"
#include "core/system_call.h"
#include "core/thread_lock.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"

#ifdef CORE_LOCK_CAN_BE_WRAPPED

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
   Int has_turn;   /* the system's number of the thread that has it; 0: nobody */
   Bool is_ending; /* a thread is, and has not been seen to be gone */
   Int process;
} line;

/* A thread in a system call that may open a file, and not yet in line again.  */
typedef struct {
   Int thread; /* the system's number; 0: it is in no such call */
   Int state;  /* its open file of /proc; NotOpen: it has none */
} OpenCall;

enum { NotOpen = -1 };

static OpenCall* open_calls; /* by ThreadId */
static UInt n_open_calls;    /* how many threads are in one */
static UInt n_states;        /* and how many of them have a file of /proc */

static void (*on_arrival)(void);

void turns_on_arrival(void (*hook)(void)) { on_arrival = hook; }

Bool turns_are_given(void) { return line.is_given; }

Bool turns_line_is_empty(void)
{
   return __atomic_load_n(&line.n_waiters, __ATOMIC_ACQUIRE) == 0;
}

Bool turns_are_shared(void) { return line.n_threads > 1; }

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

/* So many times a thread that may be opening a file, and of which nothing else is known,
   is given time to do it.  */
#define WAITS_FOR_FILES 220

/* The core keeps twelve numbers above the program's for files of its own, and needs up to
   eight.  */
#define MOST_STATES 4

#define DUPLICATE_CLOSED_ON_EXEC 1030 /* F_DUPFD_CLOEXEC, which the core's headers lack */

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

static Int open_state(Int thread)
{
   HChar path[64];
   VG_(sprintf)(path, THREADS "/%d/stat", thread);
   SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   return sr_isError(opened) ? NotOpen : (Int)sr_Res(opened);
}

/* The letter behind the name, which is in parentheses: R runs or is about to, D waits for
   a disk.  A thread that is gone is settled.  */
static Bool says_asleep(Int state)
{
   HChar text[128];
   SysRes got = VG_(do_syscall)(__NR_pread64, (UWord)state, (UWord)text, sizeof text - 1,
                                0, 0, 0, 0, 0);
   text[sr_isError(got) ? 0 : sr_Res(got)] = '\0';
   const HChar* end = VG_(strrchr)(text, ')');
   return end == NULL || (end[1] == ' ' && end[2] != 'R' && end[2] != 'D');
}

static Bool is_asleep(Int thread)
{
   const Int state = open_state(thread);
   if (state == NotOpen)
      return True;
   const Bool asleep = says_asleep(state);
   VG_(close)(state);
   return asleep;
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
      const Int thread = (Int)VG_(strtoll10)(name, NULL);
      if (name[0] != '.' && !is_in_line(thread) && !is_asleep(thread))
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

/*--------------------------------------------------------------------*/
/* Calls that may open a file                                          */

/* A file of /proc above all numbers that the program can see, before the thread's call,
   when its turn has not ended.  */
static Int keep_state(Int thread)
{
   const Int opened = open_state(thread);
   if (opened == NotOpen)
      return NotOpen;
   SysRes moved = VG_(do_syscall)(__NR_fcntl, (UWord)opened, DUPLICATE_CLOSED_ON_EXEC,
                                  (UWord)(Word)core_first_own_file(), 0, 0, 0, 0, 0);
   VG_(close)(opened);
   return sr_isError(moved) ? NotOpen : (Int)sr_Res(moved);
}

static void end_open_call(OpenCall* call)
{
   if (call->thread == 0)
      return;
   if (call->state != NotOpen) {
      VG_(close)(call->state);
      n_states--;
   }
   call->thread = 0;
   n_open_calls--;
}

static void note_open_call_ended(Int thread)
{
   for (ThreadId i = 0; n_open_calls > 0 && i < VG_N_THREADS; i++)
      if (open_calls[i].thread == thread)
         end_open_call(&open_calls[i]);
}

/* Those that sleep have their number, or get it when they are woken.  */
static Bool all_have_opened(UInt looks)
{
   Bool opened = True;
   guard_take();
   for (ThreadId i = 0; opened && n_open_calls > 0 && i < VG_N_THREADS; i++)
      if (open_calls[i].thread != 0)
         opened = open_calls[i].state == NotOpen ? looks >= WAITS_FOR_FILES
                                                 : says_asleep(open_calls[i].state);
   guard_leave();
   return opened;
}

/* A thread on its way through a call that may make a number is looked at in its own file
   alone, and meanwhile nobody else is.  */
Bool turns_is_asleep(Int thread)
{
   Bool asleep = True;
   guard_take();
   if (n_open_calls == 0)
      asleep = is_asleep(thread);
   for (ThreadId i = 0; n_open_calls > 0 && i < VG_N_THREADS; i++)
      if (open_calls[i].thread == thread && open_calls[i].state != NotOpen)
         asleep = says_asleep(open_calls[i].state);
   guard_leave();
   return asleep;
}

/* All other threads are settled: those that are still in such calls wait there.  */
static void forget_open_calls(void)
{
   guard_take();
   for (ThreadId i = 0; n_open_calls > 0 && i < VG_N_THREADS; i++)
      end_open_call(&open_calls[i]);
   guard_leave();
}

/* As forget_open_calls(), of those without a file, which have been waited for.  */
static void forget_unseen_calls(void)
{
   guard_take();
   for (ThreadId i = 0; n_open_calls > n_states && i < VG_N_THREADS; i++)
      if (open_calls[i].state == NotOpen)
         end_open_call(&open_calls[i]);
   guard_leave();
}

/*--------------------------------------------------------------------*/
/* Settling                                                            */

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
      if (!all_have_opened(looks) || !all_are_settled()) {
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
   forget_unseen_calls();
}

/*--------------------------------------------------------------------*/
/* The line                                                            */

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
   line.has_turn = 0;
   Waiter* chooser = line.first;
   line.is_taken = chooser != NULL;
   if (chooser != NULL)
      call_waiter(chooser, Choose);
   guard_leave();
}

/* The core's word that a thread gives the lock up does not come here.  */
static void stop(void)
{
   guard_take();
   line.is_given = False;
   while (line.first != NULL)
      call_waiter(take_next(), Run);
   guard_leave();
   forget_open_calls();
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core gives its lock up otherwise than is known: threads take no "
                "turns.\n");
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
   if (line.is_given && open_calls == NULL)
      open_calls = VG_(calloc)("turns.open_calls", VG_N_THREADS, sizeof *open_calls);
   forget_open_calls();
}

/*--------------------------------------------------------------------*/

static void wait_until_given(void)
{
   if (on_arrival != NULL)
      on_arrival();
   if (!turns_are_given())
      return;
   const Int thread = VG_(gettid)();
   if (UNLIKELY(line.has_turn == thread)) {
      stop();
      return;
   }
   /* Numbers of threads begin again at small ones when they have become large.  */
   Waiter self = {.thread = thread, .age = (UInt)thread - (UInt)line.process};
   wait_for_turn(&self);
   line.has_turn = thread;
}

static void give_up(void)
{
   if (turns_are_given())
      end_turn();
}

void turns_register(void)
{
   static const CoreLockHooks hooks = {begin, wait_until_given, give_up};
   core_lock_lead(&hooks);
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
   const Int self = VG_(gettid)();
   const Bool may_open = may_open_file(call);
   if (may_open && n_states == MOST_STATES)
      forget_open_calls();
   const Int state = may_open ? keep_state(self) : NotOpen;
   guard_take();
   end_open_call(&open_calls[thread]);
   if (may_open) {
      open_calls[thread] = (OpenCall){self, state};
      n_open_calls++;
      n_states += state != NotOpen;
   }
   guard_leave();
}

#else

void turns_register(void) {}

void turns_before_call(ThreadId thread, UInt call) { (void)thread, (void)call; }

Bool turns_are_shared(void) { return False; }

void turns_thread_begins(void) {}

void turns_thread_ends(void) {}

Bool turns_are_given(void) { return False; }

Bool turns_line_is_empty(void) { return True; }

Bool turns_is_asleep(Int thread)
{
   (void)thread;
   return True;
}

void turns_on_arrival(void (*hook)(void)) { (void)hook; }

#endif
