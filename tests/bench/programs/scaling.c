/* SPDX-License-Identifier: GPL-2.0-or-later

   What a profiler may come to do in time by the square of its number, `scaling KIND N`:

      recursion    a recursion of depth N, twice, with a call on each level
      rewrite      N functions of JIT code, one after another in one place
      contexts     one function, rewritten N times, each time for another caller
      held         the same, while code of that function has a frame, and other code of it
                   is called from one place all the time
      unmapped     N functions, each in a page of its own, which is unmapped
      parked       N coroutines that wait at a time, each on a stack of its own
      left         N coroutines, one after another in one place; each is left midway
      nested       N stacks, each of which calls a function on the next one
      moved        a coroutine, whose stack is moved N times
      copied       N coroutines, copied in and out of one place
      switches     a recursion of depth N, with a switch on each level
      scheduled    N switches between two coroutines N frames deep, by way of a
                   scheduler's stack, whose frames are not returned to
      yields       N yields of a fiber N frames deep, to a parent as deep
      fibers       N fibers, one after another in one place; each yields once when it is
                   100 frames deep
      unwound      N stacks, each of which calls on the next one; then the first goes on,
                   and each in turn from the outermost
      topmost      N stacks, each of which calls on the next one; on the last there are N
                   switches to a coroutine

   The output tells only that all was executed.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_SIZE 64
#define PAGE_SIZE 4096
#define STACK_SIZE 1024
#define FRAME_SIZE 64 /* no frame of dive() is larger */
#define DEPTH 100
#define CALLED __attribute__((noinline)) static

static unsigned long sum; /* shows that all was executed */

CALLED unsigned leaf(unsigned n)
{
   __asm__ volatile("");
   return n & 1;
}

CALLED unsigned descend(unsigned n)
{
   unsigned below = n > 1 ? descend(n - 1) : 0;
   return below + leaf(n);
}

static void recursion(unsigned n) { sum = descend(n) + descend(n); }

static void* memory(void* wish, size_t size, int access)
{
   void* found = mmap(wish, size, PROT_READ | PROT_WRITE | access,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (found == MAP_FAILED)
      exit(1);
   return found;
}

/* --- JIT code -------------------------------------------------------------------- */

#define HOLDING 16 /* where in CODE_SIZE it is that calls back */
#define BESIDE 48

static unsigned char* code; /* where JIT code is written */
static FILE* map;           /* /tmp/perf-PID.map; unbuffered */
static unsigned n_callers;
static int is_held;

/* mov $n,%eax; ret */
static void write_code(unsigned char* at, unsigned n)
{
   at[0] = 0xb8;
   memcpy(at + 1, &n, sizeof n);
   at[5] = 0xc3;
}

static void call_code(unsigned char* at) { sum += ((unsigned (*)(void))(uintptr_t)at)(); }

static const char* map_path(void)
{
   static char path[64];
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   return path;
}

static void name_code(const unsigned char* at, unsigned n)
{
   if (map == NULL) {
      map = fopen(map_path(), "w");
      if (map == NULL)
         exit(1);
      setvbuf(map, NULL, _IONBF, 0);
   }
   fprintf(map, "%lx %x made_%u\n", (unsigned long)at, CODE_SIZE, n);
}

static void make_code(unsigned char* at, unsigned n)
{
   write_code(at, n);
   name_code(at, n);
   call_code(at);
}

static void rewrite(unsigned n)
{
   code = memory(NULL, PAGE_SIZE, PROT_EXEC);
   for (unsigned i = 0; i < n; i++)
      make_code(code, i);
}

static void unmapped(unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      /* Each is asked for elsewhere than the one before.  */
      void* wish = (void*)(uintptr_t)(0x100000000 + i * 2ul * PAGE_SIZE);
      code = memory(wish, PAGE_SIZE, PROT_EXEC);
      make_code(code, i);
      munmap(code, PAGE_SIZE);
   }
}

/* sub $8,%rsp; mov $target,%rax; call *%rax; add $8,%rsp; ret */
static void write_caller(unsigned char* at, const unsigned char* target)
{
   uint64_t address = (uintptr_t)target;
   memcpy(at, "\x48\x83\xec\x08\x48\xb8", 6);
   memcpy(at + 6, &address, sizeof address);
   memcpy(at + 14, "\xff\xd0\x48\x83\xc4\x08\xc3", 7);
}

static void rewrite_for_callers(void)
{
   for (unsigned i = 0; i < n_callers; i++) {
      unsigned char* caller = code + (size_t)(i + 1) * CODE_SIZE;
      /* By turns with a nop in front: otherwise it is the same code, with other
         numbers.  */
      code[0] = 0x90;
      write_code(code + i % 2, i);
      write_caller(caller, code);
      call_code(caller);
      if (is_held)
         call_code(code + BESIDE);
   }
}

static void contexts(unsigned n)
{
   code = memory(NULL, (size_t)(n + 1) * CODE_SIZE, PROT_EXEC);
   n_callers = n;
   rewrite_for_callers();
}

static void held(unsigned n)
{
   n_callers = n;
   is_held = 1;
   code = memory(NULL, (size_t)(n + 1) * CODE_SIZE, PROT_EXEC);
   name_code(code, 0);
   write_code(code + BESIDE, n);
   /* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
   memcpy(code + HOLDING, "\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3", 11);
   ((void (*)(void (*)(void)))(uintptr_t)(code + HOLDING))(rewrite_for_callers);
}

/* --- Stacks ---------------------------------------------------------------------- */

#define FUNCTION(NAME, BODY) \
   ".type " #NAME ",@function\n" #NAME ":\n" BODY ".size " #NAME ",.-" #NAME "\n"
#define SAVE "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
#define RESTORE "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
#define CALL_ON "mov %rdi,%rax; mov %esi,%edi; call *%rax\n"

/* Goes to where `to` was left, and leaves its own place in `*from`.  */
void switch_stacks(void** from, void* to);
/* Calls the function with the stack pointer at `top`.  */
void call_on(void (*function)(unsigned), unsigned n, void* top);
/* As call_on(); the caller's place is left in `*home`, where others may go on.  When the
   function returns, control goes to what `*home` is then.  */
void begin_on(void (*function)(unsigned), unsigned n, void* top, void** home);
/* Leaves its own place in `*from`, and calls a function that does not return.  */
void leave_to(void (*function)(unsigned), unsigned n, void* top, void** from);
__asm__(".text\n"
        FUNCTION(switch_stacks, SAVE "mov %rsp,(%rdi); mov %rsi,%rsp\n" RESTORE)
        FUNCTION(call_on, "push %rbp; mov %rsp,%rbp; mov %rdx,%rsp\n"
                          CALL_ON "leave; ret\n")
        FUNCTION(begin_on, SAVE "mov %rsp,(%rcx); mov %rdx,%rsp; push %rcx; push %rcx\n"
                           CALL_ON "pop %rcx; mov (%rcx),%rsp\n" RESTORE)
        FUNCTION(leave_to, SAVE "mov %rsp,(%rcx); mov %rdx,%rsp\n" CALL_ON "hlt\n"));

static unsigned char* stacks;
static void** places; /* where each coroutine was left */
static unsigned running;
static void* home;

static void make_stacks(unsigned n)
{
   stacks = memory(NULL, (size_t)n * STACK_SIZE, 0);
   places = calloc(n, sizeof *places);
}

static unsigned char* end_of_stack(unsigned i) { return stacks + (i + 1ul) * STACK_SIZE; }

CALLED void wait_here(void)
{
   switch_stacks(&places[running], home);
   sum += leaf(running);
}

/* What a coroutine does: it waits for ever.  */
CALLED void serve(void)
{
   for (;;) {
      wait_here();
      sum++;
   }
}

static void begin(unsigned i, void (*function)(void), unsigned char* end)
{
   uintptr_t* top = (uintptr_t*)(void*)end - 2;
   *--top = (uintptr_t)function;
   places[i] = top - 6;
}

CALLED void go_to(unsigned i)
{
   running = i;
   switch_stacks(&home, places[i]);
}

static void parked(unsigned n)
{
   make_stacks(n);
   for (unsigned i = 0; i < n; i++)
      begin(i, serve, end_of_stack(i));
   for (unsigned round = 0; round < 3; round++)
      for (unsigned i = 0; i < n; i++)
         go_to(i);
}

static void left(unsigned n)
{
   make_stacks(1);
   for (unsigned i = 0; i < n; i++) {
      begin(0, serve, end_of_stack(0));
      go_to(0);
      go_to(0);
   }
}

CALLED void nest(unsigned n)
{
   if (n > 0)
      call_on(nest, n - 1, end_of_stack(n));
   sum += leaf(n);
}

static void nested(unsigned n)
{
   make_stacks(n + 1);
   nest(n);
}

static void moved(unsigned n)
{
   make_stacks(2);
   begin(0, serve, end_of_stack(0));
   for (unsigned i = 0; i < n; i++) {
      go_to(0);
      unsigned char* place = places[0];
      unsigned char* end = end_of_stack(i % 2);
      places[0] = end_of_stack((i + 1) % 2) - (end - place);
      memcpy(places[0], place, (size_t)(end - place));
   }
}

/* The coroutines' frames lie in the first stack, one's at a time.  */
static void copied(unsigned n)
{
   make_stacks(n + 1);
   for (unsigned i = 0; i < 3 * n; i++) {
      unsigned char* copy = end_of_stack(i % n);
      if (i < n)
         begin(i, serve, end_of_stack(0));
      else
         memcpy(stacks, copy, STACK_SIZE);
      go_to(i % n);
      memcpy(copy, stacks, STACK_SIZE);
   }
}

CALLED unsigned switch_at_each(unsigned n)
{
   go_to(0);
   unsigned below = n > 1 ? switch_at_each(n - 1) : 0;
   return below + leaf(n);
}

static void switches(unsigned n)
{
   make_stacks(1);
   begin(0, serve, end_of_stack(0));
   sum = switch_at_each(n);
}

/* --- Stacks that are deep, or many ----------------------------------------------- */

static unsigned n_switches, depth_now;
static void** homes; /* where the parent of each stack was left */
static void* dead;   /* where nothing goes on */
static unsigned char* scheduler_stack;

static unsigned char* make_deep_stack(unsigned depth)
{
   size_t size = (size_t)depth * FRAME_SIZE + 16 * STACK_SIZE;
   return (unsigned char*)memory(NULL, size, 0) + size;
}

/* Calls a function on a stack so many frames deep.  */
CALLED void dive(unsigned depth, void (*function)(unsigned))
{
   if (depth > 0)
      dive(depth - 1, function);
   else
      function(n_switches);
   sum += leaf(depth);
}

/* On the scheduler's stack: goes to the other coroutine.  */
CALLED void schedule(unsigned depth)
{
   if (depth > 0) {
      schedule(depth - 1);
      sum++;
   }
   running = !running;
   switch_stacks(&dead, places[running]);
}

CALLED void go_round(unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      leave_to(schedule, 10, scheduler_stack, &places[running]);
      sum += leaf(i);
   }
   switch_stacks(&dead, home);
}

static void dive_round(void) { dive(depth_now, go_round); }

static void scheduled(unsigned n)
{
   make_stacks(2);
   scheduler_stack = make_deep_stack(10);
   depth_now = n_switches = n;
   for (unsigned i = 0; i < 2; i++)
      begin(i, dive_round, make_deep_stack(n));
   go_to(0);
}

CALLED void yield(unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      switch_stacks(&places[0], home);
      sum += leaf(i);
   }
}

static void dive_and_yield(unsigned depth) { dive(depth, yield); }

static void resume_all(unsigned n)
{
   begin_on(dive_and_yield, depth_now, make_deep_stack(depth_now), &home);
   for (unsigned i = 0; i < n; i++)
      go_to(0);
}

static void yields(unsigned n)
{
   make_stacks(1);
   depth_now = n_switches = n;
   dive(n, resume_all);
}

static void fibers(unsigned n)
{
   unsigned char* top = make_deep_stack(DEPTH);
   make_stacks(1);
   n_switches = 1;
   for (unsigned i = 0; i < n; i++) {
      begin_on(dive_and_yield, DEPTH, top, &home);
      go_to(0);
   }
}

/* The first goes on when the last has begun, and then each in turn.  */
CALLED void begin_next(unsigned n)
{
   if (n > 0)
      begin_on(begin_next, n - 1, end_of_stack(n), &homes[n]);
   sum += leaf(n);
   switch_stacks(&dead, n > 1 ? homes[n - 1] : home);
}

static void unwound(unsigned n)
{
   make_stacks(n + 1);
   homes = calloc(n + 1, sizeof *homes);
   begin_on(begin_next, n, end_of_stack(0), &home);
   switch_stacks(&home, homes[n]);
}

CALLED void call_topmost(unsigned n)
{
   if (n > 0)
      call_on(call_topmost, n - 1, end_of_stack(n));
   else
      for (unsigned i = 0; i < n_switches; i++)
         go_to(0);
   sum += leaf(n);
}

static void topmost(unsigned n)
{
   make_stacks(n + 1);
   begin(0, serve, end_of_stack(0));
   n_switches = n;
   call_topmost(n);
}

#define KIND(NAME) {#NAME, NAME}
static const struct {
   const char* name;
   void (*run)(unsigned n);
} kinds[] = {
   KIND(recursion), KIND(rewrite),   KIND(contexts), KIND(held),   KIND(unmapped),
   KIND(parked),    KIND(left),      KIND(nested),   KIND(moved),  KIND(copied),
   KIND(switches),  KIND(scheduled), KIND(yields),   KIND(fibers), KIND(unwound),
   KIND(topmost),
};

int main(int n, char** words)
{
   for (size_t i = 0; n == 3 && i < sizeof kinds / sizeof kinds[0]; i++)
      if (strcmp(words[1], kinds[i].name) == 0) {
         kinds[i].run((unsigned)atoi(words[2]));
         unlink(map_path());
         printf("%s %s: %lu\n", words[1], words[2], sum);
         return 0;
      }
   return 2;
}
