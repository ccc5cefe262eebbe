/* SPDX-License-Identifier: GPL-2.0-or-later

   What functions are called whose debug information has no linkage name: gcc gives none
   to lambdas, nor to what a template makes of one.  They are named as the tool names them
   (shared/names/).  */

#ifndef SAMPLER_FUNCTION_NAMES_H
#define SAMPLER_FUNCTION_NAMES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The name of a function with all scopes that it lies in, never freed; NULL: it has none.
   Sets `scope` to the innermost of these; false in `has_scope`: there is none.  */
const char* function_names_qualified(Dwarf_Die* function, Dwarf_Die* scope,
                                     bool* has_scope);

#endif
