/* SPDX-License-Identifier: GPL-2.0-or-later

   Repairs: how often the shadow stack turned out not to match the program's own
   stack, and was corrected.  Counted, and reported at exit with -v.  */

#ifndef CALLGRIND_SHADOWSTACK_REPAIRS_H
#define CALLGRIND_SHADOWSTACK_REPAIRS_H

typedef enum {
   RepairUnderflow,    /* more frames were to be left than there were */
   RepairUnknownBlock, /* code ran that is on no record */
   RepairReseeded,     /* a stack was rebuilt from the native one */
   RepairKinds
} RepairKind;

void shadowstack_count_repair(RepairKind kind);

/* One line in the log, if there were any.  */
void shadowstack_report_repairs(void);

#endif
