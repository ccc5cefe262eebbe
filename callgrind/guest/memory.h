/* SPDX-License-Identifier: GPL-2.0-or-later

   Which of the program's memory can be read.  What the core says of mappings is not all:
   glibc 2.42 makes the guard of a thread's stack by madvise(MADV_GUARD_INSTALL), which
   leaves the mapping readable as far as the core knows, but reading it is a fault.  So
   who reads beyond what the program is known to have used asks here, page by page.  */

#ifndef CALLGRIND_GUEST_MEMORY_H
#define CALLGRIND_GUEST_MEMORY_H

#include "core_version.h"

/* Where readability may change; pages may be larger.  */
#define GUEST_MEMORY_PAGE 4096

/* The end of the page that `address` is in.  */
static inline Addr guest_memory_page_end(Addr address)
{
   return (address | (GUEST_MEMORY_PAGE - 1)) + 1;
}

/* True if the word at `address`, and so the rest of its page, can be read.  The kernel is
   asked: not to be called often.  */
Bool guest_memory_can_read(Addr address);

#endif
