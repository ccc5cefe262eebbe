/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns what is known of other processes of the run; see unmatched.h.  */

#include "options/unmatched.h"

#include "base/text.h"
#include "options/exec_options.h"
#include "options/option_table.h"
#include "options/options.h"
#include "options/patterns.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

/* A program may have asked for a thousand skips by requests: nobody reads a thousand
   lines.  */
#define MOST_TOLD 10

static Bool has_children;
static UInt n_unmatched;

void unmatched_in_parent(void) { has_children = True; }

void unmatched_in_child(void)
{
   static ExecOption forked = {"--ct-forked", 0};
   options.is_forked = True;
   exec_options_set(&forked, "yes");
}

void unmatched_tell(const HChar* option, const HChar* pattern)
{
   if (options.is_forked || n_unmatched++ >= MOST_TOLD)
      return;
   HChar* printable = text_printable("unmatched.pattern", pattern);
   VG_(umsg)("Warning: %s '%s' has matched nothing that ran%s\n", option, printable,
             has_children ? " in this process" : "");
   VG_(free)(printable);
}

static void tell_of(const OptionRow* row)
{
   const XArray* patterns = *(XArray**)row->target;
   for (Word i = 0; i < patterns_count(patterns); i++) {
      const NamePattern* entry = patterns_at(patterns, i);
      HChar option[64];
      if (entry->has_matched)
         continue;
      if (row->kind == OptionNumbered)
         VG_(snprintf)(option, sizeof option, "%s%u", row->name, entry->number);
      else
         VG_(snprintf)(option, sizeof option, "%s", row->name);
      unmatched_tell(option, entry->pattern);
   }
}

void unmatched_tell_of_functions(void)
{
   for (UInt i = 0; i < option_table.n_rows; i++) {
      const OptionRow* row = &option_table.rows[i];
      Bool is_list = row->kind == OptionList || row->kind == OptionNumbered ||
                     row->kind == OptionAllocator;
      if (!is_list || row->target == &options.obj_skip)
         continue;
      if (VG_(clo_verbosity) > 0 || row->target == &options.fn_skip)
         tell_of(row);
   }
   if (n_unmatched > MOST_TOLD)
      VG_(umsg)("Warning: %u more patterns have matched nothing that ran\n",
                n_unmatched - MOST_TOLD);
}
