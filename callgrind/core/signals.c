/* SPDX-License-Identifier: GPL-2.0-or-later

   See signals.h.

   The core compares what was set before with what it remembers, so it is told what it has
   asked for.  Owns that.  */

#include "core/signals.h"

#include "pub_tool_libcbase.h"

#ifdef CORE_SIGNALS_CAN_BE_WRAPPED

Int __real_vgPlain_sigaction(Int signal, const vki_sigaction_toK_t* action,
                             vki_sigaction_fromK_t* old);
Int __wrap_vgPlain_sigaction(Int signal, const vki_sigaction_toK_t* action,
                             vki_sigaction_fromK_t* old);
Int __real_vgPlain_sigprocmask(Int how, const vki_sigset_t* set, vki_sigset_t* old);
Int __wrap_vgPlain_sigprocmask(Int how, const vki_sigset_t* set, vki_sigset_t* old);
Int __real_vgPlain_sigtimedwait_zero(const vki_sigset_t* set, vki_siginfo_t* info);
Int __wrap_vgPlain_sigtimedwait_zero(const vki_sigset_t* set, vki_siginfo_t* info);
Int __real_vgModuleLocal_do_syscall_for_client_WRK(Word number, void* state,
                                                   const vki_sigset_t* mask,
                                                   const vki_sigset_t* mask_after,
                                                   Word mask_size);
Int __wrap_vgModuleLocal_do_syscall_for_client_WRK(Word number, void* state,
                                                   const vki_sigset_t* mask,
                                                   const vki_sigset_t* mask_after,
                                                   Word mask_size);

typedef struct {
   Bool is_asked;
   vki_sigaction_toK_t action;
} Asked;

static const CoreSignalHooks* hooks;
static Asked asked[_VKI_NSIG + 1];

_Static_assert(sizeof(vki_sigaction_toK_t) == sizeof(vki_sigaction_fromK_t),
               "an action is told as it was asked for");

/* Tells the system, and notes what the core wants.  */
static Int ask(Int signal, const vki_sigaction_toK_t* action, vki_sigaction_fromK_t* old)
{
   const vki_sigaction_toK_t wanted = *action;
   vki_sigaction_toK_t given = wanted;
   if (hooks != NULL)
      hooks->action(signal, &given);
   const Int result = __real_vgPlain_sigaction(signal, &given, old);
   if (result == 0) {
      asked[signal].action = wanted;
      asked[signal].is_asked = True;
   }
   return result;
}

Int __wrap_vgPlain_sigaction(Int signal, const vki_sigaction_toK_t* action,
                             vki_sigaction_fromK_t* old)
{
   if (signal < 1 || signal > _VKI_NSIG)
      return __real_vgPlain_sigaction(signal, action, old);
   const Asked before = asked[signal];
   const Int result = action == NULL ? __real_vgPlain_sigaction(signal, NULL, old)
                                     : ask(signal, action, old);
   if (result == 0 && old != NULL && before.is_asked)
      VG_(memcpy)(old, &before.action, sizeof *old);
   return result;
}

Int __wrap_vgPlain_sigprocmask(Int how, const vki_sigset_t* set, vki_sigset_t* old)
{
   vki_sigset_t given;
   if (hooks == NULL || set == NULL || how == VKI_SIG_UNBLOCK)
      return __real_vgPlain_sigprocmask(how, set, old);
   given = *set;
   hooks->blocks(&given);
   return __real_vgPlain_sigprocmask(how, &given, old);
}

Int __wrap_vgPlain_sigtimedwait_zero(const vki_sigset_t* set, vki_siginfo_t* info)
{
   Int signal = __real_vgPlain_sigtimedwait_zero(set, info);
   while (signal > 0 && hooks != NULL && hooks->takes(info))
      signal = __real_vgPlain_sigtimedwait_zero(set, info);
   return signal;
}

/* A signal may take the core out of the call, past this function.  */
Int __wrap_vgModuleLocal_do_syscall_for_client_WRK(Word number, void* state,
                                                   const vki_sigset_t* mask,
                                                   const vki_sigset_t* mask_after,
                                                   Word mask_size)
{
   vki_sigset_t given = *mask;
   if (hooks != NULL)
      hooks->call_blocks(&given);
   return __real_vgModuleLocal_do_syscall_for_client_WRK(number, state, &given,
                                                         mask_after, mask_size);
}

void core_signals_lead(const CoreSignalHooks* by)
{
   hooks = by;
   for (Int signal = 1; by != NULL && signal <= _VKI_NSIG; signal++)
      if (asked[signal].is_asked)
         ask(signal, &asked[signal].action, NULL);
}

CoreHandler* core_handler_of(Int signal)
{
   void* handler = asked[signal].is_asked ? asked[signal].action.ksa_handler : NULL;
   return handler == (void*)VKI_SIG_IGN ? NULL : (CoreHandler*)handler;
}

Bool core_ignores_signal(Int signal)
{
   return asked[signal].is_asked &&
          asked[signal].action.ksa_handler == (void*)VKI_SIG_IGN;
}

#endif
