/* SPDX-License-Identifier: GPL-2.0-or-later

   See process_folder.h.  */

#include "base/process_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool are_others; /* what /proc shows */

bool process_folders_are_ours(void)
{
   char text[32];
   ssize_t size = readlink("/proc/self", text, sizeof text - 1);
   text[size > 0 ? size : 0] = '\0';
   are_others = size > 0 && strtol(text, NULL, 10) != (long)getpid();
   return !are_others;
}

ProcessFolder process_folder(uint32_t pid)
{
   ProcessFolder folder;
   snprintf(folder.text, sizeof folder.text, are_others ? "/proc/none" : "/proc/%u", pid);
   return folder;
}
