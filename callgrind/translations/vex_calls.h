/* SPDX-License-Identifier: GPL-2.0-or-later

   What VEX does when the core asks it for a translation (translate.c).  */

#ifndef CALLGRIND_VEX_CALLS_H
#define CALLGRIND_VEX_CALLS_H

#include "translations/superblocks.h"

#include "libvex.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* Has VEX make a translation, and completes it (patch_points.h, chains.h).  */
VexTranslateResult vex_calls_translate(VexTranslateArgs* arguments,
                                       RecordingWanted wanted);

#endif

#endif
