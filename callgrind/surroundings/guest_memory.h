/* SPDX-License-Identifier: GPL-2.0-or-later

   Where the answer of a system call is put in place of the system's: the program's
   memory, and the register of the result.  */

#ifndef CALLGRIND_GUEST_MEMORY_H
#define CALLGRIND_GUEST_MEMORY_H

#include "core_version.h"

#include "guest/arch.h"
#include "guest/memory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"

/* Room of the program's, or NULL if the program may not write there.  */
static inline void* guest_room(UWord address, SizeT size)
{
   return address != 0 && VG_(am_is_valid_for_client)(address, size, VKI_PROT_WRITE) &&
                guest_memory_is_there(address, size)
             ? (void*)address
             : NULL;
}

static inline void guest_set_result(ThreadId thread, UWord value)
{
   VG_(set_shadow_regs_area)(thread, 0, ARCH_RESULT_OFFSET, sizeof value,
                             (const UChar*)&value);
}

#endif
