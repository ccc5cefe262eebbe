/* SPDX-License-Identifier: GPL-2.0-or-later

   Repairs; see shadowstack_repairs.h.  */

#include "stack/frames/shadowstack_repairs.h"

#include "core_version.h"

#include "pub_tool_libcprint.h"

static ULong repairs[RepairKinds];

void shadowstack_count_repair(RepairKind kind) { repairs[kind]++; }

void shadowstack_report_repairs(void)
{
   if (repairs[RepairUnderflow] + repairs[RepairUnknownBlock] + repairs[RepairReseeded] ==
       0)
      return;
   VG_(umsg)("shadow stack repaired: %llu times rebuilt from the program's stack, %llu "
             "underflows, %llu blocks unknown\n",
             repairs[RepairReseeded], repairs[RepairUnderflow],
             repairs[RepairUnknownBlock]);
}
