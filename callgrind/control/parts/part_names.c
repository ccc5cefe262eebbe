/* SPDX-License-Identifier: GPL-2.0-or-later

   See part_names.h.  */

#include "control/parts/part_names.h"

#include "base/path.h"
#include "base/text.h"
#include "options/options.h"
#include "write/file_calls.h"
#include "write/output.h"
#include "write/outside.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#define OUT_FILE "--callgrind-out-file"
#define TREE_FILE "--call-tree-out-file"
#define TIMELINE_FILE "--timeline-out-file"

static TargetPath expand(const HChar* option, const HChar* name)
{
   const TargetPath path = {path_expand(option, name),
                            name != options_out_file &&
                               name != options_call_tree_out_file &&
                               name != options_timeline_out_file};
   return path;
}

Bool part_names_is_shared(TargetPath path)
{
   Bool is_pipe;
   return output_is_stream(path, &is_pipe) && !is_pipe;
}

TargetPath part_names_path(UInt part, UInt thread, Bool is_final)
{
   TargetPath base = expand(OUT_FILE, options.out_file);
   Bool is_base = is_final && thread == 0;
   if (is_base || options.combine_dumps || part_names_is_shared(base))
      return base;
   SizeT size = VG_(strlen)(base.path) + 32;
   const TargetPath path = {VG_(malloc)("part_names.path", size), base.is_named};
   VG_(strcpy)(path.path, base.path);
   if (!is_final)
      VG_(sprintf)(path.path + VG_(strlen)(path.path), ".%u", part);
   if (thread != 0)
      VG_(sprintf)(path.path + VG_(strlen)(path.path), "-%02u", thread);
   VG_(free)(base.path);
   return path;
}

TargetPath part_names_tree(void) { return expand(TREE_FILE, options.call_tree_out_file); }

TargetPath part_names_timeline(UInt number)
{
   TargetPath path = expand(TIMELINE_FILE, options.timeline_out_file);
   if (number == 0 || part_names_is_shared(path))
      return path;
   HChar digits[16];
   VG_(snprintf)(digits, sizeof digits, "%u", number);
   HChar* numbered = text_join("part_names.path", path.path, ".", digits);
   VG_(free)(path.path);
   path.path = numbered;
   return path;
}

TargetPath part_names_fallback(UInt part, UInt thread, FileKind kind, UInt attempt)
{
   static const HChar* const names[] = {"out", "tree", "timeline"};
   const HChar* folders[] = {VG_(tmpdir)(), "/tmp", "/var/tmp", VG_(getenv)("HOME")};
   const HChar* folder = attempt / 2 < 4 ? folders[attempt / 2] : NULL;
   TargetPath path = {NULL, False};
   if (folder == NULL)
      return path;
   SizeT size = VG_(strlen)(folder) + 96;
   path.path = VG_(malloc)("part_names.path", size);
   VG_(snprintf)(path.path, (Int)size, "%s/callgrind.%s.%d.part%u", folder, names[kind],
                 VG_(getpid)(), part);
   if (thread != 0)
      VG_(sprintf)(path.path + VG_(strlen)(path.path), "-%02u", thread);
   if (attempt % 2 == 1)
      VG_(sprintf)(path.path + VG_(strlen)(path.path), ".%016llx", file_random());
   return path;
}

/*--------------------------------------------------------------------*/
/* What names lead to                                                  */

static void for_each_name(void (*what)(TargetPath path))
{
   const TargetPath paths[] = {expand(OUT_FILE, options.out_file),
                               expand(TREE_FILE, options.call_tree_out_file),
                               expand(TIMELINE_FILE, options.timeline_out_file)};
   const Bool are_used[] = {True, options.call_tree, options.timeline};
   for (UInt i = 0; i < 3; i++) {
      if (are_used[i])
         what(paths[i]);
      VG_(free)(paths[i].path);
   }
}

static void keep_if_open(TargetPath path)
{
   if (target_is_open_file(path))
      outside_keep_open_file(path.path);
}

void part_names_keep_open_files(void) { for_each_name(keep_if_open); }

void part_names_open_all(void) { for_each_name(target_keep_open); }

void part_names_keep(void)
{
   for_each_name(target_keep);
   for (UInt attempt = 0;; attempt++) {
      TargetPath path = part_names_fallback(0, 0, FileOfProfile, attempt);
      if (path.path == NULL)
         break;
      target_keep(path);
      VG_(free)(path.path);
   }
}

/*--------------------------------------------------------------------*/
/* Forked children                                                     */

/* True if %p is in `name`; %% is a percent sign.  */
static Bool has_process(const HChar* name)
{
   for (; *name != '\0'; name++)
      if (*name == '%' && *++name == 'p')
         return True;
      else if (*name == '\0')
         break;
   return False;
}

/* Appends %p to *name, the value of `option`, unless it has it or is a stream, which
   takes what all processes write.  */
static Bool add_process(const HChar* option, const HChar** name)
{
   if (has_process(*name))
      return False;
   TargetPath path = expand(option, *name);
   Bool is_pipe;
   Bool is_stream = output_is_stream(path, &is_pipe);
   VG_(free)(path.path);
   if (is_stream)
      return False;
   *name = text_join("part_names.name", *name, ".", "pid%p");
   return True;
}

Bool part_names_add_process(void) { return add_process(OUT_FILE, &options.out_file); }

Bool part_names_add_process_to_tree(void)
{
   return options.call_tree && add_process(TREE_FILE, &options.call_tree_out_file);
}

Bool part_names_add_process_to_timeline(void)
{
   return options.timeline && add_process(TIMELINE_FILE, &options.timeline_out_file);
}
