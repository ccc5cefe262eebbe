/* SPDX-License-Identifier: GPL-2.0-or-later

   What is declared by the headers of the installed Valgrind, as all sources see it: how
   declarations differ from version to version (3.19 to 3.27), and what of the tool can
   be done with this core (CORE_CAN_...).

   `configure` probes the core and leaves its answers in config.h as HAVE_... and CORE_...
   defines.  What no header declares, or is led to the tool by the linker, is in
   callgrind/core/ alone.  Nobody else tests for a version.  */

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

/* The same macro as the core's.  Compilers do not warn of what a macro of a system header
   gave, and gcc before 14 would take a function of the core that is nowhere declared.  */
#undef VG_
#define VG_(name) vgPlain_##name

/* The version that `creator:` names, "3.19.0" for example.  */
#ifndef CORE_VERSION
#define CORE_VERSION "unknown"
#endif

/* VEX's own copy of its control settings.  VG_(clo_vex_control) is copied into
   it once, before the first translation; a tool that wants another setting
   later (guest_chase may be on while instrumentation is off) writes here.  Global
   in every libvex from 3.11 on, declared in no installed header.  */
#ifdef HAVE_VEX_CONTROL_SYMBOL
extern VexControl vex_control;
#endif

/* Discards at once, which is right where a system call has ended: the core does so there
   itself.  pub_tool_transtab.h has one that is right nowhere but in a client request.  */
#ifdef HAVE_VG_DISCARD_TRANSLATIONS
extern void VG_(discard_translations)(Addr start, ULong range, const HChar* who);
#endif

/* What a debugger that is connected wants of translations: to stop after each
   instruction, or at `address`.  Global since the core has a gdbserver (3.7).  */
#ifdef HAVE_GDBSERVER_QUESTIONS
extern Bool valgrind_single_stepping(void);
extern Bool VG_(has_gdbserver_breakpoint)(Addr address);
#endif

/* The core's calls of VEX can be led to translations/translate.c, and all is known that a
   translation depends on.  */
#if defined(CORE_CALLS_CAN_BE_WRAPPED) && defined(HAVE_GDBSERVER_QUESTIONS)
#define CORE_CAN_KEEP_TRANSLATIONS 1
#endif

/* VEX's list of the registers of an amd64 host (getRRegUniverse_AMD64()), as words: the
   numbers of the first and of the last one among which it chooses integer registers, and
   from CORE_REGISTERS_AT on the registers, whose first ones are %r12 to %r15.  Read from
   the code of 3.19, 3.24 and 3.27.  Whether they are there is checked at run time.  */
#define CORE_REGISTERS_AT 2
#define CORE_REGISTERS_BEGIN 70
#define CORE_REGISTERS_END 79
#define CORE_REGISTERS_FIRST {0x20c00000, 0x20d00001, 0x20e00002, 0x20f00003}

/* The core's dispatcher for jumps by an address, and where its table has the translation
   of the superblock at `guest`.  The other results are not wanted: NULL.  */
#ifdef CORE_CAN_KEEP_TRANSLATIONS
extern void VG_(disp_cp_xindir)(void);
extern Bool VG_(search_transtab)(Addr* host, void* sector, void* entry, Addr guest,
                                 Bool update_fast_cache);
#endif

/* The core's table of translations is linked a second time, by other names
   (translations/translation_tables.c), and must be set up like the first one.  */
#ifdef CORE_TABLE_CAN_BE_DOUBLED
extern UInt VG_(clo_num_transtab_sectors);
extern UInt VG_(clo_avg_transtab_entry_size);
#endif

/* The core's reading of an object's lines can be left out, and made up for
   (lines/late_lines.c).  */
#if defined(CORE_LINES_CAN_BE_PUT_OFF) && defined(CORE_CAN_KEEP_TRANSLATIONS)
#define CORE_CAN_READ_LINES_LATE 1
#endif

/* The helpers that generated code calls for CPUID and the like can be led to
   surroundings/guest_cpu.c, and it is known what the host has.  */
#if defined(CORE_CPUID_CAN_BE_WRAPPED) && defined(HAVE_VG_MACHINE_ARCH_INFO)
#define CORE_CAN_FIX_GUEST_CPU 1
#endif

/* The lock of the thread that runs guest code can be led to surroundings/turns.c, and the
   system's number of the calling thread is known.  */
#ifdef CORE_LOCK_CAN_BE_WRAPPED
extern Int VG_(gettid)(void);
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
