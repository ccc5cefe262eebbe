/* SPDX-License-Identifier: GPL-2.0-or-later

   From code of the tool's own, which the core was given as if it were a translation, back
   to the core's dispatcher; and what such code needs of the core besides.

   Where this is possible, HAVE_CORE_CODE_EXITS is defined.  Then the ranges below are
   known, too.  */

#ifndef CALLGRIND_CODE_EXITS_H
#define CALLGRIND_CODE_EXITS_H

#include "core_version.h"

#ifdef HAVE_CORE_CODE_EXITS

#include "libvex_trc_values.h"

/* Assemblers' names.  Code jumps there with the stack pointer that it was entered with,
   floating point control as it was, and the guest's state complete.  To the first one
   with the reason (VEX_TRC_...) in %rbp; to the second one with the guest's event counter
   at -1: the thread has had its time.  */
extern void VG_(disp_cp_xassisted)(void);
extern void VG_(disp_cp_evcheck_fail)(void);
#define CORE_EXIT_FOR_REASON "vgPlain_disp_cp_xassisted"
#define CORE_EXIT_OUT_OF_TIME "vgPlain_disp_cp_evcheck_fail"

/* Of the guest's state, all that belongs to the x87, as XSAVE lays it out in 512 bytes,
   and back.  */
extern void amd64g_dirtyhelper_XSAVE_COMPONENT_0(VexGuestAMD64State* state, HWord area);
extern VexEmNote amd64g_dirtyhelper_XRSTOR_COMPONENT_0(VexGuestAMD64State* state,
                                                       HWord area);

static inline void core_save_x87(VexGuestAMD64State* state, void* area)
{
   amd64g_dirtyhelper_XSAVE_COMPONENT_0(state, (HWord)area);
}

static inline void core_restore_x87(VexGuestAMD64State* state, void* area)
{
   amd64g_dirtyhelper_XRSTOR_COMPONENT_0(state, (HWord)area);
}

/* Where a handler of the program returns to that has said no other place: code for the
   program within the core.  */
extern void VG_(amd64_linux_SUBST_FOR_rt_sigreturn)(void);

/* How much the core checks of itself: --sanity-level.  */
extern Int VG_(clo_sanity_level);

#endif

#endif
