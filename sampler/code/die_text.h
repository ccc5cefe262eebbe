/* SPDX-License-Identifier: GPL-2.0-or-later

   Texts of debug information, which may be damaged.  */

#ifndef SAMPLER_DIE_TEXT_H
#define SAMPLER_DIE_TEXT_H

#include <elfutils/libdw.h>

/* The text that an attribute has; NULL: none that can be read.  It lives as long as the
   file.  */
const char* die_text(Dwarf_Attribute* attribute);

#endif
