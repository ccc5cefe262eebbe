/* SPDX-License-Identifier: GPL-2.0-or-later

   What of the tool this core makes possible, as a table: configure ends with it, and it
   is printed with --stats=yes.  docs/core.md says what each part needs.  */

#ifndef CALLGRIND_PARTS_H
#define CALLGRIND_PARTS_H

/* A line for each part: that it is there, or what is lost without it.  */
void core_parts_print(void);

#endif
