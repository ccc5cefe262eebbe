/* SPDX-License-Identifier: GPL-2.0-or-later

   Symbol tables, hidden from the core while it reads an ELF file.  It finds them by the
   file's section headers, which it copies one by one (ML_(img_get)): those of symbol
   tables are given to it as unused ones (SHT_NULL, of size 0), as if the file were
   stripped of them.  */

#ifndef CALLGRIND_HIDDEN_SYMBOLS_H
#define CALLGRIND_HIDDEN_SYMBOLS_H

#include "core_version.h"

#ifdef CORE_CAN_READ_SYMBOLS_LATE

/* From now on they are hidden, and no more.  */
void core_symbols_hide(void);
void core_symbols_show(void);

#else

static inline void core_symbols_hide(void) {}
static inline void core_symbols_show(void) {}

#endif

#endif
