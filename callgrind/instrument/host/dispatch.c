/* SPDX-License-Identifier: GPL-2.0-or-later

   See dispatch.h.

   Owns which sites have a host target, by the address that they return to; arcs are found
   by arc_targets.h.  A host target is forgotten when the core discards the translation:
   it says so of each (translations/superblocks.h).  Translations in the table that is not
   in use stay where they are, or are discarded before that table is taken.

   Generated code gets here as it gets to the core's dispatcher: by a jump, with the
   guest's registers in its state, %rbp pointing there, and the stack aligned for a
   call.  */

#include "instrument/host/dispatch.h"

#include "core/chaining.h"
#include "instrument/host/chains.h"
#include "instrument/host/host_chains.h"
#include "instrument/host/host_reserved.h"
#include "model/arc_targets.h"
#include "model/callsite.h"
#include "stack/following/callstack.h"

CallSite* dispatch_return_site;

#if defined(CORE_CAN_KEEP_TRANSLATIONS) && HOST_HAS_CHAINS

#define STATE_FAILED "0"
#define STATE_COUNTER "8"
#define STATE_RIP "184"
_Static_assert(offsetof(VexGuestAMD64State, host_EvC_FAILADDR) == 0 &&
                  offsetof(VexGuestAMD64State, host_EvC_COUNTER) == 8 &&
                  offsetof(VexGuestAMD64State, guest_RIP) == 184,
               "the dispatchers have these offsets");

/* The dispatchers, and what they call where there is no host target.  */
void dispatch_return(void);
void dispatch_call(void);
void dispatch_return_unlanded(void);
void dispatch_find_site_host_target(void);
void dispatch_find_arc_host_target(Addr ip);

/* The helpers that generated code would call.  */
extern CallstackReturn* dispatch_return_helper;
extern CallstackCallOn* dispatch_call_helper;
CallstackReturn* dispatch_return_helper;
CallstackCallOn* dispatch_call_helper;

/* The event check is that of the superblock which control goes on to.  Where the core's
   dispatcher leads there, that superblock makes it, so it is taken back.  */
#define LAND_OR_2                                                                        \
   "   testq %rax, %rax\n"                                                               \
   "   je 2f\n"                                                                          \
   "   decl " STATE_COUNTER "(%rbp)\n"                                                   \
   "   js 1f\n"                                                                          \
   "   jmp *%rax\n"                                                                      \
   "1: jmp *" STATE_FAILED "(%rbp)\n"
/* Where no registers are reserved, nobody needs this one between two superblocks.  */
#define FETCH HOST_FETCH_COUNTERS
#define DISPATCHER(NAME, CODE)                                                           \
   __asm__("   .text\n"                                                                  \
           "   .type " #NAME ", @function\n" #NAME ":\n" CODE "   .size " #NAME          \
           ", . - " #NAME "\n")

DISPATCHER(dispatch_return, "   movq " STATE_RIP "(%rbp), %rdi\n"
                            "   movq %rbp, %rsi\n"
                            "   movq dispatch_return_site(%rip), %rdx\n"
                            "   call *dispatch_return_helper(%rip)\n" FETCH LAND_OR_2
                            "2: jmp " CORE_JUMP_BY_ADDRESS "\n");
DISPATCHER(dispatch_return_unlanded, "   incl " STATE_COUNTER "(%rbp)\n"
                                     "   call dispatch_find_site_host_target\n"
                                     "   jmp " CORE_JUMP_BY_ADDRESS "\n");
DISPATCHER(dispatch_call, "   call *dispatch_call_helper(%rip)\n" FETCH LAND_OR_2
                          "2: movq " STATE_RIP "(%rbp), %rdi\n"
                          "   call dispatch_find_arc_host_target\n"
                          "   jmp " CORE_JUMP_BY_ADDRESS "\n");

void dispatch_init(void)
{
   callsite_no_host_target = (const void*)dispatch_return_unlanded;
   dispatch_return_helper = callstack_helpers().leave;
   dispatch_call_helper = callstack_helpers().call_on;
}

/*--------------------------------------------------------------------*/
/* Landings                                                            */

/* The host's code for `address`, behind the event check; NULL if there is none.  */
static const UChar* code_at(Addr address)
{
   const UChar* code = core_code_at(address);
   return code != NULL && host_event_check_is_at(code) ? code + HOST_EVENT_CHECK_SIZE
                                                       : NULL;
}

/* Sites with a host target, by the address that they return to.  */
#define BUCKETS 0x4000
static CallSite* landed[BUCKETS];

static CallSite** bucket_of(Addr address)
{
   return &landed[(address ^ address >> 14) % BUCKETS];
}

/* A plain return to a site without a host target.  */
void dispatch_find_site_host_target(void)
{
   CallSite* site = callstack_site_returned_to();
   if (shadowstack_now.at.current != site->function->id)
      return;
   const UChar* code = code_at(site->return_address);
   if (code == NULL)
      return;
   const void* further = chains_behind_guard(code, site->function->id);
   CallSite** bucket = bucket_of(site->return_address);
   site->host_target = further != NULL ? further : code;
   site->next_host_target = *bucket;
   *bucket = site;
}

static void forget_site_host_targets(Addr address)
{
   CallSite** link = bucket_of(address);
   while (*link != NULL) {
      CallSite* site = *link;
      if (site->return_address == address) {
         site->host_target = callsite_no_host_target;
         *link = site->next_host_target;
      } else
         link = &site->next_host_target;
   }
}

/* A call goes on to `ip` without a host target.  If the arc that it is about to take is
   known, it has one the next time, unless the code there has to be checked before its
   function is entered.  */
void dispatch_find_arc_host_target(Addr ip)
{
   Arc* arc = callstack_arc_known(ip);
   if (arc == NULL || arc->host_target != NULL)
      return;
   const UChar* code = code_at(ip);
   if (code == NULL)
      return;
   const void* host_target = chains_behind_guard(code, arc->callee->function_id);
   arc->host_target = host_target != NULL ? host_target : ARC_NO_HOST_TARGET;
}

void dispatch_discarded(Addr start)
{
   forget_site_host_targets(start);
   arc_forget_host_targets(start);
}

/*--------------------------------------------------------------------*/
/* Which dispatcher a superblock goes on by                            */

void dispatch_begin(DispatcherChoice* choice, VexTranslateArgs* arguments)
{
   choice->arguments = arguments;
   choice->of_core = arguments->disp_cp_xindir;
}

void dispatch_end(DispatcherChoice* choice)
{
   choice->arguments->disp_cp_xindir = choice->of_core;
   choice->arguments = NULL;
}

/* Code that may not be chained has no dispatcher: it goes back to the scheduler.  */
static Bool set_dispatcher(const DispatcherChoice* choice, const IRSB* superblock,
                           const void* dispatcher)
{
   if (choice->arguments == NULL || choice->of_core == NULL ||
       superblock->next->tag == Iex_Const || !core_jumps_by_address(choice->of_core))
      return False;
   choice->arguments->disp_cp_xindir = dispatcher;
   return True;
}

Bool dispatch_return_of(const DispatcherChoice* choice, const IRSB* superblock)
{
   return set_dispatcher(choice, superblock, (const void*)dispatch_return);
}

void dispatch_call_of(const DispatcherChoice* choice, const IRSB* superblock)
{
   (void)set_dispatcher(choice, superblock, (const void*)dispatch_call);
}

#else

void dispatch_init(void) {}

void dispatch_discarded(Addr start) { (void)start; }

void dispatch_begin(DispatcherChoice* choice, VexTranslateArgs* arguments)
{
   (void)choice, (void)arguments;
}

void dispatch_end(DispatcherChoice* choice) { (void)choice; }

Bool dispatch_return_of(const DispatcherChoice* choice, const IRSB* superblock)
{
   (void)choice, (void)superblock;
   return False;
}

void dispatch_call_of(const DispatcherChoice* choice, const IRSB* superblock)
{
   (void)choice, (void)superblock;
}

#endif
