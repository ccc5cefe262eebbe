/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   How a program that goes round and round until it is stopped tells those who wait for it
   (has_gone_round): after its first round it writes its number into a file; and from then
   on, after each round, a byte into the file of that name with `.rounds` behind.
*/

#ifndef ROUNDS_H
#define ROUNDS_H

#include "known_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

OPAQUE static void write_file(const char* path, const char* mode, const char* text)
{
   FILE* file = fopen(path, mode);
   if (file == NULL)
      exit(1);
   fputs(text, file);
   fclose(file);
   NO_TAIL_CALL;
}

OPAQUE static void tell_of_round(const char* pid_path)
{
   char text[512];
   snprintf(text, sizeof text, "%s.rounds", pid_path);
   if (access(pid_path, F_OK) == 0) {
      write_file(text, "a", ".");
   } else {
      write_file(text, "w", "");
      snprintf(text, sizeof text, "%d\n", (int)getpid());
      write_file(pid_path, "w", text);
   }
   NO_TAIL_CALL;
}

#endif
