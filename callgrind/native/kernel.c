/* SPDX-License-Identifier: GPL-2.0-or-later

   See kernel.h.

   The range of code in which system calls are not dispatched is the tool's own, which
   holds the core's.  The kernel forgets it for a new thread or process.

   All signals that the core wants to see are blocked while a thread runs natively, as
   they are while it runs translated, but for those below.  Ticks are open only there: a
   handler begins with them blocked, and its end is not waited for.  A signal of these
   that is sent to the program, and not caused by it, must not reach the core's handler
   there: it is blocked, and sent again, so that the core finds it when it polls.  */

#include "native/kernel.h"

#include "core/code_exits.h"
#include "core/signals.h"
#include "core/system_call.h"
#include "native/call_exit.h"
#include "native/entry.h"
#include "native/exit.h"
#include "native/hot_calls.h"
#include "native/pauses.h"
#include "native/signal_sets.h"
#include "native/threads.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#ifdef CORE_CAN_RUN_NATIVELY

enum { SetDispatch = 59, DispatchOff = 0, DispatchOn = 1 }; /* of prctl */
enum { SetTime = 26, TimeIsRead = 1, TimeIsTrapped = 2 };
enum { SetGs = 0x1001, SetFs = 0x1002 }; /* of arch_prctl */
enum { Dispatched = 2 };                 /* si_code of SIGSYS */
enum { Arch386 = 0x40000003 };           /* its si_arch: by `int $0x80` */
enum { OfFetching = 16 };                /* in the error code of a page fault */
enum { TrapOfKernel = 0x80 };            /* si_code: SI_KERNEL */

static const NativeKernelHooks* hooks_in_use;
static Bool traps_time_in_use;
static Bool executes; /* another program: signals are as that is to inherit them */
static NativeCounts counts;

NativeCounts native_kernel_counts(void) { return counts; }

/*--------------------------------------------------------------------*/
/* A thread                                                            */

static SysRes set_dispatch(UWord on)
{
   const UWord start = on == DispatchOn ? native_own_code_start() : 0;
   const UWord size = on == DispatchOn ? native_own_code_size() : 0;
   return VG_(do_syscall)(__NR_prctl, SetDispatch, on, start, size, 0, 0, 0, 0);
}

static void set_signal_stack(NativeThread* thread)
{
   vki_stack_t stack;
   if (thread->signal_stack == NULL)
      thread->signal_stack = core_map_zeros(NATIVE_SIGNAL_STACK, "a signal stack");
   VG_(memset)(&stack, 0, sizeof stack);
   stack.ss_sp = thread->signal_stack;
   stack.ss_size = NATIVE_SIGNAL_STACK;
   VG_(do_syscall)(__NR_sigaltstack, (UWord)&stack, 0, 0, 0, 0, 0, 0, 0);
}

static void set_time(UWord how)
{
   if (traps_time_in_use)
      VG_(do_syscall)(__NR_prctl, SetTime, how, 0, 0, 0, 0, 0, 0);
}

static void change_mask(UWord how, Int signal)
{
   vki_sigset_t set = signal_set_none();
   signal_set_add(&set, signal);
   VG_(do_syscall)(__NR_rt_sigprocmask, how, (UWord)&set, 0, sizeof set, 0, 0, 0, 0);
}

/* False if the kernel cannot give the thread what it has given others: how many timers
   there may be is limited.  */
static Bool set_up(NativeThread* thread, Int number)
{
   thread->number = number;
   thread->fs = thread->gs = ~(Addr)0;
   thread->held_up = 0;
   thread->is_refused = True;
   if (!native_preemption_begin(&thread->timers, number) ||
       sr_isError(set_dispatch(DispatchOn)))
      return False;
   thread->is_refused = False;
   set_signal_stack(thread);
   set_time(TimeIsTrapped);
   change_mask(VKI_SIG_UNBLOCK, VKI_SIGSYS);
   return True;
}

static void set_bases(NativeThread* thread, const VexGuestAMD64State* guest)
{
   if (thread->fs != guest->guest_FS_CONST)
      VG_(do_syscall)(__NR_arch_prctl, SetFs, guest->guest_FS_CONST, 0, 0, 0, 0, 0, 0);
   if (thread->gs != guest->guest_GS_CONST)
      VG_(do_syscall)(__NR_arch_prctl, SetGs, guest->guest_GS_CONST, 0, 0, 0, 0, 0, 0);
   thread->fs = guest->guest_FS_CONST;
   thread->gs = guest->guest_GS_CONST;
}

static void prepare(VexGuestAMD64State* guest)
{
   NativeThread* thread = native_thread();
   set_bases(thread, guest);
   native_state_load(&thread->state, guest, &native_registers);
   /* First, so that a tick that has come meanwhile does not count as one to come.  */
   change_mask(VKI_SIG_UNBLOCK, NATIVE_TICK);
   native_preemption_enter(&thread->timers);
   counts.entered++;
   native_pauses_in();
}

/*--------------------------------------------------------------------*/
/* Signals that a thread that runs natively has                        */

typedef struct {
   Int signal;
   vki_siginfo_t* info;
   struct vki_ucontext* context;
   struct vki_sigcontext* registers;
} Arrival;

/* The thread has left: its registers are the guest's.  */
static VexGuestAMD64State* take_out(const Arrival* arrival)
{
   VexGuestAMD64State* guest = native_running();
   native_pauses_out(arrival->signal == VKI_SIGSYS);
   native_stops_running();
   native_preemption_leave();
   native_state_save(&native_thread()->state, guest, arrival->context);
   return guest;
}

static void count_call(VexGuestAMD64State* guest)
{
   const UInt left = guest->host_EvC_COUNTER, blocks = hooks_in_use->blocks_a_call;
   guest->host_EvC_COUNTER = left > blocks ? left - blocks : 0;
}

static void leave_for_call(const Arrival* arrival)
{
   enum { SizeOfCall = 2 };
   VexGuestAMD64State* guest = take_out(arrival);
   const UInt arch = *((const UInt*)&arrival->info->_sifields + 3);
   count_call(guest);
   counts.called++;
   if (arch == Arch386)
      native_exit_for(VEX_TRC_JMP_SYS_INT128);
   hooks_in_use->called(guest->guest_RIP - SizeOfCall);
   native_exit_for(VEX_TRC_JMP_SYS_SYSCALL);
}

/* By a jump; ticks are blocked as they are in a handler.  */
static void leave_by_jump(const UChar* area)
{
   VexGuestAMD64State* guest = native_running();
   native_pauses_out(True);
   native_stops_running();
   native_preemption_leave();
   change_mask(VKI_SIG_BLOCK, NATIVE_TICK);
   native_state_save_registers(&native_thread()->state, guest, &native_registers, area);
   count_call(guest);
   counts.jumped++;
   native_exit_for(VEX_TRC_JMP_SYS_SYSCALL);
}

static void leave_to_translate(const Arrival* arrival, ULong* count)
{
   (*count)++;
   take_out(arrival);
   native_exit_for(VEX_TRC_JMP_BORING);
}

static void leave_out_of_time(const Arrival* arrival)
{
   counts.ticked++;
   native_exit_out_of_time(take_out(arrival));
}

static void tick(const Arrival* arrival)
{
   NativeThread* thread = native_thread_of(VG_(gettid)());
   if (thread != NULL)
      native_preemption_ticked(&thread->timers);
   if (native_running() != NULL && thread == native_thread() &&
       !native_is_own_code(arrival->registers->rip))
      leave_out_of_time(arrival);
}

/* The program's own fault, or its stack is to grow: the core does not come back if it is
   a fault, and does if it is not.  */
static void fault(const Arrival* arrival)
{
   counts.faulted++;
   VexGuestAMD64State* guest = take_out(arrival);
   const vki_sigset_t all = signal_set_all();
   VG_(sigprocmask)(VKI_SIG_SETMASK, &all, NULL);
   core_handler_of(arrival->signal)(arrival->signal, arrival->info, arrival->context);
   native_preemption_enter(&native_thread()->timers);
   native_goes_on(guest);
}

static void while_native(const Arrival* arrival)
{
   struct vki_sigcontext* registers = arrival->registers;
   if (arrival->signal == VKI_SIGTRAP && arrival->info->si_code == TrapOfKernel &&
       hooks_in_use->is_planted(registers->rip - 1)) {
      registers->rip--;
      leave_to_translate(arrival, &counts.trapped);
   }
   if (arrival->signal == VKI_SIGSEGV && (registers->err & OfFetching) != 0 &&
       hooks_in_use->is_hidden(registers->cr2))
      leave_to_translate(arrival, &counts.hidden);
   if (arrival->signal == VKI_SIGSEGV && arrival->info->si_code == TrapOfKernel &&
       hooks_in_use->is_refused(registers->rip))
      leave_to_translate(arrival, &counts.trapped);
   fault(arrival);
}

/*--------------------------------------------------------------------*/
/* Signals that were sent                                              */

/* Is the calling thread in a system call of the program's, as far as the core knows?  */
static Bool is_in_call(const NativeThread* thread)
{
   return VG_(get_running_tid)() == VG_INVALID_THREADID || thread != native_thread();
}

/* Blocks the signal for when the handler ends, and sends it again.  */
static void hold_up(const Arrival* arrival, NativeThread* thread)
{
   signal_set_add(&arrival->context->uc_sigmask, arrival->signal);
   change_mask(VKI_SIG_BLOCK, arrival->signal);
   VG_(do_syscall)(__NR_rt_tgsigqueueinfo, (UWord)VG_(getpid)(), (UWord)VG_(gettid)(),
                   (UWord)arrival->signal, (UWord)arrival->info, 0, 0, 0, 0);
   thread->held_up |= 1ULL << arrival->signal;
   if (native_running() != NULL && !native_is_own_code(arrival->registers->rip))
      leave_out_of_time(arrival);
}

/* The core's handlers expect that all is blocked.  */
static void hand_on(const Arrival* arrival)
{
   const vki_sigset_t all = signal_set_all();
   CoreHandler* handler = core_handler_of(arrival->signal);
   if (handler == NULL)
      return;
   VG_(sigprocmask)(VKI_SIG_SETMASK, &all, NULL);
   handler(arrival->signal, arrival->info, arrival->context);
}

static Bool is_only_polled(Int signal)
{
   return signal == VKI_SIGSYS || signal == NATIVE_TICK;
}

static void sent(const Arrival* arrival)
{
   NativeThread* thread = native_thread_of(VG_(gettid)());
   if (is_only_polled(arrival->signal) && thread != NULL && !is_in_call(thread))
      hold_up(arrival, thread);
   else
      hand_on(arrival);
}

static Bool is_sent(const vki_siginfo_t* info) { return info->si_code <= 0; }

static void on_signal(Int signal, vki_siginfo_t* info, struct vki_ucontext* context)
{
   struct vki_sigcontext* registers = (struct vki_sigcontext*)&context->uc_mcontext;
   const Arrival arrival = {signal, info, context, registers};
   if (native_running() != NULL)
      native_hot_calls_leave(registers);
   const Bool is_native = native_running() != NULL && !native_is_own_code(registers->rip);
   if (LIKELY(is_native && signal == VKI_SIGSYS && info->si_code == Dispatched))
      leave_for_call(&arrival);
   if (native_is_tick(signal, info))
      tick(&arrival);
   else if (is_native && !is_sent(info) && !is_only_polled(signal))
      while_native(&arrival);
   else
      sent(&arrival);
}

/* Has a signal of the program's own been put off, that must be blocked until the core
   takes it?  */
static Bool is_held_up(NativeThread* thread)
{
   if (LIKELY(thread->held_up == 0))
      return False;
   vki_sigset_t pending = signal_set_none();
   VG_(do_syscall)(__NR_rt_sigpending, (UWord)&pending, sizeof pending, 0, 0, 0, 0, 0, 0);
   if (signal_set_has(&pending, VKI_SIGSYS) ||
       (signal_set_has(&pending, NATIVE_TICK) &&
        (thread->held_up >> NATIVE_TICK & 1) != 0))
      return True;
   thread->held_up = 0;
   change_mask(VKI_SIG_UNBLOCK, VKI_SIGSYS);
   return False;
}

Bool native_kernel_may_run(void)
{
   NativeThread* thread = native_thread();
   if (UNLIKELY(thread->number == 0))
      return set_up(thread, VG_(gettid)());
   return !thread->is_refused && !is_held_up(thread);
}

/*--------------------------------------------------------------------*/
/* What the core asks for                                              */

static Bool is_taken(Int signal)
{
   switch (signal) {
   case VKI_SIGSEGV:
   case VKI_SIGBUS:
   case VKI_SIGFPE:
   case VKI_SIGILL:
   case VKI_SIGTRAP: return True;
   default: return is_only_polled(signal);
   }
}

/* Where the core wants the default, the process is about to end by the signal.  */
static void take_action(Int signal, vki_sigaction_toK_t* action)
{
   if (executes || !is_taken(signal) || action->ksa_handler == (void*)VKI_SIG_DFL)
      return;
   action->ksa_handler = (void*)on_signal;
   action->sa_flags |= VKI_SA_ONSTACK | VKI_SA_SIGINFO | VKI_SA_NODEFER | VKI_SA_RESTART;
   action->sa_mask = signal_set_none();
   signal_set_add(&action->sa_mask, NATIVE_TICK);
}

/* It blocks all but the signals of faults.  */
static void leave_open(vki_sigset_t* mask)
{
   if (!executes)
      signal_set_remove(mask, VKI_SIGSYS);
}

/* A system call of the program's is not interrupted by a tick.  */
static void block_ticks(vki_sigset_t* mask)
{
   if (!executes)
      signal_set_add(mask, NATIVE_TICK);
}

static Bool takes(const vki_siginfo_t* info)
{
   return native_is_tick(info->si_signo, info);
}

/* Those that replace the mask while they wait, or wait for signals.  */
void native_kernel_before_call(UInt call)
{
   switch (call) {
   case __NR_rt_sigsuspend:
   case __NR_rt_sigtimedwait:
   case __NR_ppoll:
   case __NR_pselect6:
   case __NR_epoll_pwait: native_preemption_pause(&native_thread()->timers); break;
   default: break;
   }
}

void native_kernel_begin(void)
{
   static const CoreSignalHooks signal_hooks = {take_action, leave_open, block_ticks,
                                                takes};
   native_entry_init(prepare);
   native_call_exit_init(leave_by_jump);
   core_signals_lead(&signal_hooks);
}

Bool native_kernel_is_asked(void) { return core_handler_of(VKI_SIGSEGV) != NULL; }

/* A tick would be what the other program dies of.  */
void native_kernel_before_exec(void)
{
   native_preemption_pause(&native_thread()->timers);
   native_threads_end();
   executes = True;
   set_time(TimeIsRead);
}

void native_kernel_exec_failed(void) { executes = False; }

const HChar* native_kernel_set_up(const NativeKernelHooks* hooks, Bool traps_time)
{
   hooks_in_use = hooks;
   traps_time_in_use = traps_time;
   if (sr_isError(set_dispatch(DispatchOff)))
      return "the kernel has no syscall user dispatch";
   return native_preemption_set_up();
}

#endif
