/* SPDX-License-Identifier: GPL-2.0-or-later

   Client requests with addresses that lead nowhere.  Without the core a request does
   nothing, whatever it is given.  The core follows the addresses, and would die of them.
   So each request is looked at before the core gets it: when a thread has stopped for
   one, which its superblock says (translations/superblocks.c).  If the core could not
   carry it out, it is given another in its place that does nothing.  The tool's own
   requests read their texts by themselves (requests.c).  */

#ifndef CALLGRIND_REQUEST_GUARD_H
#define CALLGRIND_REQUEST_GUARD_H

/* To be called once, before a thread runs.  */
void request_guard_init(void);

#endif
