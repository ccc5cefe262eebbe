/* SPDX-License-Identifier: GPL-2.0-or-later

   A child that lets this process wait, and then does what it waits for.  */

#ifndef OTHER_PROCESS_H
#define OTHER_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

enum { Milliseconds = 100 }; /* that each wait takes at least */

extern pid_t waiter; /* to be set to this process */
extern pid_t other;  /* the child */

/* Ends the process if `holds` is 0, and prints the system's error.  */
void need(int holds);

/* Nanoseconds since the machine was started.  */
int64_t now(void);

/* In the child: sees the waiter asleep, and then sleeps itself.  */
void pass_time(void);

/* The child lets time pass, does `event`, if there is one, and ends.  */
void later(void (*event)(void));

/* Waits until the child has ended.  */
void reap(void);

#endif
