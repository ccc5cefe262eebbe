/* SPDX-License-Identifier: GPL-2.0-or-later

   See call_filters.h.

   A filter is a program of the system's packet filters (BPF), without loops, which reads
   the call as 64 bytes, and returns an action.  One that asks from where the call was
   made is not answered: the system would see an address of the core's.

   A filter holds for the thread that has set it, and for those that it makes then.  */

#include "control/limits/call_filters.h"

#include "base/system_filter.h"
#include "control/limits/final_kill.h"
#include "guest/memory.h"
#include "stack/threads/thread.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

/* Linux's numbers, which the core's headers do not have.  */
#define MOST_STEPS 4096
#define N_WORDS 16        /* of memory */
#define SET_MODE_FILTER 1 /* of seccomp */
#define MODE_FILTER 2     /* of prctl */
#define FOR_ALL 1         /* SECCOMP_FILTER_FLAG_TSYNC */
#define A_THREAD 0x10000  /* CLONE_THREAD */
#define KILL_PROCESS 0x80000000u
#define KILL_THREAD 0u
#define TRAP 0x00030000u
#define ACTION 0xffff0000u
#define ALLOW 0x7fff0000u

#if defined(VGA_amd64)
#define MACHINE 0xc000003eu
#else
#define MACHINE 0xc00000b7u
#endif

typedef struct {
   UShort code;
   UChar if_true, if_false;
   UInt constant;
} Step;

/* As the program hands it over.  */
typedef struct {
   UShort n;
   const Step* steps;
} Given;

typedef struct {
   UInt n;
   Step* steps;
   Bool* holds; /* by thread */
} Filter;

/* What a filter reads.  */
typedef struct {
   Int call;
   UInt machine;
   ULong from;
   ULong arguments[6];
} CallData;

#define N_DATA_WORDS (sizeof(CallData) / sizeof(UInt))
#define IS_FROM(word) ((word) == 2 || (word) == 3)

static XArray* filters; /* of Filter; NULL: none was set */

/* Has the program a handler for SIGSYS, which one that sends that is to call?  */
static Bool is_handled;

/*--------------------------------------------------------------------*/
/* Running one                                                         */

typedef struct {
   UInt a, x;
   UInt memory[N_WORDS];
   UInt at; /* the step */
   const UInt* data;
} Machine;

/* The result of an operation of the accumulator's; False if there is no such one.  */
static Bool compute(UInt operation, UInt* a, UInt operand)
{
   switch (operation) {
   case 0x00: *a += operand; return True;
   case 0x10: *a -= operand; return True;
   case 0x20: *a *= operand; return True;
   case 0x30:
      if (operand == 0)
         return False;
      *a /= operand;
      return True;
   case 0x40: *a |= operand; return True;
   case 0x50: *a &= operand; return True;
   case 0x60: *a = operand < 32 ? *a << operand : 0; return True;
   case 0x70: *a = operand < 32 ? *a >> operand : 0; return True;
   case 0x80: *a = -*a; return True;
   case 0xa0: *a ^= operand; return True;
   default: return False;
   }
}

static Bool is_met(UInt condition, UInt a, UInt operand)
{
   switch (condition) {
   case 0x10: return a == operand;
   case 0x20: return a > operand;
   case 0x30: return a >= operand;
   default: return (a & operand) != 0;
   }
}

static Bool jump(Machine* machine, const Step* step)
{
   const UInt condition = step->code & 0xf0;
   const UInt operand = (step->code & 0x08) ? machine->x : step->constant;
   if (condition > 0x40)
      return False;
   machine->at += condition == 0                           ? step->constant
                  : is_met(condition, machine->a, operand) ? step->if_true
                                                           : step->if_false;
   return True;
}

/* Loads the accumulator or the index.  */
static Bool load(Machine* machine, const Step* step)
{
   UInt* to = (step->code & 0x07) == 0 ? &machine->a : &machine->x;
   const UInt word = step->constant / sizeof(UInt);
   switch (step->code & ~0x07) {
   case 0x00: *to = step->constant; return True;
   case 0x20: /* of the call */
      if (word >= N_DATA_WORDS || step->constant % sizeof(UInt) != 0 || IS_FROM(word))
         return False;
      *to = machine->data[word];
      return True;
   case 0x60:
      if (step->constant >= N_WORDS)
         return False;
      *to = machine->memory[step->constant];
      return True;
   case 0x80: *to = sizeof(CallData); return True;
   default: return False;
   }
}

/* Anything but a return.  */
static Bool execute(Machine* machine, const Step* step)
{
   switch (step->code & 0x07) {
   case 0:
   case 1: return load(machine, step);
   case 2:
   case 3:
      if (step->constant >= N_WORDS)
         return False;
      machine->memory[step->constant] =
         (step->code & 0x07) == 2 ? machine->a : machine->x;
      return True;
   case 4:
      return compute(step->code & 0xf0, &machine->a,
                     (step->code & 0x08) ? machine->x : step->constant);
   case 5: return jump(machine, step);
   case 7:
      if (step->code & 0x80)
         machine->a = machine->x;
      else
         machine->x = machine->a;
      return True;
   default: return False;
   }
}

/* What the filter returns; ALLOW if that cannot be known.  */
static UInt answer_of(const Filter* filter, const CallData* data)
{
   Machine machine = {0, 0, {0}, 0, (const UInt*)data};
   while (machine.at < filter->n) {
      const Step* step = &filter->steps[machine.at++];
      if ((step->code & 0x07) == 6)
         return (step->code & 0x18) == 0 ? step->constant : machine.a;
      if (!execute(&machine, step))
         break;
   }
   return ALLOW;
}

/*--------------------------------------------------------------------*/
/* Which there are                                                     */

static UInt n_filters(void) { return filters != NULL ? (UInt)VG_(sizeXA)(filters) : 0; }

static Filter* filter_at(UInt i) { return VG_(indexXA)(filters, (Word)i); }

/* Takes over the filter at `address`; False if there is none.  */
static Bool take(Filter* filter, Addr address)
{
   Given given;
   if (!guest_memory_copy(&given, address, sizeof given) || given.n == 0 ||
       given.n > MOST_STEPS)
      return False;
   const SizeT size = given.n * sizeof(Step);
   filter->n = given.n;
   filter->steps = VG_(malloc)("call_filters.steps", size);
   if (guest_memory_copy(filter->steps, (Addr)given.steps, size))
      return True;
   VG_(free)(filter->steps);
   return False;
}

static void add(ThreadId thread, Addr address, Bool for_all)
{
   Filter filter;
   if (!take(&filter, address))
      return;
   filter.holds = VG_(calloc)("call_filters.holds", VG_N_THREADS, sizeof(Bool));
   for (ThreadId other = 0; other < VG_N_THREADS; other++)
      filter.holds[other] = for_all || other == thread;
   if (filters == NULL)
      filters = VG_(newXA)(VG_(malloc), "call_filters", VG_(free), sizeof(Filter));
   VG_(addToXA)(filters, &filter);
}

static void inherit(ThreadId from, ThreadId to)
{
   for (UInt i = 0; i < n_filters(); i++)
      filter_at(i)->holds[to] = filter_at(i)->holds[from];
}

/*--------------------------------------------------------------------*/

static UInt n_live;

static void count_live(ThreadId thread, ShadowStack* stack)
{
   (void)thread, (void)stack;
   n_live++;
}

static Bool is_only_thread(void)
{
   n_live = 0;
   thread_for_each_live(count_live);
   return n_live <= 1;
}

/* The answer of all that hold.  */
static UInt action_for(ThreadId thread, UInt call, const UWord* arguments)
{
   UInt action = ALLOW;
   CallData data = {(Int)call, MACHINE, 0, {0}};
   for (UInt i = 0; i < sizeof data.arguments / sizeof data.arguments[0]; i++)
      data.arguments[i] = arguments[i];
   for (UInt i = 0; i < n_filters(); i++) {
      const Filter* filter = filter_at(i);
      const UInt answer =
         filter->holds[thread] ? answer_of(filter, &data) & ACTION : ALLOW;
      /* The system, too, takes the least as numbers with a sign.  */
      action = (Int)answer < (Int)action ? answer : action;
   }
   return action;
}

void call_filters_before_call(ThreadId thread, UInt call, const UWord* arguments)
{
   if (LIKELY(filters == NULL))
      return;
   const UInt action = action_for(thread, call, arguments);
   if (action == KILL_PROCESS || (action == KILL_THREAD && is_only_thread()) ||
       (action == TRAP && !is_handled))
      final_kill_for_call();
}

static void note_handler(Addr action)
{
   UWord handler;
   if (action != 0 && guest_memory_word(action, &handler))
      is_handled = handler != (UWord)VKI_SIG_DFL && handler != (UWord)VKI_SIG_IGN;
}

static Bool makes_thread(UInt call, const UWord* arguments)
{
   return call == __NR_clone && (arguments[0] & A_THREAD) != 0 &&
          thread_created_last() != VG_INVALID_THREADID;
}

/* Where the filter lies that the call sets; 0 if it sets none.  */
static Addr filter_of(UInt call, const UWord* arguments)
{
   const Bool is_prctl = call == __NR_prctl;
   return system_filter_is_set_by(call, arguments) &&
                (is_prctl ? arguments[1] == MODE_FILTER : arguments[0] == SET_MODE_FILTER)
             ? arguments[2]
             : 0;
}

static Bool lets_through(const Filter* filter, const CallData* data)
{
   return (answer_of(filter, data) & ACTION) == ALLOW;
}

FilteredOpening call_filters_opening(UInt call, const UWord* arguments)
{
   const ULong flags = VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC;
   const ULong path = arguments[2]; /* any */
   const CallData in_folder = {
      __NR_openat, MACHINE, 0, {(ULong)(Long)VKI_AT_FDCWD, path, flags, 0600}};
   const Addr address = filter_of(call, arguments);
   Filter filter;
   if (address == 0 || !take(&filter, address))
      return OpenAsEver;
   FilteredOpening opening = OpenByNone;
#ifdef __NR_open
   const CallData as_ever = {__NR_open, MACHINE, 0, {path, flags, 0600}};
   if (lets_through(&filter, &as_ever))
      opening = OpenAsEver;
   else
#endif
      if (lets_through(&filter, &in_folder))
      opening = OpenInFolder;
   VG_(free)(filter.steps);
   return opening;
}

/* As the core asks for memory of its own, which may be executed, too.  */
Bool call_filters_forbid_memory(UInt call, const UWord* arguments)
{
   const CallData mapping = {__NR_mmap,
                             MACHINE,
                             0,
                             {0, 1 << 16, VKI_PROT_READ | VKI_PROT_WRITE | VKI_PROT_EXEC,
                              VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_ANONYMOUS, 0, 0}};
   const Addr address = filter_of(call, arguments);
   Filter filter;
   if (address == 0 || !take(&filter, address))
      return False;
   const Bool forbids = !lets_through(&filter, &mapping);
   VG_(free)(filter.steps);
   return forbids;
}

void call_filters_after_call(ThreadId thread, UInt call, const UWord* arguments)
{
   if (filters != NULL && makes_thread(call, arguments))
      inherit(thread, thread_created_last());
   if (call == __NR_rt_sigaction && arguments[0] == VKI_SIGSYS)
      note_handler(arguments[1]);
   const Addr filter = filter_of(call, arguments);
   if (filter == 0)
      return;
   system_filter_set_opening(call_filters_opening(call, arguments));
   add(thread, filter, call != __NR_prctl && (arguments[1] & FOR_ALL) != 0);
}
