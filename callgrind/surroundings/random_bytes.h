/* SPDX-License-Identifier: GPL-2.0-or-later

   Numbers that look random, and are the same in every run: for a guest that shall see the
   same surroundings everywhere.  Nothing secret may be made of them.  */

#ifndef CALLGRIND_RANDOM_BYTES_H
#define CALLGRIND_RANDOM_BYTES_H

#include "core_version.h"

/* Fills `size` bytes with the next ones of the only sequence.  */
void random_bytes_fill(UChar* bytes, SizeT size);

#endif
