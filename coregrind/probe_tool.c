/* SPDX-License-Identifier: GPL-2.0-or-later

   The smallest tool there is: runs the program and changes nothing.  `configure` compiles
   and links it, with the flags of the real tool, to learn whether the installed Valgrind
   core can carry one.  It is not part of what is built.  Relies on the core's headers
   alone. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_tooliface.h"

static void probe_post_clo_init(void) {}

static IRSB* probe_instrument(VgCallbackClosure* closure, IRSB* superblock,
                              const VexGuestLayout* layout,
                              const VexGuestExtents* extents, const VexArchInfo* host,
                              IRType guest_word, IRType host_word)
{
   (void)closure;
   (void)layout;
   (void)extents;
   (void)host;
   (void)guest_word;
   (void)host_word;
   return superblock;
}

static void probe_fini(Int exit_code)
{
   /* A call that pulls a real part of the core into the link. */
   VG_(umsg)("%d\n", exit_code);
}

static void probe_pre_clo_init(void)
{
   VG_(details_name)("Probe");
   VG_(details_version)(NULL);
   VG_(details_description)("whether a tool can be linked");
   VG_(details_copyright_author)("GPL-2.0-or-later.");
   VG_(details_bug_reports_to)("whoever configures this");
   VG_(basic_tool_funcs)(probe_post_clo_init, probe_instrument, probe_fini);
}

VG_DETERMINE_INTERFACE_VERSION(probe_pre_clo_init)
