/* SPDX-License-Identifier: GPL-2.0-or-later

   Between the core and VEX.  The core asks VEX for each translation.  The linker leads
   that call here, so that a translation that was kept (kept_translations.h) can be given
   instead.  Nobody else calls what is here.

   Relies on the linker's --wrap: the core's call of LibVEX_Translate() arrives in
   __wrap_LibVEX_Translate(), and VEX's is called from vex_calls.h.  The same for VEX's
   checks of its own intermediate code, and for what it does to a tool's.  On a core where
   this is not possible (configure.ac), nothing is kept.  */

#include "guest/address.h"
#include "instrument/is_on.h"
#include "options/options.h"
#include "translations/exact_registers.h"
#include "translations/kept_translations.h"
#include "translations/stored_translations.h"
#include "translations/translation_tables.h"
#include "translations/vex_calls.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments);
void __real_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);
void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);
Bool __real_isFlatIRSB(const IRSB* superblock);
Bool __wrap_isFlatIRSB(const IRSB* superblock);
IRSB* __wrap_cprop_BB(IRSB* superblock);
void __wrap_do_deadcode_BB(IRSB* superblock);

/* VEX checks its intermediate code several times for each superblock, to find its own
   mistakes and the tool's.  That is 5 % of the time that a short program takes.  The
   tool's tests run with --ct-check=all, too, and there it is done.  */
void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word)
{
   if (UNLIKELY(options.check == CheckAll))
      __real_sanityCheckIRSB(superblock, caller, is_flat, guest_word);
}

Bool __wrap_isFlatIRSB(const IRSB* superblock)
{
   return options.check != CheckAll || __real_isFlatIRSB(superblock);
}

/* What VEX does for tools: it removes dead code and passes constants and copies on, once
   more, after a tool has added its own.  Ours adds neither dead code nor copies, and the
   program's code has been through this before.  That is 4 to 6 % of the time that a short
   program takes.  (VEX calls these from elsewhere for nothing else.)  */
IRSB* __wrap_cprop_BB(IRSB* superblock) { return superblock; }
void __wrap_do_deadcode_BB(IRSB* superblock) { (void)superblock; }

/* Code that is printed, or for the core's statistics, is made each time.  */
static Bool may_be_kept(const VexTranslateArgs* arguments)
{
   return arguments->traceflags == 0 && !arguments->addProfInc;
}

/* Does a debugger want to stop in what has been translated?  */
static Bool has_stops(const VexGuestExtents* extents)
{
   if (valgrind_single_stepping())
      return True;
   for (UInt i = 0; i < extents->n_used; i++)
      for (UInt byte = 0; byte < extents->len[i]; byte++)
         if (VG_(has_gdbserver_breakpoint)(extents->base[i] + byte))
            return True;
   return False;
}

/* --ct-check: has VEX made the code that was kept?  */
static void check_same(const VexTranslateArgs* arguments, const UChar* code, Int size)
{
   tl_assert2(*arguments->host_bytes_used == size &&
                 VG_(memcmp)(arguments->host_bytes, code, (SizeT)size) == 0,
              "the translation of 0x%lx that was kept is not the one that VEX makes",
              arguments->guest_bytes_addr);
}

static VexTranslateResult make(const Wanted* wanted)
{
   return stored_translations_are_for(wanted)
             ? stored_translations_make(wanted)
             : vex_calls_translate((VexTranslateArgs*)wanted->arguments, RecordNothing);
}

static VexTranslateResult make_and_check(const Wanted* wanted)
{
   static UChar code[65536];
   Int size = *wanted->arguments->host_bytes_used;
   tl_assert(size <= (Int)sizeof code);
   VG_(memcpy)(code, wanted->arguments->host_bytes, (SizeT)size);
   VexTranslateResult result = make(wanted);
   check_same(wanted->arguments, code, size);
   return result;
}

static Bool give_kept(const Wanted* wanted, VexTranslateResult* result)
{
   return kept_translations_have_begun() && kept_translations_give(wanted, result);
}

static Bool give_stored(const Wanted* wanted, VexTranslateResult* result)
{
   return stored_translations_are_for(wanted) && stored_translations_give(wanted, result);
}

static void keep(const Wanted* wanted, const VexTranslateResult* result)
{
   if (kept_translations_have_begun() && !has_stops(wanted->arguments->guest_extents))
      kept_translations_keep(wanted, result);
}

static void note_jit_code(const VexTranslateArgs* arguments)
{
   if (!translation_tables_are_two())
      return;
   Place place = address_place_of(arguments->guest_bytes_addr);
   if (address_is_jit_code(&place))
      translation_tables_note_jit_code(arguments->guest_bytes_addr);
}

VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments)
{
   note_jit_code(arguments);
   if (!may_be_kept(arguments))
      return vex_calls_translate(arguments, RecordNothing);
   const Wanted wanted = {arguments, instrumentation_is_on()};
   VexTranslateResult result;
   Bool is_kept = give_kept(&wanted, &result);
   Bool is_stored = !is_kept && give_stored(&wanted, &result);
   if ((is_kept || is_stored) && !has_stops(arguments->guest_extents)) {
      /* What is stored is checked at each use: --ct-check=yes.  */
      if (UNLIKELY(options.check == CheckAll ||
                   (is_stored && options.check != CheckDumps)))
         return make_and_check(&wanted);
      if (!wanted.is_instrumented)
         exact_registers_translated();
      if (is_stored)
         keep(&wanted, &result);
      return result;
   }
   result = make(&wanted);
   keep(&wanted, &result);
   return result;
}

#endif
