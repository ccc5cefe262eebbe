/* SPDX-License-Identifier: GPL-2.0-or-later

   Seeding; see seed.h.

   The core's unwinder gives, for each frame from the innermost out, an address in its
   function and the stack pointer there.  A frame's slot (arch.h) lies right below its
   caller's stack pointer, as it does if we saw it entered: so its own return pops it, and
   its callees' returns do not.

   Nothing is guessed: an address that is not behind a call instruction ends the
   path.  What lies beyond stays unknown, unless look_behind() finds it.  */

#include "stack/seed.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/jit/jit_functions.h"
#include "guest/memory.h"
#include "stack/relocation.h"
#include "stack/shadowstack.h"
#include "stack/shadowstack_activations.h"
#include "stack/shadowstack_frames.h"
#include "stack/shadowstack_regions.h"
#include "stack/shadowstack_running.h"
#include "stack/thread.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"

#define INITIAL_DEPTH 512
#define MAX_DEPTH (4 * 1024 * 1024)
#define MAX_WORDS_BEHIND 64
#define MAX_WORDS_UNTOLD 2

/* No function without frame information has a larger frame: it has called on another
   stack.  */
#define LARGEST_UNKNOWN_FRAME 8192

/* One thread's native stack; the innermost frame is number 0.  */
typedef struct {
   UInt n;
   UInt capacity;
   Addr*
      ips; /* of frame 0: where it is; of others: the last byte of a call instruction */
   Addr* sps;
   Addr* fps;
   Bool is_whole; /* the outermost frame has no caller */
} NativeStack;

static void release(NativeStack* native)
{
   VG_(free)(native->ips);
   VG_(free)(native->sps);
   VG_(free)(native->fps);
}

/* Unwinds the thread's stack as if these deltas were added to its registers.  The caller
   releases it.  */
static void unwind(ThreadId thread, NativeStack* native, Word ip_delta, Word sp_delta)
{
   for (native->capacity = INITIAL_DEPTH;; native->capacity *= 4) {
      SizeT size = native->capacity * sizeof(Addr);
      native->ips = VG_(malloc)("seed.ips", size);
      native->sps = VG_(malloc)("seed.sps", size);
      native->fps = VG_(malloc)("seed.fps", size);
      native->n =
         VG_(get_StackTrace_with_deltas)(thread, native->ips, native->capacity,
                                         native->sps, native->fps, ip_delta, sp_delta);
      if (native->n < native->capacity || native->capacity >= MAX_DEPTH)
         return;
      release(native);
   }
}

/* Can a call that returns to `return_address` have led to the code at `ip`?  Not if the
   call itself names code of another object.  */
static Bool may_have_called(Addr return_address, Addr ip)
{
   Addr call = arch_call_before(return_address);
   if (call == 0)
      return False;
   Addr target = arch_call_target(call);
   return target == 0 || address_place_of(target).object == address_place_of(ip).object;
}

static Bool has_frame_information(Addr ip)
{
   Place place = address_place_of(ip);
   return address_has_frame_information(&place);
}

/* May frame `i` have been called without taking room on the stack?  Not where a call
   pushes its return address.  Elsewhere a function may leave that where it is as long as
   it calls nothing: the innermost one, and one that a signal has interrupted.  */
static Bool may_take_no_room(const NativeStack* native, UInt i)
{
   return !ARCH_CALL_PUSHES && (i == 0 || arch_is_sigreturn(native->ips[i - 1] + 1));
}

/* May frame `i` have called frame `i - 1`?  Code that a signal interrupted did not
   call its handler, nor did the stub that the handler returns to.  */
static Bool is_credible(const NativeStack* native, UInt i)
{
   Addr return_address = native->ips[i] + 1;
   if ((i >= 2 && arch_is_sigreturn(native->ips[i - 1] + 1)) ||
       arch_is_sigreturn(return_address))
      return True;
   if (native->sps[i] < native->sps[i - 1] ||
       (native->sps[i] == native->sps[i - 1] && !may_take_no_room(native, i - 1)))
      return False;
   return arch_call_before(return_address) != 0;
}

/* Cuts the path off where it cannot be right.  */
static void cut_off_guesses(NativeStack* native)
{
   for (UInt i = 1; i < native->n; i++)
      if (!is_credible(native, i)) {
         native->n = i;
         break;
      }
   native->is_whole = native->n > 0 && native->fps[native->n - 1] == 0;
}

/* A function may have called the next one on another stack, as one does that goes to a
   scheduler.  The unwinder, where it goes by frame pointers, may find its caller all the
   same; then it seems to have a frame as large as the two stacks lie apart.  (If they lie
   the other way round, the path ends there.)  If its caller was not found by the frame
   pointer, but by what lies on the stack, they may lie near by.  */
static Bool calls_on_other_stack(const NativeStack* native, UInt i)
{
   if (!ARCH_CALL_PUSHES || i == 0 || i + 1 >= native->n)
      return False;
   Addr apart = native->sps[i + 1] - native->sps[i];
   Bool is_by_record = native->sps[i + 1] == native->fps[i] + 2 * sizeof(Addr);
   return apart >
             (is_by_record ? LARGEST_UNKNOWN_FRAME : MAX_WORDS_BEHIND * sizeof(Addr)) &&
          !has_frame_information(native->ips[i]);
}

/* The slot of frame `i` (arch.h).  For the outermost frame it is not known, and taken
   to be too high rather than too low, so that nothing pops that frame.  */
static Addr entry_sp(const NativeStack* native, UInt i)
{
   if (i + 1 < native->n)
      return native->sps[i + 1] - sizeof(Addr);
   return SHADOWSTACK_TOP_SP;
}

CallSite* seed_call_site(Addr return_address, Function* caller)
{
   Addr call = arch_call_before(return_address);
   if (call == 0)
      return callsite_unknown(caller);
   Place place = address_place_of(call);
   return callsite_intern(SiteCall, call, place.file_address, return_address, caller,
                          address_line_of(call));
}

CallSite* seed_site_above_top(Addr return_address)
{
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameSkipped)
      return top->skipped_site;
   return top->context != NULL ? seed_call_site(return_address, top->context->function)
                               : NULL;
}

static Context* seeded_context(Function* function)
{
   return context_at_depth(function, ++*shadowstack_activations(function),
                           shadowstack_now.top->context);
}

/* Pushes a skipped frame.  Its owner is the nearest shown frame below; `call_return` is
   where the call returns to that led here.  */
static void seed_skipped(Function* function, Addr call_return, Addr sp,
                         Addr return_address)
{
   shadowstack_push_skipped(function, shadowstack_now.top->context,
                            seed_site_above_top(call_return), sp, return_address, 0);
}

/* The function of frame `i`, and whether it is shown.  Code of which nothing is known is
   its caller's; without a caller it is shown, unless it is JIT code.  */
static Function* function_of_frame(const NativeStack* native, UInt i, Bool* is_shown,
                                   SeedCounts* counts)
{
   Addr ip = native->ips[i];
   Place place = address_place_of(ip);
   Function* function = address_function_of(ip, &place);
   if (function == NULL && address_is_jit_code(&place))
      function = jit_functions_named_at(ip);
   if (function != NULL) {
      *is_shown = symbols_runs_as(function) == function;
      counts->skipped += !*is_shown;
      return function;
   }
   counts->anonymous++;
   if (i + 1 < native->n || address_is_jit_code(&place)) {
      *is_shown = False;
      return address_unbounded_function(ip, &place);
   }
   function = address_outermost_function(ip, &place);
   *is_shown = symbols_runs_as(function) == function;
   return function;
}

/* What is between the stacks may be others'.  */
static void seed_stack_switch(Addr end)
{
   StackRegion* region = shadowstack_region(shadowstack_now.stack);
   region->low = shadowstack_now.top->sp;
   relocation_remember(shadowstack_now.stack, region->low);
   shadowstack_push_stack_switch(end);
}

static void seed_frame(const NativeStack* native, UInt i, SeedCounts* counts)
{
   Bool is_shown;
   Function* function = function_of_frame(native, i, &is_shown, counts);
   Addr return_address = i + 1 < native->n ? native->ips[i + 1] + 1 : 0;
   Addr sp = entry_sp(native, i);
   counts->frames++;
   if (!is_shown) {
      seed_skipped(function, return_address, sp, return_address);
   } else {
      Context* context = seeded_context(function);
      Frame* frame =
         shadowstack_push(context, sp, return_address, FrameCounted | FrameRoot);
      if (i + 1 < native->n)
         shadowstack_find_node(frame, shadowstack_below(frame),
                               address_line_of(native->ips[i + 1]).inlined);
   }
   if (i + 1 == native->n && !native->is_whole)
      shadowstack_now.top->flags |= FrameOpenEnd;
   if (calls_on_other_stack(native, i))
      seed_stack_switch(native->sps[i]);
}

static void append(NativeStack* native, const NativeStack* more)
{
   SizeT size = (SizeT)(native->n + more->n) * sizeof(Addr);
   native->ips = VG_(realloc)("seed.ips", native->ips, size);
   native->sps = VG_(realloc)("seed.sps", native->sps, size);
   native->fps = VG_(realloc)("seed.fps", native->fps, size);
   VG_(memcpy)(native->ips + native->n, more->ips, more->n * sizeof(Addr));
   VG_(memcpy)(native->sps + native->n, more->sps, more->n * sizeof(Addr));
   VG_(memcpy)(native->fps + native->n, more->fps, more->n * sizeof(Addr));
   native->n += more->n;
   native->is_whole = more->is_whole;
}

/* The path has ended in code without frame information, a JIT's trampoline for
   example, which keeps a few words on the stack and no frame pointer.  Its return
   address is among the next words.  A word is taken for it only if it points behind a
   call instruction that may have led there, and if the stack unwinds from there, each
   step behind a call, to where the thread began: that does not happen by chance.

   Where there is frame information, the path has ended since nothing called that
   function, as on a coroutine's stack; or the information does not tell of a word or two
   that assembly has put on the stack.  What is further behind may be another stack.  */
static void look_behind(ThreadId thread, NativeStack* native)
{
   if (native->n == 0 || native->is_whole)
      return;
   UInt n_words = has_frame_information(native->ips[native->n - 1]) ? MAX_WORDS_UNTOLD
                                                                    : MAX_WORDS_BEHIND;
   Addr start = native->sps[native->n - 1];
   for (Addr slot = start; slot < start + n_words * sizeof(Addr); slot += sizeof(Addr)) {
      Bool is_new_page = slot == start || slot % GUEST_MEMORY_PAGE == 0;
      if (is_new_page && !guest_memory_can_read(slot))
         return;
      Addr candidate = *(const Addr*)slot;
      if (!VG_(am_is_valid_for_client)(candidate, 1, VKI_PROT_EXEC) ||
          !may_have_called(candidate, native->ips[native->n - 1]))
         continue;
      NativeStack more;
      unwind(thread, &more, (Word)(candidate - 1 - VG_(get_IP)(thread)),
             (Word)(slot + sizeof(Addr) - VG_(get_SP)(thread)));
      cut_off_guesses(&more);
      Bool found = more.is_whole && more.n > 1;
      if (found)
         append(native, &more);
      release(&more);
      if (found)
         return;
   }
}

/* Finds the caller of the outermost frame by its frame record, which the frame pointer
   tells: the caller's frame pointer, and the return address above it.  It is taken to lie
   on top of the frame, as in code that a JIT compiles: compilers' own code has frame
   information.  */
static Bool find_record(const NativeStack* native, Addr* frame_pointer,
                        Addr* return_address, Addr* sp)
{
   Addr record = native->fps[native->n - 1];
   if (record < native->sps[native->n - 1] || record % sizeof(Addr) != 0 ||
       !VG_(am_is_valid_for_client)(record, 2 * sizeof(Addr), VKI_PROT_READ))
      return False;
   *frame_pointer = ((const Addr*)record)[0];
   *return_address = ((const Addr*)record)[1];
   *sp = record + 2 * sizeof(Addr);
   return VG_(am_is_valid_for_client)(*return_address, 1, VKI_PROT_EXEC) &&
          arch_call_before(*return_address) != 0;
}

/* Unwinds as if the thread were at `ip` with these pointers.  The core takes the frame
   pointer from the thread's registers, and functions that leave it alone hand it on.  */
static void unwind_from(ThreadId thread, NativeStack* native, Addr ip, Addr sp,
                        Addr frame_pointer)
{
   Addr own;
   VG_(get_shadow_regs_area)(thread, (UChar*)&own, 0, ARCH_FP_OFFSET, sizeof(own));
   VG_(set_shadow_regs_area)(thread, 0, ARCH_FP_OFFSET, sizeof(frame_pointer),
                             (const UChar*)&frame_pointer);
   unwind(thread, native, (Word)(ip - VG_(get_IP)(thread)),
          (Word)(sp - VG_(get_SP)(thread)));
   VG_(set_shadow_regs_area)(thread, 0, ARCH_FP_OFFSET, sizeof(own), (const UChar*)&own);
}

/* The path has ended in code without frame information; the core does not follow frame
   pointers where a call leaves the return address in a register.  */
static void follow_frame_records(ThreadId thread, NativeStack* native)
{
   Addr frame_pointer, return_address, sp;
   while (native->n > 0 && !native->is_whole &&
          find_record(native, &frame_pointer, &return_address, &sp)) {
      NativeStack more;
      unwind_from(thread, &more, return_address - 1, sp, frame_pointer);
      cut_off_guesses(&more);
      Bool found = more.n > 0;
      if (found)
         append(native, &more);
      release(&more);
      if (!found)
         return;
   }
}

static Function* function_at(Addr ip)
{
   Place place = address_place_of(ip);
   return address_function_of(ip, &place);
}

/* The function that the call names which returns to `return_address`; NULL if it names
   none, or code that is no known function's.  */
static Function* called_function(Addr return_address)
{
   Addr call = arch_call_before(return_address);
   Addr target = call != 0 ? arch_call_target(call) : 0;
   return target != 0 ? function_at(target) : NULL;
}

/* Has one of these frames this place and stack pointer?  */
static Bool has_frame(const NativeStack* native, Addr ip, Addr sp)
{
   for (UInt i = 0; i < native->n; i++)
      if (native->ips[i] == ip && native->sps[i] == sp)
         return True;
   return False;
}

static void insert_word(Addr* array, UInt n, UInt at, Addr word)
{
   VG_(memmove)(array + at + 1, array + at, (n - at) * sizeof(Addr));
   array[at] = word;
}

/* Puts a frame with these registers behind frame `i`.  */
static void insert_caller(NativeStack* native, UInt i, Addr ip, Addr sp, Addr fp)
{
   const NativeStack more = {1, 1, &ip, &sp, &fp, native->is_whole};
   append(native, &more); /* makes room */
   insert_word(native->ips, native->n - 1, i + 1, ip);
   insert_word(native->sps, native->n - 1, i + 1, sp);
   insert_word(native->fps, native->n - 1, i + 1, fp);
}

/* The return address `candidate` lies right below `sp`, and follows a call of the
   function of frame `i`.  Was that made by a function that frame `i + 1` has called?
   If so, it has left the frame pointer by which frame `i + 1` was found, or unwinds to
   that.  */
static Bool try_caller(ThreadId thread, NativeStack* native, UInt i, Addr candidate,
                       Addr sp)
{
   if (function_at(candidate - 1) == called_function(native->ips[i + 1] + 1)) {
      insert_caller(native, i, candidate - 1, sp, native->fps[i]);
      return True;
   }
   NativeStack more;
   unwind(thread, &more, (Word)(candidate - 1 - VG_(get_IP)(thread)),
          (Word)(sp - VG_(get_SP)(thread)));
   cut_off_guesses(&more);
   Bool found = has_frame(&more, native->ips[i + 1], native->sps[i + 1]);
   if (found) {
      native->n = i + 1;
      append(native, &more);
   }
   release(&more);
   return found;
}

/* The frame pointer that led from frame `i` to frame `i + 1` was not its caller's, but
   one further out: the call there names another function.  The return address that it
   was called from lies below that frame.  */
static Bool find_passed_over(ThreadId thread, NativeStack* native, UInt i)
{
   Function* called = function_at(native->ips[i]);
   Addr slot = native->sps[i + 1] - sizeof(Addr);
   for (UInt n = 1; n <= MAX_WORDS_BEHIND && slot - n * sizeof(Addr) > native->sps[i];
        n++) {
      Addr at = slot - n * sizeof(Addr);
      Bool is_new_page =
         n == 1 || guest_memory_page_end(at) != guest_memory_page_end(at + sizeof(Addr));
      if (is_new_page && !guest_memory_can_read(at))
         return False;
      Addr candidate = *(const Addr*)at;
      if (VG_(am_is_valid_for_client)(candidate, 1, VKI_PROT_EXEC) &&
          called_function(candidate) == called &&
          try_caller(thread, native, i, candidate, at + sizeof(Addr)))
         return True;
   }
   return False;
}

/* Code without frame information may have called on another stack, or its caller on the
   same; the unwinder goes by the frame pointer, which may be that of a function further
   out.  Where it has called on another stack, and its caller is not found, the path ends
   there.  */
static void mend_passed_over(ThreadId thread, NativeStack* native)
{
   for (UInt i = 1; i + 1 < native->n; i++) {
      if (has_frame_information(native->ips[i]))
         continue;
      Function* called = called_function(native->ips[i + 1] + 1);
      Function* here = function_at(native->ips[i]);
      if (called == NULL || here == NULL || called == here)
         continue;
      if (!find_passed_over(thread, native, i) && calls_on_other_stack(native, i)) {
         native->n = i + 1;
         native->is_whole = False;
      }
   }
}

static void seed_thread(ThreadId thread, SeedCounts* counts)
{
   NativeStack native;
   unwind(thread, &native, 0, 0);
   cut_off_guesses(&native);
   if (ARCH_CALL_PUSHES) {
      look_behind(thread, &native);
      mend_passed_over(thread, &native);
   } else
      follow_frame_records(thread, &native);
   counts->threads++;
   if (native.n > 0)
      shadowstack_region(shadowstack_now.stack)->end =
         native.sps[native.n - 1] + MAX_WORDS_BEHIND * sizeof(Addr);
   for (UInt i = native.n; i > 0; i--) {
      shadowstack_run_top(); /* makes room for new functions */
      seed_frame(&native, i - 1, counts);
   }
   shadowstack_run_top();
   release(&native);
}

void seed_running_thread(void)
{
   SeedCounts counts = {0, 0, 0, 0};
   seed_thread(VG_(get_running_tid)(), &counts);
}

Bool seed_caller(Addr* slot, Addr* return_address)
{
   Addr ips[2], sps[2], fps[2];
   if (VG_(get_StackTrace)(VG_(get_running_tid)(), ips, 2, sps, fps, 0) < 2)
      return False;
   *slot = sps[1] - sizeof(Addr);
   *return_address = ips[1] + 1;
   return True;
}

SeedCounts seed_all_threads(void)
{
   SeedCounts counts = {0, 0, 0, 0};
   ThreadId running = thread_running(), thread;
   Addr start, end;
   VG_(thread_stack_reset_iter)(&thread);
   while (VG_(thread_stack_next)(&thread, &start, &end)) {
      thread_switch_to(thread);
      seed_thread(thread, &counts);
   }
   thread_switch_to(running);
   return counts;
}

/*--------------------------------------------------------------------*/
/* Functions that become skipped                                       */

/* Makes a skipped frame of one whose function is skipped now.  */
static void make_skipped(Frame* frame, const Frame* below, CallSite* site)
{
   Function* function = frame->context->function;
   Addr return_address = shadowstack_return_address(frame);
   if (frame->flags & FrameCounted)
      (*shadowstack_activations(function))--;
   frame->flags &= ~(UInt)(FrameCounted | FrameRoot | FrameInPlace);
   frame->flags |= FrameSkipped;
   frame->return_address = return_address;
   frame->skipped_function = function;
   shadowstack_book_on(frame, below->context, site);
}

/* Does one frame; those below it have been done.  */
static void reapply_skip_to_frame(Frame* frame)
{
   const Frame* below = shadowstack_below(frame);
   CallSite* site = frame->arc != NULL ? frame->arc->site : NULL;
   if (below->flags & FrameSkipped)
      site = below->skipped_site;
   else if (site == NULL && below->context != NULL)
      site = callsite_unknown(below->context->function);
   if (frame->flags & FrameSkipped)
      shadowstack_book_on(frame, below->context, site);
   else if (symbols_runs_as(frame->context->function) != frame->context->function)
      make_skipped(frame, below, site);
   else if (frame->arc != NULL &&
            (frame->arc->caller != below->context || below->flags & FrameSkipped)) {
      Addr return_address = shadowstack_return_address(frame);
      frame->arc = arc_get(below->context, site, frame->context, &frame->arc->target);
      frame->return_address = return_address;
   }
   if (below->flags & FrameSkipped)
      frame->flags |= FrameOverSkipped;
   shadowstack_find_node(frame, below, site != NULL ? callsite_line(site).inlined : NULL);
}

void seed_reapply_skips(ShadowStack* stack)
{
   ShadowStack* running = shadowstack_now.stack;
   shadowstack_flush_inclusive(stack);
   shadowstack_switch_to(stack);
   UInt depth = shadowstack_depth(stack);
   Frame* frame = shadowstack_bottom(stack);
   for (UInt i = 0; i < depth; i++) {
      frame = shadowstack_above(frame);
      if (!(frame->flags & FrameBarrier))
         reapply_skip_to_frame(frame);
   }
   /* Between superblocks of a function.  A call under way finds its callee itself.  */
   if (shadowstack_pending_call() == NULL)
      shadowstack_run_top();
   else
      shadowstack_counters_moved();
   shadowstack_switch_to(running);
}
