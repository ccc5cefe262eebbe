/* SPDX-License-Identifier: GPL-2.0-or-later

   What clients of the control can have done.  main.c gives the functions; the two
   protocols call them.  */

#ifndef SAMPLER_ACTIONS_H
#define SAMPLER_ACTIONS_H

#include "perf/record.h"

typedef struct {
   /* Switches sampling on or off; it is done on return.  */
   void (*switch_sampling)(bool on);
   bool (*is_sampling)(void);
   /* The name of the event that is sampled: text that lives to the end.  */
   const char* (*event)(void);
   /* Puts a mark into the stream of records.  `text` is copied.  */
   void (*mark)(MarkKind kind, uint32_t pid, const char* text);
   /* Notes what a process did at a time of CLOCK_MONOTONIC, in nanoseconds.  */
   void (*mark_moment)(uint32_t pid, uint64_t moment, const char* text);
   /* Ends the sampling, and the program if it is ours, as a user would.  */
   void (*stop)(void);
   /* Ends the program, as its measurements would mean nothing.  */
   void (*end_program)(void);
} ControlActions;

#endif
