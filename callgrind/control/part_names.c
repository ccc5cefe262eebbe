/* SPDX-License-Identifier: GPL-2.0-or-later

   See part_names.h.  */

#include "control/part_names.h"

#include "base/text.h"
#include "options/options.h"
#include "write/output.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

Bool part_names_is_shared(const HChar* path)
{
   Bool is_pipe;
   return output_is_stream(path, &is_pipe) && !is_pipe;
}

HChar* part_names_path(UInt part, UInt thread, Bool is_final)
{
   HChar* base = VG_(expand_file_name)("--callgrind-out-file", options.out_file);
   if (options.combine_dumps || part_names_is_shared(base))
      return base;
   SizeT size = VG_(strlen)(base) + 32;
   HChar* path = VG_(malloc)("part_names.path", size);
   VG_(strcpy)(path, base);
   if (!is_final)
      VG_(sprintf)(path + VG_(strlen)(path), ".%u", part);
   if (thread != 0)
      VG_(sprintf)(path + VG_(strlen)(path), "-%02u", thread);
   VG_(free)(base);
   return path;
}

HChar* part_names_fallback(UInt part, UInt thread)
{
   const HChar* folder = VG_(tmpdir)();
   SizeT size = VG_(strlen)(folder) + 64;
   HChar* path = VG_(malloc)("part_names.path", size);
   VG_(snprintf)(path, (Int)size, "%s/callgrind.out.%d.part%u", folder, VG_(getpid)(),
                 part);
   if (thread != 0)
      VG_(sprintf)(path + VG_(strlen)(path), "-%02u", thread);
   return path;
}

HChar* part_names_tree(void)
{
   return VG_(expand_file_name)("--call-tree-out-file", options.call_tree_out_file);
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
   HChar* path = VG_(expand_file_name)(option, *name);
   Bool is_pipe;
   Bool is_stream = output_is_stream(path, &is_pipe);
   VG_(free)(path);
   if (is_stream)
      return False;
   *name = text_join("part_names.name", *name, ".", "pid%p");
   return True;
}

Bool part_names_add_process(void)
{
   return add_process("--callgrind-out-file", &options.out_file);
}

Bool part_names_add_process_to_tree(void)
{
   return options.call_tree &&
          add_process("--call-tree-out-file", &options.call_tree_out_file);
}
