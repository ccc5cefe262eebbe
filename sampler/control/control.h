/* SPDX-License-Identifier: GPL-2.0-or-later

   Lets other programs switch sampling on and off, through a pair of FIFOs, or of
   descriptors that were inherited: one for commands, one for answers.  */

#ifndef SAMPLER_CONTROL_H
#define SAMPLER_CONTROL_H

#include "control/actions.h"
#include "options/options.h"

/* Opens the FIFOs; for the runner, makes them.  Ends the sampler with a message if that
   fails, or another profiler is using them.  Does nothing for ControlNone.  */
void control_open(const Options* options, const ControlActions* actions);

/* The descriptor to poll for commands; -1: none.  control_handle() may change it.  */
int control_descriptor(void);

/* Reads the commands that have come, does what they say, and answers.  Never blocks.  */
void control_handle(void);

/* Removes answers that a client which has gone did not read.  To be called at
   intervals.  */
void control_tick(void);

/* Closes the FIFOs, and removes those that control_open() has made.  */
void control_close(void);

#endif
