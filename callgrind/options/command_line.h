/* SPDX-License-Identifier: GPL-2.0-or-later

   The command line: arguments are taken into `options` (options.h), and --help is
   printed.  */

#ifndef CALLGRIND_COMMAND_LINE_H
#define CALLGRIND_COMMAND_LINE_H

#include "core_version.h"

/* The core's callback for each argument that is not its own.  True if `argument` is an
   option of this tool.  A bad value, or an option of stock callgrind's that this version
   does not have, ends the process with a message that names the option.  `argument` must
   stay valid: texts in `options` point into it.  */
Bool command_line_process(const HChar* argument);

/* Print this tool's part of --help and of --help-debug.  */
void command_line_print_usage(void);
void command_line_print_debug_usage(void);

#endif
