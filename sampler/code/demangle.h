/* SPDX-License-Identifier: GPL-2.0-or-later

   Names of C++ and Rust functions as in their sources.  */

#ifndef SAMPLER_DEMANGLE_H
#define SAMPLER_DEMANGLE_H

/* The name that a symbol stands for, or a copy of the symbol if it is not mangled; to be
   freed.  Without libiberty, always the copy.  */
char* demangle_symbol(const char* symbol);

#endif
