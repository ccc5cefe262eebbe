/* SPDX-License-Identifier: GPL-2.0-or-later

   What of the tool this core makes possible, told with --stats=yes.  The table is
   core_parts.h; what configure has found may have turned out otherwise since.  */

#ifndef CALLGRIND_PARTS_H
#define CALLGRIND_PARTS_H

/* A line for each part: that it is there, or what is lost without it.  To be called at
   the end, when all has been seen that there is to see.  */
void core_parts_print(void);

#endif
