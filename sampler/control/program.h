/* SPDX-License-Identifier: GPL-2.0-or-later

   The program that is sampled, a child of ours.  It is held back until the events are
   open.  When it has ended, we end in the same way.  */

#ifndef SAMPLER_PROGRAM_H
#define SAMPLER_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/* Blocks the signals that program_signals() handles, in this thread and in those that it
   starts later.  To be called once, before the others.  Returns a descriptor that is
   readable when signals have come.  */
int program_watch_signals(void);

/* Forks a child that waits until program_release() lets it execute `command`.  Returns
   its process id.  Ends the sampler with a message if there can be no child.  */
pid_t program_prepare(char** command);

/* Starts the prepared program.  False, with errno, if it cannot be executed; *status is
   the exit status then, as in a shell: 127 if it was not found, else 126.  */
bool program_release(int* status);

/* Kills the prepared program before it starts.  */
void program_drop(void);

/* Asks the program to end by SIGTERM; with `at_once`, kills it.  */
void program_terminate(bool at_once);

/* Handles the signals that have come.  Those that a process sent us are sent on to the
   program; those of the terminal came to both.  True when the program has ended, with
   *wait_status as from waitpid().  With `attached` there is no program: true when a
   signal asks us to end.  */
bool program_signals(bool attached, int* wait_status);

/* Ends this process as the program has ended: with the same status, or by the same
   signal.  */
_Noreturn void program_end_like(int wait_status);

#endif
