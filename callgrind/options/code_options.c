/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_options.h.  An option that is not listed here is taken to matter: then a run
   with another value of it finds no stored translations, but never wrong ones.  */

#include "options/code_options.h"

#include "base/hash.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_xarray.h"

/* Names, or how they begin.  */
static const HChar* const harmless[] = {
   "--tool=",
   "--callgrind-out-file=",
   "--call-tree-out-file=",
   "--call-tree-max-nodes=",
   "--dump-line=",
   "--dump-instr=",
   "--compress-strings=",
   "--compress-pos=",
   "--combine-dumps=",
   "--dump-before=",
   "--dump-after=",
   "--zero-before=",
   "--toggle-collect=",
   "--collect-atstart=",
   "--instr-atstart=",
   "--translation-cache",
   "--ct-keep-translations=",
   "--ct-inherited-instr=",
   "--ct-parts-before=",
   "--ct-combined-before=",
   "--ct-tree-before=",
   "--ct-timelines-before=",
   "--ct-forked=",
   "--log-",
   "--vgdb",
   "--trace-children",
   "--fair-sched",
   "--child-silent-after-fork=",
   "--stats=",
   "--time-stamp=",
   "-q",
   "-v",
   "--quiet",
   "--verbose",
};

static Bool is_harmless(const HChar* argument)
{
   for (UInt i = 0; i < sizeof harmless / sizeof *harmless; i++)
      if (VG_(strncmp)(argument, harmless[i], VG_(strlen)(harmless[i])) == 0)
         return True;
   return False;
}

ULong code_options_hash(void)
{
   static ULong hash;
   static Bool is_known;
   if (is_known)
      return hash;
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
      const HChar* argument = *(const HChar**)VG_(indexXA)(VG_(args_for_valgrind), i);
      if (!is_harmless(argument))
         hash = hash_checksum(hash, argument, VG_(strlen)(argument));
   }
   is_known = True;
   return hash;
}
