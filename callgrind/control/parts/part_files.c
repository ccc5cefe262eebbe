/* SPDX-License-Identifier: GPL-2.0-or-later

   See part_files.h.  */

#include "control/parts/part_files.h"

#include "base/system_filter.h"
#include "base/text.h"
#include "control/parts/part_names.h"
#include "options/options.h"
#include "write/output.h"
#include "write/profile_writer.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

/* A file that a section has been written to.  */
typedef struct {
   TargetPath path;
   OutputBefore before;
} WrittenFile;

static HChar* combined_path;
static HChar* tree_path;

/* What is needed to roll back the last part.  */
static Bool keeps_replaced;         /* it may be rolled back */
static XArray* written_files;       /* of WrittenFile, in the order of writing */
static HChar* combined_path_before; /* combined_path when the part began */
static HChar* tree_path_before;

/*--------------------------------------------------------------------*/

/* Replaces *path by a copy of `value`, which may be NULL.  */
static void set_path(HChar** path, const HChar* value)
{
   HChar* copy = value != NULL ? VG_(strdup)("part_files.path", value) : NULL;
   VG_(free)(*path);
   *path = copy;
}

static Bool is_same_path(const HChar* a, const HChar* b)
{
   return a != NULL && VG_(strcmp)(a, b) == 0;
}

static WrittenFile* written_file(Word i) { return VG_(indexXA)(written_files, i); }

static void note_written(TargetPath path, OutputBefore before)
{
   WrittenFile file = {path, before};
   file.path.path = VG_(strdup)("part_files.path", path.path);
   VG_(addToXA)(written_files, &file);
}

static void forget_written(void)
{
   for (Word i = 0; i < VG_(sizeXA)(written_files); i++) {
      output_settle(&written_file(i)->before);
      VG_(free)(written_file(i)->path.path);
   }
   VG_(dropTailXA)(written_files, VG_(sizeXA)(written_files));
}

void part_files_init(void)
{
   written_files =
      VG_(newXA)(VG_(malloc), "part_files.written", VG_(free), sizeof(WrittenFile));
   set_path(&combined_path, options.combined_before);
   set_path(&tree_path, options.tree_before);
}

void part_files_begin_part(Bool may_be_rolled_back)
{
   forget_written();
   keeps_replaced = may_be_rolled_back;
   set_path(&combined_path_before, combined_path);
   set_path(&tree_path_before, tree_path);
}

/*--------------------------------------------------------------------*/
/* Writing                                                             */

/* What is written, to whatever file.  */
typedef struct {
   PartHeader* header; /* of the profile's section; NULL: the call tree's */
   const ULong* total; /* with `header` */
   const TreeHeader* tree;
} Section;

static Bool is_tree(const Section* section) { return section->header == NULL; }

/* Where the path is kept that a further section of this kind is appended to.  */
static HChar** appended_path(const Section* section)
{
   return is_tree(section) ? &tree_path : &combined_path;
}

/* Writes the section to `path`; behind what is there if `joins`, and if that is ours.
   True if that worked, otherwise *reason is set.  */
static Bool write_to(TargetPath path, Bool joins, const Section* section,
                     const HChar** reason)
{
   HChar** appended = appended_path(section);
   Bool append = joins && is_same_path(*appended, path.path);
   OutputBefore before;
   Output* output = output_open(path, append, reason);
   if (output == NULL)
      return False;
   if (is_tree(section))
      tree_writer_write(output, section->tree);
   else {
      section->header->opens_file = !append;
      profile_writer_write(output, section->header, section->total);
   }
   if (!output_close(output, keeps_replaced, &before, reason))
      return False;
   note_written(path, before);
   if (joins)
      set_path(appended, path.path);
   return True;
}

/* Writes the section to the first place that takes it, and says which that is.  */
static void write_elsewhere(UInt part, UInt thread, const Section* section)
{
   const HChar* reason = "";
   HChar *first = NULL, *first_reason = NULL;
   Bool is_written = False;
   for (UInt attempt = 0; !is_written; attempt++) {
      TargetPath path = part_names_fallback(
         part, thread, is_tree(section) ? FileOfTree : FileOfProfile, attempt);
      if (path.path == NULL)
         break;
      is_written = write_to(path, False, section, &reason);
      if (is_written)
         text_say(is_tree(section) ? "the call tree is in '%s' %s\n"
                                   : "the profile is in '%s' %s\n",
                  path.path, "instead");
      else if (first == NULL) {
         first = VG_(strdup)("part_files.path", path.path);
         first_reason = VG_(strdup)("part_files.reason", reason);
      }
      VG_(free)(path.path);
   }
   if (!is_written)
      text_say(is_tree(section) ? "nor to '%s': %s; this part of the call tree is lost\n"
                                : "nor to '%s': %s; this part of the profile is lost\n",
               first, first_reason);
   VG_(free)(first);
   VG_(free)(first_reason);
}

void part_files_write(PartHeader* header, const ULong* total, Bool is_final)
{
   const Section section = {header, total, NULL};
   TargetPath path = part_names_path(header->part, header->thread, is_final);
   const HChar* reason = "";
   Bool joins = options.combine_dumps || part_names_is_shared(path);
   if (!write_to(path, joins, &section, &reason)) {
      text_say("cannot write the profile to '%s': %s\n", path.path, reason);
      write_elsewhere(header->part, header->thread, &section);
   } else if (VG_(clo_verbosity) > 1) {
      HChar* printable = text_printable("part_files.path", path.path);
      VG_(message)(Vg_DebugMsg, "wrote part %u to %s\n", header->part, printable);
      VG_(free)(printable);
   }
   VG_(free)(path.path);
}

void part_files_write_tree(const TreeHeader* header)
{
   const Section section = {NULL, NULL, header};
   TargetPath path = part_names_tree();
   const HChar* reason = "";
   if (!write_to(path, True, &section, &reason)) {
      text_say("cannot write the call tree to '%s': %s\n", path.path, reason);
      write_elsewhere(header->part, header->thread, &section);
   }
   VG_(free)(path.path);
}

/*--------------------------------------------------------------------*/
/* Rolling back                                                        */

static Bool has_written_to_stream(void)
{
   Bool is_pipe;
   for (Word i = 0; i < VG_(sizeXA)(written_files); i++)
      if (output_is_stream(written_file(i)->path, &is_pipe))
         return True;
   return False;
}

/* Rolls back a section.  Where others are rolled back already (not `is_first`), it goes
   even if the file that it has replaced cannot be written again.  */
static Bool roll_back(WrittenFile* file, Bool is_first)
{
   if (output_rollback(file->path, &file->before))
      return True;
   if (is_first || file->before.replaced < 0)
      return False;
   text_say("the file that was '%s' before cannot be written again%s\n", file->path.path,
            "");
   output_settle(&file->before);
   return output_rollback(file->path, &file->before);
}

Bool part_files_rollback(void)
{
   Word last = VG_(sizeXA)(written_files) - 1;
   if (has_written_to_stream() || system_filter_is_on())
      return False;
   /* The last first: several sections may be in one file.  If others than that resist,
      they hold a section that will be in another file as well: better than in none.  */
   for (Word i = last; i >= 0; i--)
      if (!roll_back(written_file(i), i == last) && i == last)
         return False;
   set_path(&combined_path, combined_path_before);
   set_path(&tree_path, tree_path_before);
   forget_written();
   return True;
}

const HChar* part_files_combined_path(void) { return combined_path; }

const HChar* part_files_tree_path(void) { return tree_path; }

void part_files_restart(void)
{
   set_path(&combined_path, NULL);
   set_path(&tree_path, NULL);
}
