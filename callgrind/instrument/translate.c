/* SPDX-License-Identifier: GPL-2.0-or-later

   Between the core and VEX.  The core asks VEX for each translation.  The linker leads
   that call here, so that a translation that was kept (kept_translations.h) can be given
   instead.  Nobody else calls what is here.

   Relies on the linker's --wrap: the core's call of LibVEX_Translate() arrives in
   __wrap_LibVEX_Translate(), and __real_LibVEX_Translate() is VEX's.  The same for VEX's
   check of its own intermediate code.  On a core where this is not possible
   (configure.ac), nothing is kept.  */

#include "instrument/exact_registers.h"
#include "instrument/instr_state.h"
#include "instrument/kept_translations.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

VexTranslateResult __real_LibVEX_Translate(VexTranslateArgs* arguments);
VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments);
void __real_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);
void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word);

/* VEX checks its intermediate code several times for each superblock, to find its own
   mistakes and the tool's.  That is 5 % of the time that a short program takes.  The
   tool's tests run with --ct-check=all, too, and there it is done.  */
void __wrap_sanityCheckIRSB(const IRSB* superblock, const HChar* caller, Bool is_flat,
                            IRType guest_word)
{
   if (UNLIKELY(options.check == CheckAll))
      __real_sanityCheckIRSB(superblock, caller, is_flat, guest_word);
}

/* Code that is printed, or for the core's statistics, is made each time.  */
static Bool may_be_kept(const VexTranslateArgs* arguments)
{
   return kept_translations_have_begun() && arguments->traceflags == 0 &&
          !arguments->addProfInc;
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

/* --ct-check=all: has VEX made the code that was kept?  */
static void check_same(const VexTranslateArgs* arguments, const UChar* code, Int size)
{
   tl_assert2(*arguments->host_bytes_used == size &&
                 VG_(memcmp)(arguments->host_bytes, code, (SizeT)size) == 0,
              "the translation of 0x%lx that was kept is not the one that VEX makes",
              arguments->guest_bytes_addr);
}

static VexTranslateResult translate_and_check(VexTranslateArgs* arguments)
{
   static UChar code[65536];
   Int size = *arguments->host_bytes_used;
   tl_assert(size <= (Int)sizeof code);
   VG_(memcpy)(code, arguments->host_bytes, (SizeT)size);
   VexTranslateResult result = __real_LibVEX_Translate(arguments);
   check_same(arguments, code, size);
   return result;
}

VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments)
{
   if (!may_be_kept(arguments))
      return __real_LibVEX_Translate(arguments);
   const Wanted wanted = {arguments, instr_state_is_on()};
   VexTranslateResult result;
   if (kept_translations_give(&wanted, &result) && !has_stops(arguments->guest_extents)) {
      if (UNLIKELY(options.check == CheckAll))
         return translate_and_check(arguments);
      if (!wanted.is_instrumented)
         exact_registers_translated();
      return result;
   }
   result = __real_LibVEX_Translate(arguments);
   if (!has_stops(arguments->guest_extents))
      kept_translations_keep(&wanted, &result);
   return result;
}

#endif
