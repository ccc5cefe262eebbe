/* SPDX-License-Identifier: GPL-2.0-or-later

   See debug_records.h.  */

#include "core/debug_records.h"

#ifdef CORE_CAN_READ_LINES_LATE

#include "core/ask_before.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"

void* __real_vgModuleLocal_dinfo_zalloc(const HChar* purpose, SizeT size);
void* __wrap_vgModuleLocal_dinfo_zalloc(const HChar* purpose, SizeT size);
#ifdef CORE_READS_DEBUG_IN_TWO_STEPS
Bool __real_vgModuleLocal_read_elf_object(DebugInfo* info);
Bool __wrap_vgModuleLocal_read_elf_object(DebugInfo* info);
Bool __real_vgModuleLocal_read_elf_debug(DebugInfo* info);
Bool __wrap_vgModuleLocal_read_elf_debug(DebugInfo* info);
extern void VG_(di_load_di)(DebugInfo* info);
#else
Bool __real_vgModuleLocal_read_elf_debug_info(DebugInfo* info);
Bool __wrap_vgModuleLocal_read_elf_debug_info(DebugInfo* info);
#endif
void* __real_vgModuleLocal_img_from_local_file(const HChar* path);
void* __wrap_vgModuleLocal_img_from_local_file(const HChar* path);
Bool __real_vgPlain_use_CF_info(void* registers, Addr lowest, Addr highest);
Bool __wrap_vgPlain_use_CF_info(void* registers, Addr lowest, Addr highest);
void __real_vgModuleLocal_finish_CFSI_arrays(DebugInfo* info);
void __wrap_vgModuleLocal_finish_CFSI_arrays(DebugInfo* info);
Word __real_vgModuleLocal_search_one_loctab(const DebugInfo* info, Addr address);
Word __wrap_vgModuleLocal_search_one_loctab(const DebugInfo* info, Addr address);
extern void vgModuleLocal_canonicaliseTables(DebugInfo* info);

static const CoreDebugHooks* hooks;

/* Calls that have come here.  */
static UInt n_read; /* objects, or steps of them */
static Bool is_made, is_opened, is_completed, is_sought, is_unwound;
static Bool are_symbols_sought;
#ifdef CORE_READS_DEBUG_IN_TWO_STEPS
static Bool is_read_on; /* the second step */
#else
static const Bool is_read_on = True;
#endif

static Bool is_trying, passes_by;

void core_debug_lead(const CoreDebugHooks* by) { hooks = by; }

void core_debug_complete(DebugInfo* record)
{
   vgModuleLocal_canonicaliseTables(record);
   __real_vgModuleLocal_finish_CFSI_arrays(record);
}

static Bool read_step(DebugInfo* record, CoreDebugStep step)
{
   n_read++;
   return hooks != NULL ? hooks->read(record, step) : core_debug_read(record, step);
}

#ifdef CORE_READS_DEBUG_IN_TWO_STEPS

Bool core_debug_read(DebugInfo* record, CoreDebugStep step)
{
   return step == CoreReadsObject ? __real_vgModuleLocal_read_elf_object(record)
                                  : __real_vgModuleLocal_read_elf_debug(record);
}

void core_debug_load(DebugInfo* record) { VG_(di_load_di)(record); }

Bool __wrap_vgModuleLocal_read_elf_object(DebugInfo* info)
{
   return read_step(info, CoreReadsObject);
}

Bool __wrap_vgModuleLocal_read_elf_debug(DebugInfo* info)
{
   is_read_on = True;
   return read_step(info, CoreReadsRest);
}

#else

Bool core_debug_read(DebugInfo* record, CoreDebugStep step)
{
   (void)step;
   return __real_vgModuleLocal_read_elf_debug_info(record);
}

void core_debug_load(DebugInfo* record) { (void)record; }

Bool __wrap_vgModuleLocal_read_elf_debug_info(DebugInfo* info)
{
   return read_step(info, CoreReadsAll);
}

#endif

/* Here the size of the core's record is learnt.  */
void* __wrap_vgModuleLocal_dinfo_zalloc(const HChar* purpose, SizeT size)
{
   void* bytes = __real_vgModuleLocal_dinfo_zalloc(purpose, size);
   if (VG_(strcmp)(purpose, "di.debuginfo.aDI.1") == 0) {
      is_made = True;
      if (hooks != NULL)
         hooks->made(bytes, size);
   }
   return bytes;
}

void* __wrap_vgModuleLocal_img_from_local_file(const HChar* path)
{
   is_opened = True;
   if (hooks != NULL && !hooks->may_open(path))
      return NULL;
   void* image = __real_vgModuleLocal_img_from_local_file(path);
   if (hooks != NULL && image != NULL)
      hooks->opened(path);
   return image;
}

void __wrap_vgModuleLocal_finish_CFSI_arrays(DebugInfo* info)
{
   __real_vgModuleLocal_finish_CFSI_arrays(info);
   is_completed = True;
   if (hooks != NULL)
      hooks->completed(info);
}

static Bool lines_may_wait(void) __attribute__((used));
static Bool lines_may_wait(void) { return hooks != NULL && hooks->lines_may_wait(); }

static Bool inlined_may_wait(void) __attribute__((used));
static Bool inlined_may_wait(void) { return hooks != NULL && hooks->inlined_may_wait(); }

static Bool frames_may_wait(void) __attribute__((used));
static Bool frames_may_wait(void) { return hooks != NULL && hooks->frames_may_wait(); }

/* How it is called differs between versions of the core.  */
CORE_ASK_BEFORE(__wrap_vgModuleLocal_read_debuginfo_dwarf3,
                __real_vgModuleLocal_read_debuginfo_dwarf3, lines_may_wait)
CORE_ASK_BEFORE(__wrap_vgModuleLocal_new_dwarf3_reader,
                __real_vgModuleLocal_new_dwarf3_reader, inlined_may_wait)
CORE_ASK_BEFORE(__wrap_vgModuleLocal_read_callframe_info_dwarf3,
                __real_vgModuleLocal_read_callframe_info_dwarf3, frames_may_wait)

#ifdef CORE_CAN_READ_SYMBOLS_LATE
static Bool note_symbols_wanted(DebugInfo* record) __attribute__((used));
static Bool note_symbols_wanted(DebugInfo* record)
{
   are_symbols_sought = True;
   if (hooks != NULL && !is_trying)
      hooks->symbols_wanted(record);
   return False;
}

CORE_ASK_BEFORE(__wrap_vgModuleLocal_search_one_symtab,
                __real_vgModuleLocal_search_one_symtab, note_symbols_wanted)
#endif

Word __wrap_vgModuleLocal_search_one_loctab(const DebugInfo* info, Addr address)
{
   is_sought = True;
   if (is_trying) {
      if (!is_read_on)
         core_debug_load((DebugInfo*)info);
      return -1;
   }
   if (hooks != NULL) {
      core_debug_load((DebugInfo*)info);
      hooks->lines_wanted((DebugInfo*)info);
   }
   return __real_vgModuleLocal_search_one_loctab(info, address);
}

/*--------------------------------------------------------------------*/
/* Where control is in a frame                                         */

/* The first of the unwinder's registers is the instruction pointer in all cores seen.
   That is believed once a thread's own has been found there, as it is in the first frame
   that the core unwinds.  */
static enum { NotSeen, IsFirst, IsNotFirst } instruction_pointer;

static void look_for_instruction_pointer(Addr first)
{
   const ThreadId thread = VG_(get_running_tid)();
   if (thread == VG_INVALID_THREADID)
      return;
   instruction_pointer = VG_(get_IP)(thread) == first ? IsFirst : IsNotFirst;
   if (instruction_pointer == IsNotFirst && VG_(clo_verbosity) > 1)
      VG_(dmsg)("The unwinder's registers are not as known: call frame information of "
                "all objects is read.\n");
}

Bool __wrap_vgPlain_use_CF_info(void* registers, Addr lowest, Addr highest)
{
   const Addr first = *(const Addr*)registers;
   is_unwound = True;
   if (instruction_pointer == NotSeen)
      look_for_instruction_pointer(first);
   if (is_trying)
      return False;
   if (hooks != NULL)
      hooks->frames_wanted(instruction_pointer == IsFirst ? first : 0);
   return __real_vgPlain_use_CF_info(registers, lowest, highest);
}

/*--------------------------------------------------------------------*/
/* Do they arrive?                                                     */

Bool core_debug_is_completed_as_known(void) { return is_completed || n_read <= 1; }

/* The lines and the symbol that are sought are the tool's own: it has none, so there is
   little to read.  */
void core_debug_try(void (*unwind)(void))
{
   UInt line;
   const HChar* name;
   is_trying = True;
   (void)VG_(get_linenum)(VG_(current_DiEpoch)(), (Addr)core_debug_try, &line);
   (void)VG_(get_fnname)(VG_(current_DiEpoch)(), (Addr)core_debug_try, &name);
   unwind();
   is_trying = False;
   passes_by = n_read == 0 || !is_made || !is_read_on || !is_opened || !is_completed ||
               !is_sought || !is_unwound;
   if (passes_by && VG_(clo_verbosity) > 1)
      VG_(dmsg)("The core reads debug information otherwise than is known: all of it is "
                "read at once.\n");
}

Bool core_debug_passes_by(void) { return passes_by; }

Bool core_debug_symbols_pass_by(void) { return passes_by || !are_symbols_sought; }

#endif
