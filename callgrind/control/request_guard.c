/* SPDX-License-Identifier: GPL-2.0-or-later

   See request_guard.h.

   A request is an address, in a register, of six words: a code, and what it takes.  The
   register has the program's address again before the program goes on.  */

#include "control/request_guard.h"

#include "guest/arch.h"
#include "guest/memory.h"
#include "stack/threads/thread.h"
#include "surroundings/guest_memory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "valgrind.h"

#include <stdarg.h>

#define N_WORDS 6
#define MOST_TEXT (1u << 20)
#define PLACE_SIZE 64 /* what VALGRIND_MAP_IP_TO_SRCLOC writes */

static const UWord nothing[N_WORDS];

static ThreadId guarded = VG_INVALID_THREADID;
static Addr own; /* what its register held */

static void set_register(ThreadId thread, Addr value)
{
   VG_(set_shadow_regs_area)(thread, 0, ARCH_REQUEST_OFFSET, sizeof value,
                             (const UChar*)&value);
}

static Addr get_register(ThreadId thread)
{
   Addr value;
   VG_(get_shadow_regs_area)(thread, (UChar*)&value, 0, ARCH_REQUEST_OFFSET,
                             sizeof value);
   return value;
}

/*--------------------------------------------------------------------*/
/* What can be carried out                                             */

static Bool is_text(Addr at) { return guest_memory_text_size(at, MOST_TEXT) > 0; }

static Bool is_code(Addr at)
{
   return VG_(am_is_valid_for_client)(at, 1, VKI_PROT_EXEC) &&
          guest_memory_is_there(at, 1);
}

/* A format and what it takes, as the core's printf reads them.  */
typedef struct {
   const HChar* format;
   va_list* taken;
   Bool is_good;
} Message;

/* Behind flags, width and precision; `taken` has lost what these take.  */
static const HChar* skip_width(const HChar* at, va_list* taken)
{
   for (; *at != '\0' && VG_(strchr)("-+ #0123456789.,()'*", *at) != NULL; at++)
      if (*at == '*')
         (void)va_arg(*taken, Int);
   while (*at == 'l' || *at == 'h' || *at == 'z' || *at == 't' || *at == 'j')
      at++;
   return at;
}

/* Goes through the texts that it takes.  May meet memory that is not there.  */
static void look_at_message(void* data)
{
   Message* message = data;
   va_list taken;
   va_copy(taken, *message->taken);
   for (const HChar* at = message->format; *at != '\0'; at++) {
      if (*at != '%')
         continue;
      at = skip_width(at + 1, &taken);
      switch (*at) {
      case '\0': at--; break;
      case '%': break;
      case 'f':
      case 'e':
      case 'g': (void)va_arg(taken, double); break;
      case 's':
      case 'S': {
         const HChar* text = va_arg(taken, const HChar*);
         if (text != NULL && !is_text((Addr)text))
            return;
         break;
      }
      default: (void)va_arg(taken, UWord);
      }
   }
   va_end(taken);
   message->is_good = True;
}

static Bool is_message(Addr format, Addr list)
{
   va_list* taken = (va_list*)list;
   Message message = {(const HChar*)format, taken, False};
   return is_text(format) && guest_memory_is_there(list, sizeof *taken) &&
          guest_memory_try(look_at_message, &message) && message.is_good;
}

static Bool can_be_carried_out(const UWord* words)
{
   switch (words[0]) {
   case VG_USERREQ__CLIENT_CALL0:
   case VG_USERREQ__CLIENT_CALL1:
   case VG_USERREQ__CLIENT_CALL2:
   case VG_USERREQ__CLIENT_CALL3: return is_code(words[1]);
   case VG_USERREQ__GDB_MONITOR_COMMAND:
   case VG_USERREQ__CLO_CHANGE: return is_text(words[1]);
   /* Of the old form, in which a list is a word.  */
   case VG_USERREQ__PRINTF:
   case VG_USERREQ__PRINTF_BACKTRACE: return False;
   case VG_USERREQ__PRINTF_VALIST_BY_REF:
   case VG_USERREQ__PRINTF_BACKTRACE_VALIST_BY_REF: return is_message(words[1], words[2]);
   case VG_USERREQ__MAP_IP_TO_SRCLOC: return guest_room(words[2], PLACE_SIZE) != NULL;
   default: return True;
   }
}

/*--------------------------------------------------------------------*/

static void warn(void)
{
   static Bool has_warned;
   if (!has_warned)
      VG_(umsg)("Warning: a client request with an address that leads nowhere; "
                "ignored\n");
   has_warned = True;
}

/* Has it stopped because of a request?  Where it stands does not tell: a jump may lead to
   the instruction behind one.  */
static Bool has_asked(ThreadId thread)
{
   UWord mark;
   VG_(get_shadow_regs_area)(thread, (UChar*)&mark, 0, ARCH_REQUEST_MARK_OFFSET,
                             sizeof mark);
   if (LIKELY(mark != ARCH_REQUEST_MARK))
      return False;
   mark = 0;
   VG_(set_shadow_regs_area)(thread, 0, ARCH_REQUEST_MARK_OFFSET, sizeof mark,
                             (const UChar*)&mark);
   return True;
}

static void look(ThreadId thread)
{
   UWord words[N_WORDS];
   if (LIKELY(!has_asked(thread)))
      return;
   const Addr request = get_register(thread);
   if (guest_memory_copy(words, request, sizeof words) && can_be_carried_out(words))
      return;
   warn();
   guarded = thread;
   own = request;
   set_register(thread, (Addr)nothing);
}

static void put_back(void)
{
   if (LIKELY(guarded == VG_INVALID_THREADID))
      return;
   set_register(guarded, own);
   guarded = VG_INVALID_THREADID;
}

void request_guard_init(void)
{
   thread_at_slice(put_back);
   thread_at_stop(look);
}
