/* SPDX-License-Identifier: GPL-2.0-or-later

   When, where and what to write; see dump.h.

   Owns the part number and the totals over parts.

   A program that executes another one has its last part written before, for there is no
   time after that.  Only then does it turn out whether it can: if not, the part is taken
   back, and everything is as it was.  So nothing is set to zero in between.  The parts of
   a process are counted on by the program that it executes (--ct-parts-before): none
   takes another's name.  */

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
static HChar* combined_path; /* the file that all parts go on in; or NULL */
static XArray* spawned;      /* of Int: processes forked since the last part */
static UInt parts_before;    /* written by programs that ran in this process before */

/* What a part that is taken back has changed.  */
static struct {
   Bool is_on_trial; /* the program that is to be executed may not start */
   ULong total[COST_MAX_EVENTS];
   HChar* path;          /* where it went; NULL: nowhere */
   Long length;          /* of that file before; 0 if there was none */
   HChar* combined_path; /* before */
} last;

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

/* Does `path` lead to what all parts are written to, as to a device?  */
static Bool takes_all_parts(const HChar* path)
{
   Bool is_pipe;
   return output_is_stream(path, &is_pipe) && !is_pipe;
}

/* The file name for a part, newly allocated.  The name is expanded each time: in
   a forked child %p is another number.  */
static HChar* path_of_part(UInt part, Bool is_final)
{
   HChar* base = VG_(expand_file_name)("--callgrind-out-file", options.out_file);
   if (is_final || options.combine_dumps || takes_all_parts(base))
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
   Bool is_combined = options.combine_dumps || takes_all_parts(path);
   Bool append =
      is_combined && combined_path != NULL && VG_(strcmp)(combined_path, path) == 0;
   struct vg_stat status;
   Bool had_content = append && !sr_isError(VG_(stat)(path, &status));
   header->opens_file = !append;
   Output* output = output_open(path, append, reason);
   if (output == NULL)
      return False;
   profile_writer_write(output, header, total);
   if (!output_close(output, reason))
      return False;
   VG_(free)(last.path);
   last.path = VG_(strdup)("dump.path", path);
   last.length = had_content ? status.size : 0;
   if (is_combined && !append) {
      VG_(free)(combined_path);
      combined_path = VG_(strdup)("dump.path", path);
   }
   return True;
}

static void forget_queued(void)
{
   for (Word i = 0; i < VG_(sizeXA)(descriptions); i++)
      VG_(free)(*(HChar**)VG_(indexXA)(descriptions, i));
   VG_(dropTailXA)(descriptions, VG_(sizeXA)(descriptions));
   VG_(dropTailXA)(spawned, VG_(sizeXA)(spawned));
}

static void write_part(const HChar* trigger, const ULong* total, Bool is_final)
{
   cost_add(total_of_parts, total);
   n_parts++;

   PartHeader header = {
      n_parts,      True,        n_parts == parts_before + 1, trigger, spawned,
      descriptions, first_block, thread_blocks_run()};
   HChar* path = path_of_part(n_parts, is_final);
   const HChar* reason = "";
   VG_(free)(last.path);
   last.path = NULL;
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
}

static void sum_up(ULong* total)
{
   dump_check();
   profile_writer_total(total);
}

/*--------------------------------------------------------------------*/

void dump_init(void)
{
   descriptions = VG_(newXA)(VG_(malloc), "dump.descriptions", VG_(free), sizeof(HChar*));
   spawned = VG_(newXA)(VG_(malloc), "dump.spawned", VG_(free), sizeof(Int));
   n_parts = parts_before = options.parts_before;
   if (options.combined_before != NULL)
      combined_path = VG_(strdup)("dump.path", options.combined_before);
}

void dump_describe(const HChar* text)
{
   HChar* copy = VG_(strdup)("dump.description", text);
   VG_(addToXA)(descriptions, &copy);
}

void dump_spawned(Int process) { VG_(addToXA)(spawned, &process); }

void dump_part(const HChar* trigger)
{
   ULong total[COST_MAX_EVENTS];
   sum_up(total);
   write_part(trigger, total, False);
   forget_queued();
   zero_all();
}

void dump_final(ULong* total)
{
   ULong total_of_part[COST_MAX_EVENTS];
   sum_up(total_of_part);
   write_part("Program termination", total_of_part, True);
   forget_queued();
   cost_copy(total, total_of_parts);
}

void dump_before_exec(const HChar* trigger)
{
   ULong total[COST_MAX_EVENTS];
   sum_up(total);
   if (cost_is_zero(total) && VG_(sizeXA)(descriptions) == 0 && VG_(sizeXA)(spawned) == 0)
      return;
   VG_(free)(last.combined_path);
   last.combined_path =
      combined_path != NULL ? VG_(strdup)("dump.path", combined_path) : NULL;
   write_part(trigger, total, False);
   cost_copy(last.total, total);
   last.is_on_trial = True;
}

void dump_exec_failed(void)
{
   if (!last.is_on_trial)
      return;
   last.is_on_trial = False;
   Bool is_pipe;
   if (last.path != NULL && output_is_stream(last.path, &is_pipe)) {
      forget_queued();
      zero_all();
      return;
   }
   if (last.path != NULL)
      output_take_back(last.path, last.length);
   n_parts--;
   for (UInt e = 0; e < cost_n_events(); e++)
      total_of_parts[e] -= last.total[e];
   VG_(free)(combined_path);
   combined_path = last.combined_path;
   last.combined_path = NULL;
}

UInt dump_count(void) { return n_parts; }

const HChar* dump_combined_path(void) { return combined_path; }

void dump_zero(void) { zero_all(); }

static Bool names_process(const HChar* name)
{
   for (; *name != '\0'; name++)
      if (*name == '%' && *++name == 'p')
         return True;
      else if (*name == '\0')
         break;
   return False;
}

Bool dump_take_own_name(void)
{
   if (names_process(options.out_file))
      return False;
   HChar* path = path_of_part(0, True);
   Bool is_pipe;
   Bool is_stream = output_is_stream(path, &is_pipe);
   VG_(free)(path);
   if (is_stream)
      return False;
   static const HChar addition[] = ".pid%p";
   HChar* name =
      VG_(malloc)("dump.name", VG_(strlen)(options.out_file) + sizeof addition);
   VG_(strcpy)(name, options.out_file);
   VG_(strcat)(name, addition);
   options.out_file = name;
   return True;
}

void dump_restart(void)
{
   n_parts = parts_before = 0;
   cost_zero(total_of_parts);
   forget_queued();
   zero_all();
   VG_(free)(combined_path);
   combined_path = NULL;
}
