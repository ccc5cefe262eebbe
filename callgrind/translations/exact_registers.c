/* SPDX-License-Identifier: GPL-2.0-or-later

   Which guest registers VEX keeps exact where an instruction may fault; see
   exact_registers.h.

   Owns VEX's setting for that, and whether the program handles faults.  */

#include "translations/exact_registers.h"

#include "core/two_tables.h"
#include "core/vex_settings.h"

#include "pub_tool_options.h"

/* Stays if the command line says nothing: then the choice is ours.  */
#define UNLESS_CHOSEN VexRegUpdSpAtMemAccess
static Bool is_ours;

/* A program that is executed inherits no handlers, a forked child does.  */
static Bool faults_are_handled;

/* Superblocks that were translated without exact registers.  Over this limit they are
   kept: node has 24,000 when it gets its handler, and would take 5 % longer to start.  */
#define MOST_TO_DISCARD 10000
static UInt n_translated;

void exact_registers_before_options(void)
{
#ifdef CORE_CAN_CHANGE_REGISTER_UPDATES
   VG_(clo_vex_control).iropt_register_updates_default = UNLESS_CHOSEN;
#endif
}

void exact_registers_after_options(void)
{
#ifdef CORE_CAN_CHANGE_REGISTER_UPDATES
   is_ours = VG_(clo_vex_control).iropt_register_updates_default == UNLESS_CHOSEN &&
             (VG_(clo_px_file_backed) == UNLESS_CHOSEN ||
              VG_(clo_px_file_backed) == VexRegUpd_INVALID);
#endif
}

void exact_registers_choose(Bool instrumentation_on)
{
   if (!is_ours)
      return;
   n_translated = 0;
   VexRegisterUpdates exact = instrumentation_on || faults_are_handled
                                 ? VexRegUpdUnwindregsAtMemAccess
                                 : VexRegUpdSpAtMemAccess;
   VG_(clo_vex_control).iropt_register_updates_default = exact;
   VG_(clo_px_file_backed) = exact;
   core_vex_settings()->iropt_register_updates_default = exact;
}

/* Does `call` give one of the signals that code raises itself a handler that is told the
   registers?  */
static Bool handles_fault(UInt call, const UWord* arguments)
{
   if (call != __NR_rt_sigaction || arguments[1] == 0)
      return False;
   if (arguments[0] != VKI_SIGSEGV && arguments[0] != VKI_SIGBUS &&
       arguments[0] != VKI_SIGFPE && arguments[0] != VKI_SIGILL &&
       arguments[0] != VKI_SIGTRAP)
      return False;
   const vki_sigaction_toK_t* action = (const vki_sigaction_toK_t*)arguments[1];
   return action->ksa_handler != VKI_SIG_DFL && action->ksa_handler != VKI_SIG_IGN &&
          (action->sa_flags & VKI_SA_SIGINFO) != 0;
}

void exact_registers_translated(void) { n_translated++; }

static void discard(void)
{
#ifdef CORE_CAN_CHANGE_REGISTER_UPDATES
   if (n_translated > 0 && n_translated <= MOST_TO_DISCARD)
      core_discard_at_once((Addr)0x1000, ~(SizeT)0xfff);
#endif
}

Bool exact_registers_after_call(UInt call, const UWord* arguments)
{
   if (!is_ours || faults_are_handled || !handles_fault(call, arguments))
      return False;
   faults_are_handled = True;
   discard();
   return True;
}
