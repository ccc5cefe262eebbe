/* SPDX-License-Identifier: GPL-2.0-or-later

   What the core believes of the program's memory: told of memory that is gone without a
   call of the program's that would have unmapped it.  */

#ifndef CALLGRIND_MEMORY_MAP_H
#define CALLGRIND_MEMORY_MAP_H

#include "core_version.h"

#ifdef HAVE_CORE_UNMAPPING
extern void vgModuleLocal_notify_core_and_tool_of_munmap(Addr start, SizeT size);
#endif

/* As if the program had unmapped these whole pages: translations of code in them are
   discarded, and the tool hears of it as ever.  */
static inline void core_believe_unmapped(Addr start, SizeT size)
{
#ifdef HAVE_CORE_UNMAPPING
   vgModuleLocal_notify_core_and_tool_of_munmap(start, size);
#else
   (void)start, (void)size;
#endif
}

#endif
