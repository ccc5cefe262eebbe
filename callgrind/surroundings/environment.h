/* SPDX-License-Identifier: GPL-2.0-or-later

   The environment that the program sees: which variables, and which are added so that
   interpreters hash in the same way in each run.  */

#ifndef CALLGRIND_ENVIRONMENT_H
#define CALLGRIND_ENVIRONMENT_H

#include "core_version.h"
#include "pub_tool_xarray.h"

/* The array of HChar* that the program sees in place of `given`, whose end is NULL.  The
   texts are newly allocated, or the given ones.  Sets *n_hidden to how many of them are
   left out (--steady-env).  */
XArray* environment_make(HChar** given, UInt* n_hidden);

/* The array of HChar* in place of the arguments `given`, of which there are `count`:
   options for interpreters that no variable tells how to hash.  */
XArray* environment_arguments(HChar** given, UWord count);

#endif
