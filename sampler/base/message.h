/* SPDX-License-Identifier: GPL-2.0-or-later

   What the sampler says to people, on stderr: one line each, with its name in
   front.  Safe from both threads.  */

#ifndef SAMPLER_MESSAGE_H
#define SAMPLER_MESSAGE_H

/* The status with which the sampler ends when it cannot do what is asked.  */
#define MESSAGE_STATUS_REFUSED 2

/* A line; formatted as by printf, without a line feed.  */
void message_print(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* A line, and the end of this process with MESSAGE_STATUS_REFUSED.  */
_Noreturn void message_refuse(const char* format, ...)
   __attribute__((format(printf, 1, 2)));

#endif
