/* SPDX-License-Identifier: GPL-2.0-or-later

   The folder that /proc has of a process.  In a PID namespace whose /proc was not mounted
   anew, /proc shows others, with other numbers than those that the kernel tells us: then
   there is no such folder.  */

#ifndef SAMPLER_PROCESS_FOLDER_H
#define SAMPLER_PROCESS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* The text is by value: it lives as long as the expression that it is used in.  */
typedef struct {
   char text[24];
} ProcessFolder;

/* Looks whether /proc has our numbers, and remembers it; to be called before a second
   thread starts.  */
bool process_folders_are_ours(void);

/* "/proc/PID", or a folder that is not there.  */
ProcessFolder process_folder(uint32_t pid);

#endif
