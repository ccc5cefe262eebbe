/* SPDX-License-Identifier: GPL-2.0-or-later

   See chains.h.

   Which function runs at an exit is what it is when the exit is taken for the first time,
   and that is when the core makes the jump.  If the core stops the thread between the
   exit and the next superblock, nothing is lost: the thread goes on at that superblock's
   beginning, where the guard is.

   Keeps nothing.  */

#include "instrument/host/chains.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

#include "core/chaining.h"
#include "instrument/host/host_chains.h"
#include "instrument/host/host_guards.h"
#include "options/options.h"
#include "stack/frames/shadowstack_running.h"

#endif

void chains_note_exits_known(ExitKnowledge* exits)
{
   if (*exits == ExitsUntold)
      *exits = ExitsKnown;
}

void chains_note_exits_unknown(ExitKnowledge* exits) { *exits = ExitsUnknown; }

#if defined(CORE_CAN_KEEP_TRANSLATIONS) && HOST_HAS_CHAINS

static void sign_exits_to(const VexTranslateArgs* arguments, const void* function)
{
   UChar* code = arguments->host_bytes;
   const UInt size = (UInt)*arguments->host_bytes_used;
   for (UInt at = host_exit_next(code, size, 0, function); at < size;
        at = host_exit_next(code, size, at + HOST_EXIT_SIZE, function))
      host_exit_sign(code + at);
}

void chains_sign_exits(ExitKnowledge exits, const VexTranslateArgs* arguments)
{
   if (exits != ExitsKnown)
      return;
   sign_exits_to(arguments, arguments->disp_cp_chain_me_to_slowEP);
   sign_exits_to(arguments, arguments->disp_cp_chain_me_to_fastEP);
}

/* Reads the function guard; False if there is another guard at `code`, or
   none.  */
static Bool read_guard(const UChar* code, HostGuard* guard)
{
   return host_guard_read(code, guard) &&
          (Addr)guard->object == (Addr)&shadowstack_now.at.current;
}

static Bool is_answered(const HostGuard* guard, UWord current)
{
   return current == (UWord)(Word)guard->value;
}

/* Where a signed exit to the code at `target` may be led now, if not there.  */
static const UChar* answered(const UChar* target)
{
   HostGuard guard;
   if (!read_guard(target, &guard))
      return NULL;
   return is_answered(&guard, shadowstack_now.at.current)
             ? target + HOST_FUNCTION_GUARD_SIZE
             : guard.differs;
}

const void* chains_behind_guard(const UChar* code, UInt function_id)
{
   HostGuard guard;
   return options.check != CheckAll && read_guard(code, &guard) &&
                is_answered(&guard, function_id)
             ? code + HOST_FUNCTION_GUARD_SIZE
             : NULL;
}

static UInt make_jump(void* exit, const void* target)
{
   if (!host_exit_is_signed(exit) || options.check == CheckAll)
      return 0;
   Bool with_check = host_event_check_is_at(target);
   const UChar* further =
      answered((const UChar*)target + (with_check ? HOST_EVENT_CHECK_SIZE : 0));
   return further != NULL && host_exit_jump(exit, further, with_check) ? HOST_EXIT_SIZE
                                                                       : 0;
}

/* A jump that make_jump() has made is not the one that VEX expects.  */
static UInt take_back(void* exit, const void* function)
{
   if (!host_exit_is_signed(exit))
      return 0;
   host_exit_call(exit, function);
   return HOST_EXIT_SIZE;
}

void chains_init(void)
{
   static const CoreChainHooks hooks = {make_jump, take_back};
   core_chaining_lead(&hooks);
}

#else

void chains_sign_exits(ExitKnowledge exits, const VexTranslateArgs* arguments)
{
   (void)exits, (void)arguments;
}

void chains_init(void) {}

#endif
