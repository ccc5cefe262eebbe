/* SPDX-License-Identifier: GPL-2.0-or-later

   Sets of signals, of which the core's headers have the type, and little more.  */

#ifndef CALLGRIND_SIGNAL_SETS_H
#define CALLGRIND_SIGNAL_SETS_H

#include "core_version.h"
#include "pub_tool_libcbase.h"

static inline vki_sigset_t signal_set_none(void)
{
   vki_sigset_t set;
   VG_(memset)(&set, 0, sizeof set);
   return set;
}

static inline vki_sigset_t signal_set_all(void)
{
   vki_sigset_t set;
   VG_(memset)(&set, 0xff, sizeof set);
   return set;
}

static inline void signal_set_add(vki_sigset_t* set, Int signal)
{
   set->sig[(signal - 1) / _VKI_NSIG_BPW] |= 1UL << (signal - 1) % _VKI_NSIG_BPW;
}

static inline void signal_set_remove(vki_sigset_t* set, Int signal)
{
   set->sig[(signal - 1) / _VKI_NSIG_BPW] &= ~(1UL << (signal - 1) % _VKI_NSIG_BPW);
}

static inline Bool signal_set_has(const vki_sigset_t* set, Int signal)
{
   return (set->sig[(signal - 1) / _VKI_NSIG_BPW] >> (signal - 1) % _VKI_NSIG_BPW & 1) !=
          0;
}

#endif
