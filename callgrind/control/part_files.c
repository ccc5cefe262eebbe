/* SPDX-License-Identifier: GPL-2.0-or-later

   See part_files.h.  */

#include "control/part_files.h"

#include "control/part_names.h"
#include "options/options.h"
#include "write/output.h"
#include "write/profile_writer.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

/* A file that a section has been written to, and its length before.  */
typedef struct {
   HChar* path;
   Long length; /* in bytes; 0 if there was no file */
} WrittenFile;

static HChar* combined_path;
static HChar* tree_path;

/* What is needed to roll back the last part.  */
static XArray* written_files;       /* of WrittenFile, in the order of writing */
static HChar* combined_path_before; /* combined_path when the part began */

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

static const WrittenFile* written_file(Word i) { return VG_(indexXA)(written_files, i); }

/* The length of the file `path`, in bytes; 0 if there is none.  */
static Long length_of(const HChar* path)
{
   struct vg_stat status;
   return sr_isError(VG_(stat)(path, &status)) ? 0 : status.size;
}

static void note_written(const HChar* path, Long length_before)
{
   const WrittenFile file = {VG_(strdup)("part_files.path", path), length_before};
   VG_(addToXA)(written_files, &file);
}

static void forget_written(void)
{
   for (Word i = 0; i < VG_(sizeXA)(written_files); i++)
      VG_(free)(written_file(i)->path);
   VG_(dropTailXA)(written_files, VG_(sizeXA)(written_files));
}

void part_files_init(void)
{
   written_files =
      VG_(newXA)(VG_(malloc), "part_files.written", VG_(free), sizeof(WrittenFile));
   set_path(&combined_path, options.combined_before);
   set_path(&tree_path, options.tree_before);
}

void part_files_begin_part(void)
{
   forget_written();
   set_path(&combined_path_before, combined_path);
}

/*--------------------------------------------------------------------*/
/* Writing                                                             */

/* Writes the section to `path`.  True if that worked, otherwise *reason is set.  */
static Bool write_to(const HChar* path, PartHeader* header, const ULong* total,
                     const HChar** reason)
{
   Bool is_combined = options.combine_dumps || part_names_is_shared(path);
   Bool append = is_combined && is_same_path(combined_path, path);
   Long length = append ? length_of(path) : 0;
   header->opens_file = !append;
   Output* output = output_open(path, append, reason);
   if (output == NULL)
      return False;
   profile_writer_write(output, header, total);
   if (!output_close(output, reason))
      return False;
   note_written(path, length);
   if (is_combined)
      set_path(&combined_path, path);
   return True;
}

void part_files_write(PartHeader* header, const ULong* total, Bool is_final)
{
   HChar* path = part_names_path(header->part, header->thread, is_final);
   const HChar* reason = "";
   if (!write_to(path, header, total, &reason)) {
      HChar* fallback = part_names_fallback(header->part, header->thread);
      VG_(umsg)("cannot write the profile to '%s': %s\n", path, reason);
      if (write_to(fallback, header, total, &reason))
         VG_(umsg)("the profile is in '%s' instead\n", fallback);
      else
         VG_(umsg)("nor to '%s': %s; this part of the profile is lost\n", fallback,
                   reason);
      VG_(free)(fallback);
   } else if (VG_(clo_verbosity) > 1)
      VG_(message)(Vg_DebugMsg, "wrote part %u to %s\n", header->part, path);
   VG_(free)(path);
}

void part_files_write_tree(const TreeHeader* header)
{
   HChar* path = part_names_tree();
   Bool append = is_same_path(tree_path, path);
   Long length = append ? length_of(path) : 0;
   const HChar* reason = "";
   Output* output = output_open(path, append, &reason);
   if (output != NULL)
      tree_writer_write(output, header);
   if (output == NULL || !output_close(output, &reason))
      VG_(umsg)("cannot write the call tree to '%s': %s\n", path, reason);
   else {
      note_written(path, length);
      set_path(&tree_path, path);
   }
   VG_(free)(path);
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

Bool part_files_rollback(void)
{
   if (has_written_to_stream())
      return False;
   /* The last first: several sections may be in one file.  */
   for (Word i = VG_(sizeXA)(written_files) - 1; i >= 0; i--)
      output_rollback(written_file(i)->path, written_file(i)->length);
   set_path(&combined_path, combined_path_before);
   return True;
}

const HChar* part_files_combined_path(void) { return combined_path; }

const HChar* part_files_tree_path(void) { return tree_path; }

void part_files_restart(void)
{
   set_path(&combined_path, NULL);
   set_path(&tree_path, NULL);
}
