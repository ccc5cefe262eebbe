/* SPDX-License-Identifier: GPL-2.0-or-later

   See translation.h.  */

#include "core/translation.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

VexTranslateResult __real_LibVEX_Translate(VexTranslateArgs* arguments);
VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments);
void __real_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);
void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);
Bool __real_isFlatIRSB(const IRSB* superblock);
Bool __wrap_isFlatIRSB(const IRSB* superblock);
IRSB* __wrap_cprop_BB(IRSB* superblock);
void __wrap_do_deadcode_BB(IRSB* superblock);
extern void vexSetAllocModeTEMP_and_clear(void);

/* Of the core's gdbserver: it steps, and so stops after each instruction; or it stops at
   `address`.  */
extern Bool valgrind_single_stepping(void);
extern Bool VG_(has_gdbserver_breakpoint)(Addr address);

static CoreTranslator* translator_in_use;
static Bool vex_checks, has_arrived, pass_by;

void core_translation_lead(CoreTranslator* translator) { translator_in_use = translator; }

VexTranslateResult core_translate(VexTranslateArgs* arguments)
{
   return __real_LibVEX_Translate(arguments);
}

Bool core_translations_arrive(void) { return has_arrived; }

Bool core_translations_pass_by(void) { return pass_by; }

void core_translation_is_made(void)
{
   if (LIKELY(has_arrived || pass_by))
      return;
   pass_by = True;
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core calls VEX otherwise than is known: each translation is made "
                "anew.\n");
}

VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments)
{
   has_arrived = True;
   return translator_in_use != NULL ? translator_in_use(arguments)
                                    : core_translate(arguments);
}

void core_free_ir(void) { vexSetAllocModeTEMP_and_clear(); }

/*--------------------------------------------------------------------*/
/* What VEX does besides                                               */

void core_let_vex_check(Bool checks) { vex_checks = checks; }

void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word)
{
   if (UNLIKELY(vex_checks))
      __real_sanityCheckIRSB(superblock, caller, is_flat, guest_word);
}

Bool __wrap_isFlatIRSB(const IRSB* superblock)
{
   return !vex_checks || __real_isFlatIRSB(superblock);
}

/* What VEX does for tools: it removes dead code and passes constants and copies on, once
   more, after a tool has added its own.  Ours adds neither dead code nor copies, and the
   program's code has been through this before.  That is 4 to 6 % of the time that a short
   program takes.  (VEX calls these from elsewhere for nothing else.)  */
IRSB* __wrap_cprop_BB(IRSB* superblock) { return superblock; }
void __wrap_do_deadcode_BB(IRSB* superblock) { (void)superblock; }

/*--------------------------------------------------------------------*/

Bool core_debugger_steps(void) { return valgrind_single_stepping(); }

Bool core_debugger_stops_at(Addr address)
{
   return VG_(has_gdbserver_breakpoint)(address);
}

Bool core_debugger_stops_in(const VexGuestExtents* extents)
{
   if (valgrind_single_stepping())
      return True;
   for (UInt i = 0; i < extents->n_used; i++)
      for (UInt byte = 0; byte < extents->len[i]; byte++)
         if (VG_(has_gdbserver_breakpoint)(extents->base[i] + byte))
            return True;
   return False;
}

#endif
