/* SPDX-License-Identifier: GPL-2.0-or-later

   Demangling with libiberty, which knows C++ and both manglings of Rust; see
   demangle.h.  */

#include "code/demangle.h"

#include "base/memory.h"

#include <string.h>

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>

/* Nobody reads longer names, and the demangler may take very long for them.  */
#define LONGEST 16384

char* demangle_symbol(const char* symbol)
{
   size_t length = strnlen(symbol, LONGEST);
   if (length == LONGEST || symbol[0] != '_')
      return memory_copy_text(symbol);
   char* name = cplus_demangle(symbol, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
   return name != NULL ? name : memory_copy_text(symbol);
}

#else

char* demangle_symbol(const char* symbol) { return memory_copy_text(symbol); }

#endif
