/* SPDX-License-Identifier: GPL-2.0-or-later

   Names of C++ and Rust, as people write them.  */

#ifndef SAMPLER_DEMANGLE_H
#define SAMPLER_DEMANGLE_H

/* The name that a symbol stands for, or the symbol; to be freed.  Without libiberty, always
   the symbol.  */
char* demangle_symbol(const char* symbol);

#endif
