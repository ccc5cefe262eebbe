/* SPDX-License-Identifier: GPL-2.0-or-later

   What programs do with stacks, of which a profiler may come to do more than their number
   asks for:

      scaling parked N       N coroutines that wait at a time, each on a stack of its own
      scaling left N         N coroutines, one after another in one place; each is left
                             in the middle
      scaling nested N       N stacks, each of which calls a function on the next one
      scaling moved N        a coroutine, whose stack is moved N times
      scaling copied N       N coroutines, copied in and out of one place
      scaling switches N     a recursion of depth N, with a switch on each level
      scaling scheduled N    N switches between two coroutines N frames deep, by way of a
                             scheduler's stack, whose frames are not returned to
      scaling yields N       N yields of a fiber N frames deep, to a parent as deep
      scaling fibers N       N fibers, one after another in one place; each yields once
                             when it is 100 frames deep
      scaling unwound N      N stacks, each of which calls on the next one; then the first
                             goes on, and each in turn from the outermost
      scaling topmost N      N stacks, each of which calls on the next one; on the last
                             there are N switches to a coroutine

   See scaling.c.  */

#include "scaling.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
        ".globl switch_stacks\n"
        ".type switch_stacks,@function\n"
        "switch_stacks:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rdi)\n"
        "   mov %rsi,%rsp\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "   ret\n"
        ".size switch_stacks,.-switch_stacks\n"
        ".globl call_on\n"
        ".type call_on,@function\n"
        "call_on:\n"
        "   push %rbp\n"
        "   mov %rsp,%rbp\n"
        "   mov %rdx,%rsp\n"
        "   mov %rdi,%rax\n"
        "   mov %esi,%edi\n"
        "   call *%rax\n"
        "   leave\n"
        "   ret\n"
        ".size call_on,.-call_on\n"
        ".globl begin_on\n"
        ".type begin_on,@function\n"
        "begin_on:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rcx)\n"
        "   mov %rdx,%rsp\n"
        "   push %rcx; push %rcx\n"
        "   mov %rdi,%rax\n"
        "   mov %esi,%edi\n"
        "   call *%rax\n"
        "   pop %rcx\n"
        "   mov (%rcx),%rsp\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "   ret\n"
        ".size begin_on,.-begin_on\n"
        ".globl leave_to\n"
        ".type leave_to,@function\n"
        "leave_to:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rcx)\n"
        "   mov %rdx,%rsp\n"
        "   mov %rdi,%rax\n"
        "   mov %esi,%edi\n"
        "   call *%rax\n"
        "   hlt\n"
        ".size leave_to,.-leave_to\n");

#define STACK_SIZE 1024

static unsigned char* stacks;
static void** places; /* where each coroutine was left */
static unsigned running;
static void* home;

static void make_stacks(unsigned n)
{
   stacks = mmap(NULL, (size_t)n * STACK_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   places = calloc(n, sizeof *places);
   if (stacks == MAP_FAILED || places == NULL)
      exit(1);
}

static unsigned char* end_of_stack(unsigned i) { return stacks + (i + 1ul) * STACK_SIZE; }

__attribute__((noinline)) static void wait_here(void)
{
   switch_stacks(&places[running], home);
   sum += leaf(running);
}

/* What a coroutine does: it waits for ever.  */
__attribute__((noinline)) static void serve(void)
{
   for (;;) {
      wait_here();
      sum++;
   }
}

static void begin(unsigned i, unsigned char* end)
{
   uintptr_t* top = (uintptr_t*)end - 2;
   *--top = (uintptr_t)serve;
   places[i] = top - 6;
}

__attribute__((noinline)) static void go_to(unsigned i)
{
   running = i;
   switch_stacks(&home, places[i]);
}

static void parked(unsigned n)
{
   make_stacks(n);
   for (unsigned i = 0; i < n; i++)
      begin(i, end_of_stack(i));
   for (unsigned round = 0; round < 3; round++)
      for (unsigned i = 0; i < n; i++)
         go_to(i);
}

static void left(unsigned n)
{
   make_stacks(1);
   for (unsigned i = 0; i < n; i++) {
      begin(0, end_of_stack(0));
      go_to(0);
      go_to(0);
   }
}

__attribute__((noinline)) static void nest(unsigned n)
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
   begin(0, end_of_stack(0));
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
   for (unsigned round = 0; round < 3; round++)
      for (unsigned i = 0; i < n; i++) {
         unsigned char* copy = end_of_stack(i + 1) - STACK_SIZE;
         if (round == 0)
            begin(i, end_of_stack(0));
         else
            memcpy(stacks, copy, STACK_SIZE);
         go_to(i);
         memcpy(copy, stacks, STACK_SIZE);
      }
}

__attribute__((noinline)) static unsigned switch_at_each(unsigned n)
{
   go_to(0);
   unsigned below = n > 1 ? switch_at_each(n - 1) : 0;
   return below + leaf(n);
}

static void switches(unsigned n)
{
   make_stacks(1);
   begin(0, end_of_stack(0));
   sum = switch_at_each(n);
}

/* --- Stacks that are deep, or many ----------------------------------------------- */

#define FRAME_SIZE 64  /* no frame of dive() is larger */
#define DEPTH 100

static unsigned n_switches;
static void** homes; /* where the parent of each stack was left */
static void* dead;   /* where nothing goes on */

static unsigned char* make_deep_stack(unsigned depth)
{
   size_t size = (size_t)depth * FRAME_SIZE + 16 * STACK_SIZE;
   unsigned char* stack =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (stack == MAP_FAILED)
      exit(1);
   return stack + size;
}

/* Calls a function on a stack so many frames deep.  */
__attribute__((noinline)) static void dive(unsigned depth, void (*function)(unsigned))
{
   if (depth > 0)
      dive(depth - 1, function);
   else
      function(n_switches);
   sum += leaf(depth);
}

static unsigned char* scheduler_stack;
static unsigned depth_now;

/* On the scheduler's stack: goes to the other coroutine.  */
__attribute__((noinline)) static void schedule(unsigned depth)
{
   if (depth > 0) {
      schedule(depth - 1);
      sum++;
   }
   running = !running;
   switch_stacks(&dead, places[running]);
}

__attribute__((noinline)) static void go_round(unsigned n)
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
   for (unsigned i = 0; i < 2; i++) {
      uintptr_t* top = (uintptr_t*)(void*)make_deep_stack(n) - 2;
      *--top = (uintptr_t)dive_round;
      places[i] = top - 6;
   }
   go_to(0);
}

__attribute__((noinline)) static void yield(unsigned n)
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
__attribute__((noinline)) static void begin_next(unsigned n)
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

__attribute__((noinline)) static void call_topmost(unsigned n)
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
   begin(0, end_of_stack(0));
   n_switches = n;
   call_topmost(n);
}

const Kind stack_kinds[] = {
   {"parked", parked},
   {"left", left},
   {"nested", nested},
   {"moved", moved},
   {"copied", copied},
   {"switches", switches},
   {"scheduled", scheduled},
   {"yields", yields},
   {"fibers", fibers},
   {"unwound", unwound},
   {"topmost", topmost},
   {NULL, NULL},
};
