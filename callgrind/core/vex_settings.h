/* SPDX-License-Identifier: GPL-2.0-or-later

   VEX's own copy of its settings.  The core makes it of VG_(clo_vex_control) once, before
   the first translation; a tool that wants another setting later (chasing may be on while
   instrumentation is off) changes both.  Global in every libvex from 3.11 on.  */

#ifndef CALLGRIND_VEX_SETTINGS_H
#define CALLGRIND_VEX_SETTINGS_H

#include "core_version.h"

#ifdef HAVE_VEX_CONTROL_SYMBOL
extern VexControl vex_control;
#endif

/* NULL where VEX has no such copy: what was set first, stays.  */
static inline VexControl* core_vex_settings(void)
{
#ifdef HAVE_VEX_CONTROL_SYMBOL
   return &vex_control;
#else
   return NULL;
#endif
}

#endif
