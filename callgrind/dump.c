/* SPDX-License-Identifier: GPL-2.0-or-later

   When, where and what to write; see dump.h.

   Owns the part number and the totals over parts.  */

#include "dump.h"

#include "model/arc.h"
#include "model/block.h"
#include "model/context.h"
#include "model/jump.h"
#include "options.h"
#include "write/profile_writer.h"
#include "stack/thread.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

static UInt n_parts;      /* written so far */
static ULong first_block; /* superblocks run when this part began */
static ULong total_of_parts[COST_MAX_EVENTS];
static XArray* descriptions; /* of HChar*: queued for the next part */
static HChar* combined_path; /* the file that --combine-dumps goes on in */

/*--------------------------------------------------------------------*/

/* False, and a line in the log, if self costs do not add up to what was counted.  */
static Bool totals_agree(void)
{
   ULong written[COST_MAX_EVENTS], spent[COST_MAX_EVENTS];
   profile_writer_total(written);
   thread_total_cost(spent);
   for (UInt e = 0; e < cost_n_events(); e++)
      if (written[e] != spent[e]) {
         VG_(umsg)
         ("Warning: self costs of %s add up to %llu, but %llu were counted: a bug of "
          "callgrind's, please report it\n",
          cost_event_name(e), written[e], spent[e]);
         return False;
      }
   return True;
}

void dump_check(void)
{
   thread_for_each(shadowstack_settle);
   Bool is_valid = totals_agree() && block_all_valid() && context_all_valid() &&
                   arc_all_valid() && jump_all_valid() && thread_all_valid();
   /* A profile with a flaw is better than none, but not in a test.  */
   if (options.check)
      tl_assert2(is_valid, "a data structure is inconsistent");
}

static void zero_all(void)
{
   thread_for_each(shadowstack_settle);
   context_zero_all();
   arc_zero_all();
   jump_zero_all();
   thread_zero_total();
   first_block = thread_blocks_run();
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

/* The file name for a part, newly allocated.  The name is expanded each time: in
   a forked child %p is another number.  */
static HChar* path_of_part(UInt part, Bool is_final)
{
   HChar* base = VG_(expand_file_name)("--callgrind-out-file", options.out_file);
   if (is_final || options.combine_dumps)
      return base;
   SizeT size = VG_(strlen)(base) + 16;
   HChar* path = VG_(malloc)("dump.path", size);
   VG_(snprintf)(path, (Int)size, "%s.%u", base, part);
   VG_(free)(base);
   return path;
}

/* Where a part goes whose own file cannot be written.  */
static HChar* fallback_path(UInt part)
{
   const HChar* folder = VG_(tmpdir)();
   SizeT size = VG_(strlen)(folder) + 64;
   HChar* path = VG_(malloc)("dump.path", size);
   VG_(snprintf)
   (path, (Int)size, "%s/callgrind.out.%d.part%u", folder, VG_(getpid)(), part);
   return path;
}

/* Writes the part to `path`.  True if that worked, otherwise *reason is set.  */
static Bool write_to(const HChar* path, PartHeader* header, const ULong* total,
                     const HChar** reason)
{
   Bool append = options.combine_dumps && combined_path != NULL &&
                 VG_(strcmp)(combined_path, path) == 0;
   header->opens_file = !append;
   Output* output = output_open(path, append, reason);
   if (output == NULL)
      return False;
   profile_writer_write(output, header, total);
   if (!output_close(output, reason))
      return False;
   if (options.combine_dumps && !append) {
      VG_(free)(combined_path);
      combined_path = VG_(strdup)("dump.path", path);
   }
   return True;
}

static XArray* queued(void)
{
   if (descriptions == NULL)
      descriptions =
         VG_(newXA)(VG_(malloc), "dump.descriptions", VG_(free), sizeof(HChar*));
   return descriptions;
}

static void forget_descriptions(void)
{
   for (Word i = 0; i < VG_(sizeXA)(queued()); i++)
      VG_(free)(*(HChar**)VG_(indexXA)(queued(), i));
   VG_(dropTailXA)(queued(), VG_(sizeXA)(queued()));
}

static void write_part(const HChar* trigger, Bool is_final)
{
   ULong total[COST_MAX_EVENTS];
   dump_check();
   profile_writer_total(total);
   cost_add(total_of_parts, total);
   n_parts++;

   PartHeader header = {n_parts,  True,        trigger,
                        queued(), first_block, thread_blocks_run()};
   HChar* path = path_of_part(n_parts, is_final);
   const HChar* reason = "";
   if (!write_to(path, &header, total, &reason)) {
      HChar* fallback = fallback_path(n_parts);
      VG_(umsg)("cannot write the profile to '%s': %s\n", path, reason);
      if (write_to(fallback, &header, total, &reason))
         VG_(umsg)("the profile is in '%s' instead\n", fallback);
      else
         VG_(umsg)
      ("nor to '%s': %s; this part of the profile is lost\n", fallback, reason);
      VG_(free)(fallback);
   } else if (VG_(clo_verbosity) > 1)
      VG_(message)(Vg_DebugMsg, "wrote part %u to %s\n", n_parts, path);
   VG_(free)(path);
   forget_descriptions();
}

/*--------------------------------------------------------------------*/

void dump_describe(const HChar* text)
{
   HChar* copy = VG_(strdup)("dump.description", text);
   VG_(addToXA)(queued(), &copy);
}

void dump_part(const HChar* trigger)
{
   write_part(trigger, False);
   zero_all();
}

void dump_final(ULong* total)
{
   write_part("Program termination", True);
   cost_copy(total, total_of_parts);
}

UInt dump_count(void) { return n_parts; }

void dump_zero(void) { zero_all(); }

void dump_restart(void)
{
   n_parts = 0;
   cost_zero(total_of_parts);
   forget_descriptions();
   zero_all();
   VG_(free)(combined_path);
   combined_path = NULL;
}
