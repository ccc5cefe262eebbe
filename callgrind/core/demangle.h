/* SPDX-License-Identifier: GPL-2.0-or-later

   How the core shows the names that linkers know functions by.  */

#ifndef CALLGRIND_DEMANGLE_H
#define CALLGRIND_DEMANGLE_H

#include "core_version.h"

#ifdef HAVE_CORE_DEMANGLE
extern void VG_(demangle)(Bool is_cxx, Bool is_z, const HChar* name, const HChar** shown);
#endif

/* `linkage` as the core shows it, in the core's memory until the next call; or as it
   is.  */
static inline const HChar* core_demangle(const HChar* linkage)
{
   const HChar* shown = linkage;
#ifdef HAVE_CORE_DEMANGLE
   VG_(demangle)(True, True, linkage, &shown);
#endif
   return shown;
}

#endif
