/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's calls of VEX for a translation, which are led here (--wrap), and to who may
   give another one; and what VEX does besides, which can be left out.

   Where this is possible, CORE_CAN_KEEP_TRANSLATIONS is defined; then, too, all is known
   that a translation depends on.  */

#ifndef CALLGRIND_TRANSLATION_H
#define CALLGRIND_TRANSLATION_H

#include "core_version.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

typedef VexTranslateResult CoreTranslator(VexTranslateArgs* arguments);

/* The core's calls are answered by this one from now on.  Without, VEX answers.  */
void core_translation_lead(CoreTranslator* translator);

/* Has such a call arrived?  */
Bool core_translations_arrive(void);

/* A superblock is translated: if no such call has arrived, the core makes them otherwise,
   and one line says so under -v.  */
void core_translation_is_made(void);

/* Was that so?  */
Bool core_translations_pass_by(void);

/* VEX's own function.  */
VexTranslateResult core_translate(VexTranslateArgs* arguments);

/* Frees the intermediate code of the superblock before, as VEX does when it begins with
   another one.  */
void core_free_ir(void);

/* VEX checks its intermediate code several times for each superblock, to find its own
   mistakes and the tool's.  That is 5 % of the time that a short program takes: it does
   so only if this was called with True.  */
void core_let_vex_check(Bool checks);

/* Does a debugger that is connected want to stop after each instruction?  At this
   address?  */
Bool core_debugger_steps(void);
Bool core_debugger_stops_at(Addr address);

/* Does a debugger that is connected want to stop in this code?  */
Bool core_debugger_stops_in(const VexGuestExtents* extents);

#else

static inline void core_translation_is_made(void) {}
static inline Bool core_translations_pass_by(void) { return True; }

#endif

#endif
