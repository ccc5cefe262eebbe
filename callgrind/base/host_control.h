/* SPDX-License-Identifier: GPL-2.0-or-later

   The host's control of floating point.  Generated code relies on what the core has set,
   and a signal handler begins with another one: who jumps out of a handler puts it back.
   On arm64 a handler goes on with what was set.  */

#ifndef CALLGRIND_HOST_CONTROL_H
#define CALLGRIND_HOST_CONTROL_H

#include "core_version.h"

#if defined(VGA_amd64)

static inline UShort host_control(void)
{
   UShort control;
   __asm__ volatile("fnstcw %0" : "=m"(control));
   return control;
}

static inline void host_control_set(UShort control)
{
   __asm__ volatile("fldcw %0" : : "m"(control));
}

#else

static inline UShort host_control(void) { return 0; }

static inline void host_control_set(UShort control) { (void)control; }

#endif

#endif
