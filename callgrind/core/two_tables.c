/* SPDX-License-Identifier: GPL-2.0-or-later

   See two_tables.h.

   The core's functions for its table are called by the scheduler, by system calls and by
   others.  The linker leads these calls here (--wrap), and they go on to the table that
   is in use: __real_vgPlain_...() has the core's, second_vgPlain_...() the second one.

   Both share the fast cache (fast_cache.h).

   Owns which table is in use, and what the other one has in the fast cache.  */

#include "core/two_tables.h"

#include "core/fast_cache.h"
#include "core/translation.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_transtab.h"

#ifdef HAVE_VG_DISCARD_TRANSLATIONS
extern void VG_(discard_translations)(Addr start, ULong range, const HChar* who);

void core_discard_at_once(Addr start, ULong range)
{
   VG_(discard_translations)(start, range, "callgrind");
}
#endif

#ifdef CORE_TABLE_CAN_BE_DOUBLED

void __real_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void __wrap_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void second_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void second_vgPlain_init_tt_tc(void);
extern UInt VG_(clo_num_transtab_sectors);
extern UInt VG_(clo_avg_transtab_entry_size);
extern UInt second_vgPlain_clo_num_transtab_sectors;
extern UInt second_vgPlain_clo_avg_transtab_entry_size;

/* Read and set by the code below.  */
extern UChar core_tables_is_second; /* the table in use */
extern UChar core_tables_added;
UChar core_tables_is_second;
UChar core_tables_added;        /* such a call has arrived here */
static UChar core_tables_found; /* and such a one */

/* A function of the core that goes on to the table in use, with whatever arguments; and
   what notes that such a call has arrived.  */
#ifdef VGA_amd64
#define NOTE(flag) "movb $1, " #flag "(%rip)\n"
/* The second argument of the core's function is the guest's address.  */
#define NOTE_ADDED                                                                       \
   NOTE(core_tables_added)                                                               \
   "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\n"              \
   "subq $8, %rsp\nmovq %rsi, %rdi\ncall fast_cache_adds\naddq $8, %rsp\n"               \
   "popq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
#define LEAD(name, noting)                                                               \
   __asm__(".text\n"                                                                     \
           ".globl __wrap_vgPlain_" #name "\n"                                           \
           ".type __wrap_vgPlain_" #name ", @function\n"                                 \
           "__wrap_vgPlain_" #name ":\n" noting "cmpb $0, core_tables_is_second(%rip)\n" \
           "jne second_vgPlain_" #name "\n"                                              \
           "jmp __real_vgPlain_" #name "\n"                                              \
           ".size __wrap_vgPlain_" #name ", . - __wrap_vgPlain_" #name "\n")
#else
#define NOTE(flag) "adrp x16, " #flag "\nmov w17, #1\nstrb w17, [x16, :lo12:" #flag "]\n"
#define NOTE_ADDED NOTE(core_tables_added) /* lines are not known there */
#define LEAD(name, noting)                                                               \
   __asm__(".text\n"                                                                     \
           ".balign 4\n"                                                                 \
           ".globl __wrap_vgPlain_" #name "\n"                                           \
           ".type __wrap_vgPlain_" #name ", %function\n"                                 \
           "__wrap_vgPlain_" #name ":\n" noting "adrp x16, core_tables_is_second\n"      \
           "ldrb w16, [x16, :lo12:core_tables_is_second]\n"                              \
           "cbnz w16, 1f\n"                                                              \
           "b __real_vgPlain_" #name "\n"                                                \
           "1: b second_vgPlain_" #name "\n"                                             \
           ".size __wrap_vgPlain_" #name ", . - __wrap_vgPlain_" #name "\n")
#endif

LEAD(add_to_transtab, NOTE_ADDED);
LEAD(tt_tc_do_chaining, "");
LEAD(add_to_unredir_transtab, "");
LEAD(search_unredir_transtab, "");
LEAD(get_SB_profile, "");

Bool __real_vgPlain_search_transtab(Addr* code, void* sector, void* entry, Addr guest,
                                    Bool update_fast_cache);
Bool __wrap_vgPlain_search_transtab(Addr* code, void* sector, void* entry, Addr guest,
                                    Bool update_fast_cache);
Bool second_vgPlain_search_transtab(Addr* code, void* sector, void* entry, Addr guest,
                                    Bool update_fast_cache);

static Bool (*answer_before)(Addr guest, const void** code);

void core_tables_answer(Bool (*answer)(Addr guest, const void** code))
{
   answer_before = answer;
}

/* With a sector, the core wants to chain one translation to another; if the fast cache
   stays, somebody only looks.  */
Bool __wrap_vgPlain_search_transtab(Addr* code, void* sector, void* entry, Addr guest,
                                    Bool update_fast_cache)
{
   const void* answered;
   core_tables_found = 1;
   if (answer_before != NULL && sector == NULL && update_fast_cache &&
       answer_before(guest, &answered)) {
      if (code != NULL)
         *code = (Addr)answered;
      return True;
   }
   const Bool is_found =
      core_tables_is_second
         ? second_vgPlain_search_transtab(code, sector, entry, guest, update_fast_cache)
         : __real_vgPlain_search_transtab(code, sector, entry, guest, update_fast_cache);
   if (is_found && update_fast_cache)
      fast_cache_found(guest);
   return is_found;
}

static void (*hear_of_discard)(Addr start, ULong range);

void core_tables_lead(void (*hear)(Addr start, ULong range)) { hear_of_discard = hear; }

void core_tables_discard(Addr start, ULong range)
{
   if (core_tables_is_second)
      second_vgPlain_discard_translations(start, range, "callgrind");
   else
      __real_vgPlain_discard_translations(start, range, "callgrind");
}

void __wrap_vgPlain_discard_translations(Addr start, ULong range, const HChar* who)
{
   if (hear_of_discard != NULL)
      hear_of_discard(start, range);
   if (core_tables_is_second)
      second_vgPlain_discard_translations(start, range, who);
   else
      __real_vgPlain_discard_translations(start, range, who);
}

/*--------------------------------------------------------------------*/

static FastLines saved[2]; /* of the table that is not in use */

static enum { NotYet, AreTwo, CannotBe } doubled;

/* The core empties the fast cache when a table is set up.  */
static void set_up_second(void)
{
   second_vgPlain_clo_num_transtab_sectors = VG_(clo_num_transtab_sectors);
   second_vgPlain_clo_avg_transtab_entry_size = VG_(clo_avg_transtab_entry_size);
   second_vgPlain_init_tt_tc();
}

static const HChar* why_not_two(void)
{
   if (!core_translations_arrive() || !core_tables_found || !core_tables_added)
      return "does not use its table as is known";
   if (!fast_cache_learn_empty(set_up_second))
      return "has another fast cache than is known";
   return NULL;
}

Bool core_tables_double(void)
{
   if (doubled != NotYet)
      return doubled == AreTwo;
   const HChar* reason = why_not_two();
   doubled = reason == NULL ? AreTwo : CannotBe;
   if (reason != NULL && VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core %s: there is one table of translations, not two.\n", reason);
   return doubled == AreTwo;
}

Bool core_tables_may_be_two(void) { return doubled != CannotBe; }

Bool core_tables_pass_by(void)
{
   return doubled == CannotBe || !core_translations_arrive() || !core_tables_found ||
          !core_tables_added;
}

void core_tables_switch(Bool keeps_fast_cache)
{
   fast_cache_save(&saved[core_tables_is_second]);
   core_tables_is_second = !core_tables_is_second;
   if (keeps_fast_cache)
      fast_cache_restore(&saved[core_tables_is_second]);
}

void core_tables_check(void) { fast_cache_check(); }

#else

void core_tables_lead(void (*hear)(Addr start, ULong range)) { (void)hear; }

void core_tables_answer(Bool (*answer)(Addr guest, const void** code)) { (void)answer; }

void core_tables_discard(Addr start, ULong range)
{
   VG_(discard_translations_safely)(start, range, "callgrind");
}

Bool core_tables_may_be_two(void) { return False; }

Bool core_tables_pass_by(void) { return True; }

Bool core_tables_double(void) { return False; }

void core_tables_switch(Bool keeps_fast_cache) { (void)keeps_fast_cache; }

void core_tables_check(void) {}

#endif
