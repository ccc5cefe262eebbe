/* SPDX-License-Identifier: GPL-2.0-or-later

   Instructions that the core cannot decode and the host's processor knows: AVX-512 above
   all.  The host executes them one by one, each by a call of a small piece of code
   (pieces.h), with the guest's registers.

   Where VEX gives up, its superblock ends with Ijk_NoDecode, before the tool is asked to
   instrument it.  Here it is continued.  */

#ifndef CALLGRIND_HOST_INSTRUCTIONS_H
#define CALLGRIND_HOST_INSTRUCTIONS_H

#include "core_version.h"

typedef struct {
   IRSB* instead; /* to be translated in place of `in`, and not to be instrumented; NULL:
                     `in` is */
   UInt n_bytes;  /* of the guest's code that has been added behind VEX's last byte */
   Addr refused;  /* the instruction that nobody executes; 0: there is none */
} HostContinuation;

/* Continues `in`, if VEX has given up in it at an instruction that the host executes.
   With `shows_accesses`, gathers and scatters also load or store by element.  To be
   called for each superblock, before it is instrumented.  */
HostContinuation host_instructions_continue(IRSB* in, Bool shows_accesses);

/* The program may use AVX-512's state where it is not translated.  To be called before
   there are translations.  */
void host_instructions_expect_wide_state(void);

/* Is there something in use that translations from before, or from other runs, do not
   know of?  */
Bool host_instructions_change_code(void);

#endif
