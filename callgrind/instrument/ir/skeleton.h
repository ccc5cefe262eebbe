/* SPDX-License-Identifier: GPL-2.0-or-later

   The skeleton of a superblock: of VEX's IR, what instrumentation looks at.  It is
   stored with a translation.  When another run takes the translation, the superblock is
   instrumented as ever, but VEX need not make its IR again, nor host code of it.

   A skeleton holds the instructions and exits; what the stack pointer is computed from;
   and, if references are simulated or atomic accesses counted, all accesses to memory and
   what their addresses are computed from.  It is a few bytes for each of these.  */

#ifndef CALLGRIND_SKELETON_H
#define CALLGRIND_SKELETON_H

#include "instrument/ir/needed_statements.h"

/* Writes the skeleton of `in` to `bytes`; `needed` becomes its needed statements.
   Returns its size; 0 if it does not fit in `room` bytes, or if the superblock has what a
   skeleton has no word for.  */
UInt skeleton_write(const IRSB* in, const VexGuestLayout* layout,
                    NeededStatements* needed, UChar* bytes, UInt room);

/* Makes IR of a skeleton: a superblock that is instrumented as the whole one.  It is not
   fit for making host code.  VEX owns it, as all IR.  NULL if `bytes` do not hold a
   skeleton.  */
IRSB* skeleton_read(const UChar* bytes, UInt size, const VexGuestLayout* layout);

#endif
