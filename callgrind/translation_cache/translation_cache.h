/* SPDX-License-Identifier: GPL-2.0-or-later

   The translation cache: translations that are stored in files for later runs, one for
   each object where it is mapped (docs/translation-cache.md).  */

#ifndef CALLGRIND_TRANSLATION_CACHE_H
#define CALLGRIND_TRANSLATION_CACHE_H

#include "pub_tool_tooliface.h"
#include "translation_cache/code_file.h"

/* Opens the cache if the options want one.  If it cannot be used, says so in one line,
   and the program runs without.  */
void translation_cache_open(void);

/* Is there one?  */
Bool translation_cache_is_open(void);

/* The file for translations of the code that `arguments` ask for; NULL if that is not
   code of an object that is mapped from a file.  Translations for different `options`, a
   hash, are in different files.  */
CodeFile* translation_cache_file(const VexTranslateArgs* arguments, ULong options);

/* Opens the cache's file `name`, which must stay as it is, for others' use.  It is saved
   with the rest, if at least 1/`least_share` of what it has was added (0: any).  There
   must be a cache.  */
CodeFile* translation_cache_open_file(const HChar* name, const ULong* for_identity,
                                      UInt least_share);

/* Must be called when mappings change: another object may now be at the same address.  */
void translation_cache_forget_ranges(void);

/* Saves what was added in this process.  To be called before it ends or executes a
   program.  If something cannot be saved, says so in one line, at most once.  */
void translation_cache_save(void);

/* Keeps the folder (write/outside.h).  */
void translation_cache_keep(void);

/* In a forked child: what was added so far is the parent's to save.  */
void translation_cache_in_child(void);

#endif
