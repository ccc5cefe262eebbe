/* SPDX-License-Identifier: GPL-2.0-or-later

   Chains: jumps from one superblock's code to that of the next, which the core makes when
   an exit with a constant address is taken for the first time.

   Each superblock asks at its entry whether its function is the running one.  At most
   exits it is known which one runs: the superblock's own, or, behind a call, none.  Then
   the answer is the same each time, so the core's jump is led past the question, or
   straight to the call that enters the function.

   An exit of which that is known is signed in the host's code.  The core's jumps stay as
   they are with --ct-check=all, and on hosts where this is not done (host_chains.h).  */

#ifndef CALLGRIND_CHAINS_H
#define CALLGRIND_CHAINS_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

#include "libvex.h"

/* A superblock is about to be translated: of its exits nothing is known yet.  */
void chains_begin(void);

/* It is instrumented so that it asks which function runs, and at each exit that is known.
   To be called before the next one.  */
void chains_exits_are_known(void);

/* It has code that may change which function runs.  */
void chains_exits_are_unknown(void);

/* VEX has made the code of the superblock: signs its exits if they are known.  */
void chains_sign_exits(const VexTranslateArgs* arguments);

/* If the code at `code`, a superblock's behind its event check, begins with the question
   whether the function with this id runs: what is behind the question.  Otherwise NULL,
   as where the superblock checks first whether the guest's code is still the same.  */
const void* chains_behind_question(const UChar* code, UInt function_id);

#endif
