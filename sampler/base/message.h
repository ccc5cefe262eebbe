/* SPDX-License-Identifier: GPL-2.0-or-later

   What the sampler says to its user, on stderr: one line each, which begins with its
   name.  Both threads may call these.  */

#ifndef SAMPLER_MESSAGE_H
#define SAMPLER_MESSAGE_H

/* The exit status when the sampler cannot do what is asked.  */
#define MESSAGE_STATUS_REFUSED 2

/* Prints a line.  `format` is printf's, without a line feed at its end.  */
void message_print(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line, and ends this process with MESSAGE_STATUS_REFUSED.  */
_Noreturn void message_refuse(const char* format, ...)
   __attribute__((format(printf, 1, 2)));

#endif
