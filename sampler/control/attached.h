/* SPDX-License-Identifier: GPL-2.0-or-later

   The process that the sampler attaches to with -p.  It is not a child of ours, so no
   signal says when it ends.  */

#ifndef SAMPLER_ATTACHED_H
#define SAMPLER_ATTACHED_H

#include <stdbool.h>
#include <sys/types.h>

/* Remembers the process.  False if there is none of this number, or it has ended.  To be
   called once, before attached_has_ended().  */
bool attached_open(pid_t pid);

/* True when all threads of the process have ended, whether or not its parent has waited
   for it.  A later process with the same number is not mistaken for it.  */
bool attached_has_ended(void);

#endif
