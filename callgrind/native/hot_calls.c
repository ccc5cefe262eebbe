/* SPDX-License-Identifier: GPL-2.0-or-later

   See hot_calls.h.  Owns the stubs: they lie in the tool's own code, which is never more
   than 2 GB from the program's libraries, as the core maps them.  A stub is never given
   back.  */

#include "native/hot_calls.h"

#include "core/system_call.h"
#include "guest/memory.h"
#include "native/boundaries.h"
#include "native/call_exit.h"
#include "native/code_memory.h"
#include "native/sites.h"

#include "pub_tool_libcbase.h"

#ifdef CORE_CAN_RUN_NATIVELY

#define OFTEN 100 /* that takes some tenths of a millisecond */

/* mov $N, %eax; syscall */
#define SET_NUMBER 0xb8
#define JUMP 0xe9
enum { AtNumber = 1, SizeOfSet = SITE_JUMP, SizeOfBoth = SizeOfSet + 2 };
enum { Return = 15, FirstStrange = 1024 }; /* numbers of calls */

enum { StubSize = 32, Stubs = 1024 };
__asm__("   .text\n"
        "   .balign 4096\n"
        "   .globl native_stubs\n"
        "native_stubs:\n"
        "   .fill 32768, 1, 0xcc\n"
        "   .balign 4096\n");
extern UChar native_stubs[Stubs * StubSize];

/* Where threads came last, by a few bits of the address.  */
enum { Places = 256 };
static struct {
   Addr at;
   UInt n;
} places[Places];

static Addr hot; /* 0: none */
static Bool clock_is_fixed;
static UInt n_stubs;

void native_hot_calls_init(Bool fixes_clock) { clock_is_fixed = fixes_clock; }

UInt native_hot_calls_count(void) { return n_stubs; }

void native_hot_call_came(Addr at)
{
   const UInt i = (UInt)(at ^ at >> 8) % Places;
   if (places[i].at != at) {
      places[i].at = at;
      places[i].n = 0;
   }
   if (++places[i].n == OFTEN)
      hot = at;
}

/*--------------------------------------------------------------------*/

static Bool make_writable(UChar* stub, Bool writable)
{
   const UInt protection =
      VKI_PROT_READ | VKI_PROT_EXEC | (writable ? (UInt)VKI_PROT_WRITE : 0);
   SysRes done = VG_(do_syscall)(__NR_mprotect, VG_PGROUNDDN((Addr)stub), VKI_PAGE_SIZE,
                                 protection, 0, 0, 0, 0, 0);
   return !sr_isError(done);
}

/* Calls that tell what the system knows, wait for nothing, and change nothing but the
   memory that they are given.  */
static Bool is_question(UInt number)
{
   switch (number) {
   case __NR_getpid:
   case __NR_getppid:
   case __NR_gettid:
   case __NR_getuid:
   case __NR_geteuid:
   case __NR_getgid:
   case __NR_getegid: return True;
   case __NR_time:
   case __NR_gettimeofday:
   case __NR_clock_gettime:
   case __NR_clock_getres: return !clock_is_fixed;
   default: return False;
   }
}

typedef struct {
   UChar* stub;
   UInt n;
} Stub;

static void put(Stub* stub, const void* bytes, UInt n)
{
   VG_(memcpy)(stub->stub + stub->n, bytes, n);
   stub->n += n;
}

static void put_jump(Stub* stub, Addr target)
{
   static const UChar jump = JUMP;
   const Int distance = (Int)(target - (Addr)(stub->stub + stub->n + SITE_JUMP));
   put(stub, &jump, sizeof jump);
   put(stub, &distance, sizeof distance);
}

/* The kernel leaves in %rcx where it returns to, so that is set, too.  */
static Bool write_stub(UChar* at, UInt number, Addr behind)
{
   static const UChar set = SET_NUMBER, call[] = {0x0f, 0x05}, set_rcx[] = {0x48, 0xb9};
   Stub stub = {at, 0};
   if (!make_writable(at, True))
      return False;
   put(&stub, &set, sizeof set);
   put(&stub, &number, sizeof number);
   if (is_question(number))
      put(&stub, call, sizeof call);
   put(&stub, set_rcx, sizeof set_rcx);
   put(&stub, &behind, sizeof behind);
   put_jump(&stub, is_question(number) ? behind : (Addr)native_call_exit);
   (void)make_writable(at, False);
   return True;
}

void native_hot_calls_leave(struct vki_sigcontext* registers)
{
   enum { AtCall = SITE_JUMP, BehindCall = AtCall + 2 };
   const Addr offset = registers->rip - (Addr)native_stubs;
   if (LIKELY(offset >= sizeof native_stubs))
      return;
   const UChar* stub = native_stubs + offset / StubSize * StubSize;
   const Bool calls = stub[AtCall] == 0x0f;
   UInt number;
   Addr behind;
   VG_(memcpy)(&number, stub + AtNumber, sizeof number);
   VG_(memcpy)(&behind, stub + (calls ? BehindCall : AtCall) + 2, sizeof behind);
   if (calls && offset % StubSize >= BehindCall) {
      registers->rcx = registers->rip = behind;
      return;
   }
   registers->rax = number;
   registers->rip = behind - (SizeOfBoth - SizeOfSet);
}

static Bool is_near(Addr at, const UChar* stub)
{
   const Long distance = (Long)((Addr)stub - (at + SITE_JUMP));
   return distance == (Int)distance;
}

/* The bytes of both instructions, as the program has them.  */
static Bool read_both(Addr at, UChar code[SizeOfBoth])
{
   native_sites_put_back();
   return guest_memory_copy(code, at, SizeOfBoth) && code[0] == SET_NUMBER &&
          code[SizeOfSet] == 0x0f && code[SizeOfSet + 1] == 0x05 &&
          native_boundary_at(at) == BoundaryHere;
}

static void make_jump(Addr at)
{
   UChar code[SizeOfBoth], *stub = native_stubs + n_stubs * StubSize;
   UInt number, protection;
   if (n_stubs == Stubs || !is_near(at, stub) ||
       VG_PGROUNDDN(at) != VG_PGROUNDDN(at + SizeOfBoth - 1) ||
       !native_code_is_private_file(at, &protection) || !read_both(at, code))
      return;
   VG_(memcpy)(&number, &code[AtNumber], sizeof number);
   /* Unwinders know the code behind handlers by its bytes.  */
   if (number == Return || number >= FirstStrange ||
       !write_stub(stub, number, at + SizeOfBoth))
      return;
   n_stubs++;
   native_sites_add_jump(at, protection, (Addr)stub);
}

void native_hot_calls_settle(void)
{
   if (LIKELY(hot == 0))
      return;
   make_jump(hot - SizeOfSet);
   hot = 0;
}

#endif
