/* SPDX-License-Identifier: GPL-2.0-or-later

   See description.h.  callgrind_report knows the names, and what a difference can move
   (callgrind/report/analysis/surroundings.py).  */

#include "surroundings/description.h"

#include "core/system_call.h"
#include "guest/elf/elf_sections.h"
#include "options/options.h"
#include "surroundings/guest_cpu.h"
#include "surroundings/initial_stack.h"
#include "surroundings/turns.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static Bool is_libc(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   const HChar* name = slash == NULL ? path : slash + 1;
   return VG_(strncmp)(name, "libc.so", 7) == 0 || VG_(strncmp)(name, "libc-", 5) == 0 ||
          VG_(strncmp)(name, "ld-musl-", 8) == 0;
}

/* The path of libc, while its debug information is there; NULL of a static program.  */
static const HChar* libc_path(void)
{
   const DebugInfo* object = NULL;
   while ((object = VG_(next_DebugInfo)(object)) != NULL)
      if (is_libc(VG_(DebugInfo_get_filename)(object)))
         return VG_(DebugInfo_get_filename)(object);
   return NULL;
}

/* Files that are removed meanwhile must not make parts of one profile differ.  */
static const HChar* libc_build_id(void)
{
   static const HChar* known;
   if (known != NULL)
      return known;
   const HChar* path = libc_path();
   if (path == NULL)
      return "none";
   ElfSections sections = elf_sections_read(path);
   known = sections.build_id != NULL ? sections.build_id : "unknown";
   return known;
}

static void tell_number(DescriptionSink* sink, void* data, const HChar* name, UInt number,
                        const HChar* unit)
{
   HChar text[64];
   VG_(snprintf)(text, sizeof text, "%u%s", number, unit);
   sink(data, name, text);
}

static void tell_environment(DescriptionSink* sink, void* data)
{
   const InitialStack* stack = initial_stack_facts();
   HChar text[128];
   VG_(snprintf)(text, sizeof text, "%u variables, %u bytes, %u hidden",
                 stack->n_variables, stack->environment_size, stack->n_hidden);
   sink(data, "Environment", text);
   VG_(snprintf)(text, sizeof text, "%u, %u bytes", stack->n_arguments,
                 stack->arguments_size);
   sink(data, "Arguments", text);
   tell_number(sink, data, "Program path", stack->program_path_length, " bytes");
   VG_(snprintf)(text, sizeof text, "0x%lx", stack->stack_pointer);
   sink(data, "Stack begins at", text);
}

static void tell_kernel(DescriptionSink* sink, void* data)
{
   enum { FieldSize = 65, Release = 2, Fields = 6 }; /* struct utsname */
   HChar names[Fields][FieldSize];
   SysRes told = VG_(do_syscall)(__NR_uname, (UWord)names, 0, 0, 0, 0, 0, 0, 0);
   sink(data, "Kernel", sr_isError(told) ? "unknown" : names[Release]);
}

void description_tell(DescriptionSink* sink, void* data)
{
   if (options.layout == LayoutNames)
      sink(data, "Layout", "names");
   if (!options.steady)
      return;
   const HChar* folder = VG_(get_startup_wd)();
   sink(data, "Steady", "yes");
   sink(data, "Core", "Valgrind " CORE_VERSION ", " CORE_PLATFORM);
   sink(data, "Tool", "callgrind-exact " CT_VERSION);
   sink(data, "Guest CPU", guest_cpu_name());
   sink(data, "Processors", "1");
   sink(data, "Threads", turns_are_given() ? "by turns" : "as they are woken");
   sink(data, "Clock", options.steady_clock ? "by what is executed" : "the system's");
   sink(data, "libc build id", libc_build_id());
   tell_kernel(sink, data);
   tell_environment(sink, data);
   const UInt length = folder == NULL ? 0 : (UInt)VG_(strlen)(folder);
   tell_number(sink, data, "Working folder", length + options.steady_folder, " bytes");
}
