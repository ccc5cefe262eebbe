/* SPDX-License-Identifier: GPL-2.0-or-later

   Who may switch sampling on and off from outside, through a pair of FIFOs: one for
   commands, one for answers.  */

#ifndef SAMPLER_CONTROL_H
#define SAMPLER_CONTROL_H

#include "control/actions.h"
#include "options/options.h"

/* Opens the FIFOs; for the runner, makes them.  Refuses when that cannot be, or when
   another profiler is using them.  Does nothing for ControlNone.  */
void control_open(const Options* options, const ControlActions* actions);

/* What to poll for commands; -1 for none.  May change after control_handle().  */
int control_descriptor(void);

/* Reads what has come, does it, and answers.  Never blocks.  */
void control_handle(void);

/* To be called now and then: takes out what a client that has gone did not read.  */
void control_tick(void);

/* Closes the FIFOs, and removes those that control_open() has made.  */
void control_close(void);

#endif
