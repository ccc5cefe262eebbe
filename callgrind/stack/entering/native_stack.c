/* SPDX-License-Identifier: GPL-2.0-or-later

   Unwinding a thread's stack; see native_stack.h.

   Nothing is guessed: an address that is not behind a call instruction ends the path.
   What lies beyond stays unknown, unless look_behind() or follow_frame_records() finds
   it.  */

#include "stack/entering/native_stack.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/memory.h"
#include "guest/unwind.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

#define INITIAL_DEPTH 512
#define MAX_DEPTH (4 * 1024 * 1024)
#define MAX_WORDS_BEHIND 64
#define MAX_WORDS_UNTOLD 2

/* That of the stack pointer where a function calls.  */
#define STACK_ALIGNMENT 16

/* No function without frame information has a larger frame: it has called on another
   stack.  */
#define LARGEST_UNKNOWN_FRAME 8192

void native_stack_release(NativeStack* native)
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
      native->ips = VG_(malloc)("native_stack.ips", size);
      native->sps = VG_(malloc)("native_stack.sps", size);
      native->fps = VG_(malloc)("native_stack.fps", size);
      native->n = unwind_stack(thread, native->ips, native->sps, native->fps,
                               native->capacity, ip_delta, sp_delta);
      if (native->n < native->capacity || native->capacity >= MAX_DEPTH)
         return;
      native_stack_release(native);
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

Bool native_stack_is_switched(const NativeStack* native, UInt i)
{
   if (i == 0 || i + 1 >= native->n)
      return False;
   Addr apart = native->sps[i + 1] - native->sps[i];
   Bool may_be_large = native->sps[i + 1] == native->fps[i] + 2 * sizeof(Addr) ||
                       arch_is_sigreturn(native->ips[i] + 1);
   return apart >
             (may_be_large ? LARGEST_UNKNOWN_FRAME : MAX_WORDS_BEHIND * sizeof(Addr)) &&
          !has_frame_information(native->ips[i]);
}

static void append(NativeStack* native, const NativeStack* more)
{
   SizeT size = (SizeT)(native->n + more->n) * sizeof(Addr);
   native->ips = VG_(realloc)("native_stack.ips", native->ips, size);
   native->sps = VG_(realloc)("native_stack.sps", native->sps, size);
   native->fps = VG_(realloc)("native_stack.fps", native->fps, size);
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
      Addr candidate;
      if (!guest_memory_word(slot, &candidate))
         return;
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
      native_stack_release(&more);
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
   Addr record = native->fps[native->n - 1], words[2];
   if (record < native->sps[native->n - 1] || record % sizeof(Addr) != 0 ||
       !guest_memory_copy(words, record, sizeof words))
      return False;
   *frame_pointer = words[0];
   *return_address = words[1];
   *sp = record + sizeof words;
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

/* The lowest word that is looked at from below `start` on; none is below `end`.  */
static Addr lowest_looked_at(Addr start, Addr end)
{
   Addr lowest = start - MAX_WORDS_BEHIND * sizeof(Addr);
   return lowest > end ? lowest : end;
}

/* The highest word below `at`, and not below `lowest`, that points behind a call of
   `called`, which it sets *word to; 0 if there is none, or the memory cannot be read.  */
static Addr call_below(Addr at, Addr lowest, const Function* called, Addr* word)
{
   while (at > lowest) {
      at -= sizeof(Addr);
      if (!guest_memory_word(at, word))
         return 0;
      if (VG_(am_is_valid_for_client)(*word, 1, VKI_PROT_EXEC) &&
          called_function(*word) == called)
         return at;
   }
   return 0;
}

/* Does this frame record belong to the outermost frame?  Not if the call that it leads
   to names another function: that one has called the outermost frame's.  */
static Bool is_own_record(const NativeStack* native, Addr return_address)
{
   const Function* called = called_function(return_address);
   const Function* here = function_at(native->ips[native->n - 1]);
   return called == NULL || here == NULL || called == here || called->kind == FunctionPlt;
}

/* Unwinds from the call that returns to `candidate`, in the function whose frame record
   is given.  Where its stack pointer was at the call is not known, only that it was
   between `from` and its record: the one is believed that leads to `caller`.  */
static Bool unwind_from_record(ThreadId thread, NativeStack* more, Addr candidate,
                               Addr from, Addr record, Addr caller)
{
   for (Addr sp = (from + STACK_ALIGNMENT - 1) & ~(Addr)(STACK_ALIGNMENT - 1);
        sp <= record; sp += STACK_ALIGNMENT) {
      unwind_from(thread, more, candidate - 1, sp, record);
      cut_off_guesses(more);
      if (more->n > 1 && more->ips[1] + 1 == caller)
         return True;
      native_stack_release(more);
   }
   return False;
}

/* The outermost frame's function has left the frame pointer to its caller's record,
   which leads to `caller`.  What it returns to lies where it has saved its registers,
   right below its caller's frame: there it follows a call of that function.  */
static Bool append_passed_over(ThreadId thread, NativeStack* native, Addr caller)
{
   UInt last = native->n - 1;
   const Function* called = function_at(native->ips[last]);
   Addr record = native->fps[last];
   Addr lowest = lowest_looked_at(record, native->sps[last]);
   Addr candidate;
   for (Addr at = record; (at = call_below(at, lowest, called, &candidate)) != 0;) {
      NativeStack more;
      if (!unwind_from_record(thread, &more, candidate, at + sizeof(Addr), record,
                              caller))
         continue;
      append(native, &more);
      native_stack_release(&more);
      return True;
   }
   return False;
}

/* The path has ended in code without frame information; the core does not follow frame
   pointers where a call leaves the return address in a register.  */
static void follow_frame_records(ThreadId thread, NativeStack* native)
{
   Addr frame_pointer, return_address, sp;
   while (native->n > 0 && !native->is_whole &&
          find_record(native, &frame_pointer, &return_address, &sp)) {
      if (!is_own_record(native, return_address)) {
         if (append_passed_over(thread, native, return_address))
            continue;
         if (sp - native->sps[native->n - 1] > LARGEST_UNKNOWN_FRAME)
            return; /* it has called on another stack, and who called it is not known */
      }
      NativeStack more;
      unwind_from(thread, &more, return_address - 1, sp, frame_pointer);
      cut_off_guesses(&more);
      Bool found = more.n > 0;
      if (found)
         append(native, &more);
      native_stack_release(&more);
      if (!found)
         return;
   }
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
   native_stack_release(&more);
   return found;
}

/* The frame pointer that led from frame `i` to frame `i + 1` was not its caller's, but
   one further out: the call there names another function.  The return address that it
   was called from lies below that frame.  */
static Bool find_passed_over(ThreadId thread, NativeStack* native, UInt i)
{
   const Function* called = function_at(native->ips[i]);
   Addr start = native->sps[i + 1] - sizeof(Addr); /* where it returns to itself */
   Addr lowest = lowest_looked_at(start, native->sps[i] + sizeof(Addr));
   Addr candidate;
   for (Addr at = start; (at = call_below(at, lowest, called, &candidate)) != 0;)
      if (try_caller(thread, native, i, candidate, at + sizeof(Addr)))
         return True;
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
      if (!find_passed_over(thread, native, i) && native_stack_is_switched(native, i)) {
         native->n = i + 1;
         native->is_whole = False;
      }
   }
}

void native_stack_unwind(ThreadId thread, NativeStack* native)
{
   unwind(thread, native, 0, 0);
   cut_off_guesses(native);
   if (ARCH_CALL_PUSHES) {
      look_behind(thread, native);
      mend_passed_over(thread, native);
   } else
      follow_frame_records(thread, native);
}
