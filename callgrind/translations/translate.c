/* SPDX-License-Identifier: GPL-2.0-or-later

   See translate.h.  On a core whose calls cannot be led to the tool, nothing is kept.  */

#include "translations/translate.h"

#include "core/translation.h"
#include "guest/address.h"
#include "host_instructions/host_instructions.h"
#include "instrument/is_on.h"
#include "native/native.h"
#include "options/options.h"
#include "translations/exact_registers.h"
#include "translations/kept_translations.h"
#include "translations/missing_code.h"
#include "translations/stored_translations.h"
#include "translations/superblocks.h"
#include "translations/translation_tables.h"
#include "translations/vex_calls.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* Code that is printed, or for the core's statistics, is made each time.  */
static Bool may_be_kept(const VexTranslateArgs* arguments)
{
   return arguments->traceflags == 0 && !arguments->addProfInc;
}

/* --ct-check: has VEX made the code that was kept?  */
static void check_same(const VexTranslateArgs* arguments, const UChar* code, Int size)
{
   tl_assert2(*arguments->host_bytes_used == size &&
                 VG_(memcmp)(arguments->host_bytes, code, (SizeT)size) == 0,
              "the translation of 0x%lx that was kept is not the one that VEX makes",
              arguments->guest_bytes_addr);
}

/* What was kept does not know of registers that have come into use since.  What is stored
   never does.  */
static Bool is_as_in_other_runs(void)
{
   static Bool is_changed;
   if (!is_changed && host_instructions_change_code()) {
      is_changed = True;
      kept_translations_forget();
   }
   return !is_changed && options.guest_cpu != GuestCpuV4;
}

static VexTranslateResult make(const Wanted* wanted)
{
   return is_as_in_other_runs() && stored_translations_are_for(wanted)
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
   return is_as_in_other_runs() && stored_translations_are_for(wanted) &&
          stored_translations_give(wanted, result);
}

static void keep(const Wanted* wanted, const VexTranslateResult* result)
{
   if (kept_translations_have_begun() &&
       !core_debugger_stops_in(wanted->arguments->guest_extents))
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

static VexTranslateResult make_of_what_is_there(VexTranslateArgs* arguments)
{
   VexTranslateResult result;
   do
      result = vex_calls_translate(arguments, RecordNothing);
   while (!missing_code_end());
   return result;
}

/* Code that runs in turns with native code goes back to the core at each exit, which may
   go on natively.  */
static void leave_at_each_exit(VexTranslateArgs* arguments)
{
   arguments->disp_cp_chain_me_to_slowEP = NULL;
   arguments->disp_cp_chain_me_to_fastEP = NULL;
   arguments->disp_cp_xindir = NULL;
}

/* That is little code, and is not kept.  */
static VexTranslateResult translate_between_native(VexTranslateArgs* arguments)
{
   const VexTranslateResult result = vex_calls_translate(arguments, RecordNothing);
   const VexGuestExtents* extents = arguments->guest_extents;
   for (UInt i = 0; i < extents->n_used; i++)
      native_after_translation(extents->base[i], extents->len[i]);
   return result;
}

static VexTranslateResult translate(VexTranslateArgs* arguments)
{
   superblocks_look_at_core();
   native_before_translation();
   note_jit_code(arguments);
   if (native_is_wanted())
      leave_at_each_exit(arguments);
   if (missing_code_begin(arguments))
      return make_of_what_is_there(arguments);
   if (native_is_wanted())
      return translate_between_native(arguments);
   if (!may_be_kept(arguments))
      return vex_calls_translate(arguments, RecordNothing);
   const Wanted wanted = {arguments, instrumentation_is_on()};
   VexTranslateResult result;
   is_as_in_other_runs(); /* before anything that was kept is given */
   Bool is_kept = give_kept(&wanted, &result);
   Bool is_stored = !is_kept && give_stored(&wanted, &result);
   if ((is_kept || is_stored) && !core_debugger_stops_in(arguments->guest_extents)) {
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

void translate_init(void)
{
   core_let_vex_check(options.check == CheckAll);
   core_translation_lead(translate);
}

#else

void translate_init(void) {}

#endif
