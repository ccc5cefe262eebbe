/* SPDX-License-Identifier: GPL-2.0-or-later

   Sites: instructions of the program that are others while code runs natively.  Where one
   begins that must not run natively, a breakpoint is planted; whoever comes there leaves,
   and has that code translated.  Others become jumps (hot_calls.h).

   All are planted or none, but for those in pages of the fall-back (fallback.h), where no
   code runs natively: before anything is translated, their bytes are put back, and
   before code runs natively again they are planted.  */

#ifndef CALLGRIND_SITES_H
#define CALLGRIND_SITES_H

#include "core_version.h"

/* Code that nobody else shares, and that is not meant to be written, may have sites.
   `protection` is what the program's pages have there: VKI_PROT_...  */
void native_sites_add(Addr at, UInt protection);

/* Likewise code that is to become a jump to `target`: SITE_JUMP bytes in one page, at
   most 2 GB from there.  Nothing is done if there is a site among them.  */
#define SITE_JUMP 5
void native_sites_add_jump(Addr at, UInt protection, Addr target);

/* The memory is gone, or is another one.  Nothing is put back there.  */
void native_sites_forget(Addr start, SizeT size);

/* The program may write there from now on: what is planted is put back, and
   forgotten.  */
void native_sites_give_back(Addr start, SizeT size, UInt protection);

/* The memory at `from` is now at `to`, with what was planted.  */
void native_sites_moved(Addr from, Addr to, SizeT size);

/* Plants them all if they are not.  */
void native_sites_plant(void);

/* Puts all bytes back if they are not.  */
void native_sites_put_back(void);

/* Is there a breakpoint, whether planted or not?  */
Bool native_sites_has(Addr at);

UInt native_sites_count(void);

#endif
