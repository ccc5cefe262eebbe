/* SPDX-License-Identifier: GPL-2.0-or-later

   Between the core and VEX.  The core asks VEX for each translation; it is answered here
   (core/translation.h), so that a translation that was kept (kept_translations.h), or is
   stored (stored_translations.h), can be given instead.  */

#ifndef CALLGRIND_TRANSLATE_H
#define CALLGRIND_TRANSLATE_H

/* To be called once, after options_finish(), before there are translations.  */
void translate_init(void);

#endif
