/* SPDX-License-Identifier: GPL-2.0-or-later

   The program that is sampled, as a child of ours: held back until the events watch it,
   and ended like it.  */

#ifndef SAMPLER_PROGRAM_H
#define SAMPLER_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/* Blocks the signals that program_signals() is to tell of.  Threads that are started
   afterwards have them blocked, too.  To be called once, before anything else here.
   Returns a descriptor that is readable when signals have come.  */
int program_watch_signals(void);

/* Forks a child that waits; program_release() lets it become `command`.  Returns its
   process id; refuses when there can be no child.  */
pid_t program_prepare(char** command);

/* Starts the prepared program.  False if it cannot be executed; that was told then, and
   the exit status is *status, as a shell has it: 127 not found, 126 otherwise.  */
bool program_release(int* status);

/* Kills the prepared program before it starts.  */
void program_drop(void);

/* Asks the program to end, or makes it end.  */
void program_terminate(bool at_once);

/* Handles the signals that have come: those that a process sent to us go on to the
   program, the terminal has sent its own to both.  True when the program has ended;
   *wait_status is then what waitpid() says.  Without a program, with `attached`, a signal
   that asks us to end gives true.  */
bool program_signals(bool attached, int* wait_status);

/* Ends this process as the program has ended: with its status, or by its signal.  */
_Noreturn void program_end_like(int wait_status);

#endif
