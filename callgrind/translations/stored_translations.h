/* SPDX-License-Identifier: GPL-2.0-or-later

   Translations from earlier runs: what stands between VEX and the translation cache
   (translation_cache/).

   Code that does not count is taken as it is.  With code that counts, records belong:
   blocks, call sites, references.  They are made by instrumenting the stored skeleton of
   the superblock, exactly as if VEX had just made its IR.  If that adds what was added
   when the code was stored, the code is right, once this run's constants are put in.  */

#ifndef CALLGRIND_STORED_TRANSLATIONS_H
#define CALLGRIND_STORED_TRANSLATIONS_H

#include "translations/kept_translations.h"

/* Can `wanted` be looked up, and stored when VEX has made it?  */
Bool stored_translations_are_for(const Wanted* wanted);

/* As kept_translations_give().  */
Bool stored_translations_give(const Wanted* wanted, VexTranslateResult* result);

/* Has VEX make the translation, which was asked for just before, if at all.  Puts this
   run's constants in, and adds it to the cache.  */
VexTranslateResult stored_translations_make(const Wanted* wanted);

/* With --stats=yes: a line about what was stored and used.  */
void stored_translations_print_stats(void);

#endif
