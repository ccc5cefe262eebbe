/* SPDX-License-Identifier: GPL-2.0-or-later

   What is declared by the headers of the installed Valgrind, as all sources see it: how
   declarations differ from version to version (3.18 to 3.27), and what of the tool can
   be done with this core (CORE_CAN_...).

   `configure` probes the core and leaves its answers in config.h as HAVE_... and CORE_...
   defines.  What no header declares, or is led to the tool by the linker, is in
   callgrind/core/ alone, and docs/core.md lists it.  Nobody else tests for a version.  */

#ifndef CALLGRIND_CORE_VERSION_H
#define CALLGRIND_CORE_VERSION_H

#include "config.h"

#include "libvex.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_guest.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include <stddef.h>

/* As the core defines VG_().  Compilers do not warn of what a macro of a system header
   gave, and gcc before 14 would take a function of the core that is nowhere declared.  */
#undef VG_
#define VG_(name) vgPlain_##name

/* The version that `creator:` names, "3.19.0" for example.  */
#ifndef CORE_VERSION
#define CORE_VERSION "unknown"
#endif

/* The core's calls of VEX can be led to the tool, and all is known that a translation
   depends on.  */
#if defined(CORE_CALLS_CAN_BE_WRAPPED) && defined(HAVE_GDBSERVER_QUESTIONS)
#define CORE_CAN_KEEP_TRANSLATIONS 1
#endif

/* VEX can be told while the program runs how exact guest registers must be, and what was
   translated before can be discarded.  */
#if defined(HAVE_VEX_CONTROL_SYMBOL) && defined(HAVE_VG_DISCARD_TRANSLATIONS)
#define CORE_CAN_CHANGE_REGISTER_UPDATES 1
#endif

/* The core's reading of an object's lines can be left out, and made up for
   (lines/late_lines.c).  */
#if defined(CORE_LINES_CAN_BE_PUT_OFF) && defined(CORE_CAN_KEEP_TRANSLATIONS)
#define CORE_CAN_READ_LINES_LATE 1
#endif

/* And that of its symbols, as if it were stripped.  */
#if defined(CORE_SYMBOLS_CAN_BE_PUT_OFF) && defined(CORE_CAN_READ_LINES_LATE)
#define CORE_CAN_READ_SYMBOLS_LATE 1
#endif

/* The helpers that generated code calls for CPUID and the like can be led to
   the tool, and it is known what the host has.  */
#if defined(CORE_CPUID_CAN_BE_WRAPPED) && defined(HAVE_VG_MACHINE_ARCH_INFO)
#define CORE_CAN_FIX_GUEST_CPU 1
#endif

/* Code of the program can run in place of translations: the core's calls for signals and
   translations, and how code leaves, are known.  */
#if defined(VGA_amd64) && defined(VGO_linux) && defined(CORE_SIGNALS_CAN_BE_WRAPPED) &&  \
   defined(HAVE_CORE_CODE_EXITS) && defined(CORE_TABLE_CAN_BE_DOUBLED) &&                \
   defined(CORE_CAN_KEEP_TRANSLATIONS)
#define CORE_CAN_RUN_NATIVELY 1
#endif

/* Maps `size` bytes of zeros, which are never given back; without memory the program ends
   with a message that names `purpose`.  Newer cores tell why there is none, and are told
   it again.  */
static inline void* core_map_zeros(SizeT size, const HChar* purpose)
{
#ifdef CORE_SHADOW_ALLOC_RETURNS_SYSRES
   SysRes mapped = VG_(am_shadow_alloc)(size);
   UWord error = sr_isError(mapped) ? sr_Err(mapped) : 0;
   void* memory = sr_isError(mapped) ? NULL : (void*)(Addr)sr_Res(mapped);
#else
   UWord error = VKI_ENOMEM;
   void* memory = VG_(am_shadow_alloc)(size);
#endif
   if (memory != NULL)
      return memory;
#ifdef CORE_OUT_OF_MEMORY_TAKES_ERROR
   VG_(out_of_memory_NORETURN)(purpose, size, error);
#else
   (void)error;
   VG_(out_of_memory_NORETURN)(purpose, size);
#endif
   return NULL; /* not reached */
}

#endif
