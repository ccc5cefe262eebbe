/* SPDX-License-Identifier: GPL-2.0-or-later

   When, where and what to write; see dump.h.

   Owns the part number and the totals over parts.

   A program that executes another one has its last part written before, for there is no
   time after that.  Only then does it turn out whether it can: if not, the part is taken
   back, and everything is as it was.  So nothing is set to zero in between.  The parts of
   a process are counted on by the program that it executes (--ct-parts-before): none
   takes another's name.  */

#include "control/dump.h"

#include "base/text.h"
#include "machine/line_waste.h"
#include "guest/jit/jit_functions.h"
#include "model/arc.h"
#include "model/block.h"
#include "model/calltree.h"
#include "model/context.h"
#include "model/jump.h"
#include "options/options.h"
#include "write/profile_total.h"
#include "write/profile_writer.h"
#include "write/tree_writer.h"
#include "stack/thread.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"

static UInt n_parts;      /* written so far */
static ULong first_block; /* superblocks run when this part began */
static ULong total_of_parts[COST_MAX_EVENTS];
static ULong zeroed[COST_MAX_EVENTS]; /* what single threads' parts have set to zero since
                                         all costs were */
static XArray* descriptions;          /* of HChar*: queued for the next part */
static HChar* combined_path;          /* the file that all parts go on in; or NULL */
static HChar* tree_path;              /* the file that all call trees go on in; or NULL */
static XArray* spawned;               /* of Int: processes forked since the last part */
static UInt parts_before; /* written by programs that ran in this process before */

typedef struct {
   HChar* path;
   Long length; /* before; 0 if there was none */
} WrittenFile;

/* What a part that is taken back has changed.  */
static struct {
   Bool is_exec_pending; /* the program that is to be executed may not start */
   ULong total[COST_MAX_EVENTS];
   XArray* files;        /* of WrittenFile: where its sections went */
   HChar* combined_path; /* before */
} last;

/*--------------------------------------------------------------------*/

/* False, and a line in the log, if self costs do not add up to what was counted.  */
static Bool totals_agree(void)
{
   ULong written[COST_MAX_EVENTS], spent[COST_MAX_EVENTS];
   profile_total(0, written);
   cost_add(written, zeroed);
   thread_total_cost(spent);
   for (UInt e = 0; e < cost_n_events(); e++)
      if (written[e] != spent[e] && !line_waste_is_event(e)) {
         VG_(umsg)(
            "Warning: self costs of %s add up to %llu, but %llu were counted: a bug of "
            "callgrind's, please report it\n",
            cost_event_name(e), written[e], spent[e]);
         return False;
      }
   return True;
}

void dump_check(void)
{
   thread_for_each(shadowstack_flush_inclusive);
   Bool is_valid = totals_agree() && block_all_valid() && context_all_valid() &&
                   arc_all_valid() && jump_all_valid() && thread_all_valid();
   /* A profile with a flaw is better than none, but not in a test.  */
   if (options.check)
      tl_assert2(is_valid, "a data structure is inconsistent");
}

/* Of one thread, or of all if `thread` is 0.  */
static void zero(UInt thread)
{
   thread_for_each(shadowstack_flush_inclusive);
   if (thread == 0) {
      cost_zero(zeroed);
      thread_zero_total();
   } else {
      ULong total[COST_MAX_EVENTS];
      profile_total(thread, total);
      cost_add(zeroed, total);
   }
   context_zero(thread);
   arc_zero(thread);
   jump_zero(thread);
   if (options.call_tree)
      calltree_zero(thread);
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

/* The file name for a part, newly allocated: base, base.PART, base-THREAD or
   base.PART-THREAD.  The name is expanded each time: in a forked child %p is another
   number.  */
static HChar* path_of_part(UInt part, UInt thread, Bool is_final)
{
   HChar* base = VG_(expand_file_name)("--callgrind-out-file", options.out_file);
   if (options.combine_dumps || takes_all_parts(base))
      return base;
   SizeT size = VG_(strlen)(base) + 32;
   HChar* path = VG_(malloc)("dump.path", size);
   VG_(strcpy)(path, base);
   if (!is_final)
      VG_(sprintf)(path + VG_(strlen)(path), ".%u", part);
   if (thread != 0)
      VG_(sprintf)(path + VG_(strlen)(path), "-%02u", thread);
   VG_(free)(base);
   return path;
}

/* Where a part goes whose own file cannot be written.  */
static HChar* fallback_path(UInt part, UInt thread)
{
   const HChar* folder = VG_(tmpdir)();
   SizeT size = VG_(strlen)(folder) + 64;
   HChar* path = VG_(malloc)("dump.path", size);
   VG_(snprintf)(path, (Int)size, "%s/callgrind.out.%d.part%u", folder, VG_(getpid)(),
                 part);
   if (thread != 0)
      VG_(sprintf)(path + VG_(strlen)(path), "-%02u", thread);
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
   const WrittenFile file = {VG_(strdup)("dump.path", path),
                             had_content ? status.size : 0};
   VG_(addToXA)(last.files, &file);
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

static void forget_files(void)
{
   for (Word i = 0; i < VG_(sizeXA)(last.files); i++)
      VG_(free)(((WrittenFile*)VG_(indexXA)(last.files, i))->path);
   VG_(dropTailXA)(last.files, VG_(sizeXA)(last.files));
}

/* The call tree of the same section, behind those of earlier parts.  */
static void write_tree(const HChar* trigger, UInt thread)
{
   if (!options.call_tree)
      return;
   calltree_split_inlined();
   HChar* path =
      VG_(expand_file_name)("--call-tree-out-file", options.call_tree_out_file);
   Bool append = tree_path != NULL && VG_(strcmp)(tree_path, path) == 0;
   struct vg_stat status;
   Bool had_content = append && !sr_isError(VG_(stat)(path, &status));
   const HChar* reason = "";
   Output* output = output_open(path, append, &reason);
   const TreeHeader header = {n_parts, thread, trigger, descriptions};
   if (output != NULL)
      tree_writer_write(output, &header);
   if (output == NULL || !output_close(output, &reason)) {
      VG_(umsg)("cannot write the call tree to '%s': %s\n", path, reason);
      VG_(free)(path);
      return;
   }
   const WrittenFile file = {VG_(strdup)("dump.path", path),
                             had_content ? status.size : 0};
   VG_(addToXA)(last.files, &file);
   VG_(free)(tree_path);
   tree_path = path;
}

/* One thread's section of a part, or the whole part if `thread` is 0.  */
static void write_section(const HChar* trigger, UInt thread, Bool is_final)
{
   ULong total[COST_MAX_EVENTS];
   jit_functions_take_late_names();
   profile_total(thread, total);
   cost_add(total_of_parts, total);

   PartHeader header = {
      n_parts, thread,       True,        n_parts == parts_before + 1, trigger,
      spawned, descriptions, first_block, thread_blocks_run()};
   HChar* path = path_of_part(n_parts, thread, is_final);
   const HChar* reason = "";
   if (!write_to(path, &header, total, &reason)) {
      HChar* fallback = fallback_path(n_parts, thread);
      VG_(umsg)("cannot write the profile to '%s': %s\n", path, reason);
      if (write_to(fallback, &header, total, &reason))
         VG_(umsg)("the profile is in '%s' instead\n", fallback);
      else
         VG_(umsg)("nor to '%s': %s; this part of the profile is lost\n", fallback,
                   reason);
      VG_(free)(fallback);
   } else if (VG_(clo_verbosity) > 1)
      VG_(message)(Vg_DebugMsg, "wrote part %u to %s\n", n_parts, path);
   VG_(free)(path);
   write_tree(trigger, thread);
}

static Bool has_cost(UInt thread)
{
   ULong total[COST_MAX_EVENTS];
   profile_total(thread, total);
   return !cost_is_zero(total);
}

/* With --separate-threads, each thread that has spent anything, and the running one.  */
static void write_part(const HChar* trigger, Bool is_final)
{
   n_parts++;
   forget_files();
   if (!options.separate_threads)
      write_section(trigger, 0, is_final);
   else
      for (UInt thread = 1; thread < VG_N_THREADS; thread++)
         if (thread == thread_running() || (thread_has_run(thread) && has_cost(thread)))
            write_section(trigger, thread, is_final);
}

/*--------------------------------------------------------------------*/

void dump_init(void)
{
   descriptions = VG_(newXA)(VG_(malloc), "dump.descriptions", VG_(free), sizeof(HChar*));
   spawned = VG_(newXA)(VG_(malloc), "dump.spawned", VG_(free), sizeof(Int));
   last.files = VG_(newXA)(VG_(malloc), "dump.files", VG_(free), sizeof(WrittenFile));
   n_parts = parts_before = options.parts_before;
   if (options.combined_before != NULL)
      combined_path = VG_(strdup)("dump.path", options.combined_before);
   if (options.tree_before != NULL)
      tree_path = VG_(strdup)("dump.path", options.tree_before);
}

void dump_describe(const HChar* text)
{
   HChar* copy = VG_(strdup)("dump.description", text);
   VG_(addToXA)(descriptions, &copy);
}

void dump_spawned(Int process) { VG_(addToXA)(spawned, &process); }

void dump_part(const HChar* trigger)
{
   if (!options.separate_threads) {
      dump_all_threads(trigger);
      return;
   }
   dump_check();
   n_parts++;
   forget_files();
   write_section(trigger, thread_running(), False);
   forget_queued();
   zero(thread_running());
}

void dump_all_threads(const HChar* trigger)
{
   dump_check();
   write_part(trigger, False);
   forget_queued();
   zero(0);
}

void dump_final(ULong* total)
{
   dump_check();
   write_part("Program termination", True);
   forget_queued();
   cost_copy(total, total_of_parts);
}

void dump_before_exec(const HChar* trigger)
{
   ULong total[COST_MAX_EVENTS];
   dump_check();
   profile_total(0, total);
   if (cost_is_zero(total) && VG_(sizeXA)(descriptions) == 0 && VG_(sizeXA)(spawned) == 0)
      return;
   VG_(free)(last.combined_path);
   last.combined_path =
      combined_path != NULL ? VG_(strdup)("dump.path", combined_path) : NULL;
   write_part(trigger, False);
   cost_copy(last.total, total);
   last.is_exec_pending = True;
}

/* True if a section went to what nothing can be taken back from.  */
static Bool went_to_a_stream(void)
{
   Bool is_pipe;
   for (Word i = 0; i < VG_(sizeXA)(last.files); i++)
      if (output_is_stream(((WrittenFile*)VG_(indexXA)(last.files, i))->path, &is_pipe))
         return True;
   return False;
}

void dump_exec_failed(void)
{
   if (!last.is_exec_pending)
      return;
   last.is_exec_pending = False;
   if (went_to_a_stream()) {
      forget_queued();
      zero(0);
      return;
   }
   /* The last first: several sections may be in one file.  */
   for (Word i = VG_(sizeXA)(last.files) - 1; i >= 0; i--) {
      const WrittenFile* file = VG_(indexXA)(last.files, i);
      output_rollback(file->path, file->length);
   }
   n_parts--;
   for (UInt e = 0; e < cost_n_events(); e++)
      total_of_parts[e] -= last.total[e];
   VG_(free)(combined_path);
   combined_path = last.combined_path;
   last.combined_path = NULL;
}

UInt dump_count(void) { return n_parts; }

const HChar* dump_combined_path(void) { return combined_path; }

const HChar* dump_tree_path(void) { return tree_path; }

void dump_zero(void) { zero(0); }

static Bool names_process(const HChar* name)
{
   for (; *name != '\0'; name++)
      if (*name == '%' && *++name == 'p')
         return True;
      else if (*name == '\0')
         break;
   return False;
}

/* Lets a name hold the process's number.  False if it does, or need not: a stream takes
   what all processes write.  */
static Bool take_own_name(const HChar* option, const HChar** name)
{
   if (names_process(*name))
      return False;
   HChar* path = VG_(expand_file_name)(option, *name);
   Bool is_pipe;
   Bool is_stream = output_is_stream(path, &is_pipe);
   VG_(free)(path);
   if (is_stream)
      return False;
   *name = text_join("dump.name", *name, ".", "pid%p");
   return True;
}

Bool dump_take_own_name(void)
{
   return take_own_name("--callgrind-out-file", &options.out_file);
}

Bool dump_take_own_tree_name(void)
{
   return options.call_tree &&
          take_own_name("--call-tree-out-file", &options.call_tree_out_file);
}

void dump_restart(void)
{
   n_parts = parts_before = 0;
   cost_zero(total_of_parts);
   forget_queued();
   zero(0);
   VG_(free)(combined_path);
   VG_(free)(tree_path);
   combined_path = tree_path = NULL;
}
