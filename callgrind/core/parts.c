/* SPDX-License-Identifier: GPL-2.0-or-later

   See parts.h.  */

#include "core/parts.h"

#include "core/debug_records.h"
#include "core/host_registers.h"
#include "core/log_writes.h"
#include "core/thread_lock.h"
#include "core/translation.h"
#include "core/two_tables.h"
#include "core_parts.h"
#include "core_version.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

typedef struct {
   const HChar* name;     /* of what configure defines */
   const HChar* is_there; /* "1", or that name */
   const HChar* part;
   const HChar* without;
} Part;

#define TEXT(value) #value
#define PART(condition, part, without) {#condition, TEXT(condition), part, without},

static const Part parts[] = {CORE_PARTS(PART)};

/* Of calls that have passed the tool by, although configure saw that they would not.  */
static const struct {
   const HChar* name;
   Bool (*are_passed_by)(void);
} led[] = {
   {"CORE_CALLS_CAN_BE_WRAPPED", core_translations_pass_by},
   {"CORE_TABLE_CAN_BE_DOUBLED", core_tables_pass_by},
   {"CORE_REGISTERS_CAN_BE_RESERVED", core_registers_pass_by},
   {"CORE_LINES_CAN_BE_PUT_OFF", core_debug_passes_by},
   {"CORE_SYMBOLS_CAN_BE_PUT_OFF", core_debug_symbols_pass_by},
   {"CORE_LOCK_CAN_BE_WRAPPED", core_lock_passes_by},
   {"CORE_LOG_CAN_BE_ESCAPED", core_log_passes_by},
};

static Bool is_passed_by(const Part* part)
{
   for (UInt i = 0; i < sizeof led / sizeof *led; i++)
      if (VG_(strcmp)(led[i].name, part->name) == 0)
         return led[i].are_passed_by();
   return False;
}

void core_parts_print(void)
{
   for (UInt i = 0; i < sizeof parts / sizeof *parts; i++) {
      const Part* part = &parts[i];
      if (part->is_there[0] == '1' && !is_passed_by(part))
         VG_(umsg)("core %s: %s: yes\n", CORE_VERSION, part->part);
      else
         VG_(umsg)("core %s: %s: no, %s\n", CORE_VERSION, part->part, part->without);
   }
}
