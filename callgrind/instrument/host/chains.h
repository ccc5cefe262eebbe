/* SPDX-License-Identifier: GPL-2.0-or-later

   Chains: jumps from one superblock's code to that of the next, which the core makes when
   an exit with a constant address is taken for the first time.

   Each superblock asks at its entry whether its function is the running one: that is its
   function guard.  At most
   exits it is known which one runs: the superblock's own, or, behind a call, none.  Then
   the answer is the same each time, so the core's jump is led past the guard, or
   straight to the call that enters the function.

   An exit of which that is known is signed in the host's code.  The core's jumps stay as
   they are with --ct-check=all, and on hosts where this is not done (host_chains.h).  */

#ifndef CALLGRIND_CHAINS_H
#define CALLGRIND_CHAINS_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

#include "libvex.h"

/* Is it known at the exits of a superblock which function runs?  */
typedef enum {
   ExitsUntold, /* it has not been instrumented */
   ExitsKnown,
   ExitsUnknown /* it has code that may change which function runs */
} ExitKnowledge;

/* To be called once, before there are translations.  */
void chains_init(void);

/* The superblock is instrumented so that it asks which function runs, and at each exit
   that is known, unless chains_note_exits_unknown() is called before or after.  */
void chains_note_exits_known(ExitKnowledge* exits);
void chains_note_exits_unknown(ExitKnowledge* exits);

/* VEX has made the code of the superblock: signs its exits if they are known.  */
void chains_sign_exits(ExitKnowledge exits, const VexTranslateArgs* arguments);

/* If the code at `code`, a superblock's behind its event check, begins with the guard
   of the function with this id: what is behind the guard.  Otherwise NULL,
   as where the superblock checks first whether the guest's code is still the same.  */
const void* chains_behind_guard(const UChar* code, UInt function_id);

#endif
