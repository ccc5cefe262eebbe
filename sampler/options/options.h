/* SPDX-License-Identifier: GPL-2.0-or-later

   The command line of callgrind_sample.  */

#ifndef SAMPLER_OPTIONS_H
#define SAMPLER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum { EventAuto, EventCycles, EventCpuClock, EventWall } EventChoice;
typedef enum { KernelAuto, KernelYes, KernelNo } KernelChoice;
typedef enum { ControlNone, ControlRunner, ControlFifo, ControlDescriptor } ControlChoice;

typedef struct {
   const char* output; /* NULL: callgrind.sample.PID */
   unsigned frequency; /* samples per second of CPU time, at least 1 */
   unsigned slowdown;  /* of the program, in per cent; less often beyond; 0: never */
   EventChoice event;
   unsigned stack_size; /* bytes of stack per sample, a multiple of 8; 0: as needed */
   bool starts_on;      /* sampling from the first instruction on */
   KernelChoice kernel;
   ControlChoice control;
   const char* command_fifo; /* with ControlFifo */
   const char* answer_fifo;  /* with ControlFifo; NULL if answers are not wanted */
   int command_descriptor;   /* with ControlDescriptor, as inherited */
   int answer_descriptor;    /* with ControlDescriptor; -1 if answers are not wanted */
   const char** skipped;     /* patterns of objects to skip */
   unsigned skipped_count;
   bool verbose;
   /* Tests alone change these.  */
   bool tracks_always;  /* mappings and names are recorded while sampling is off, too */
   bool backfills;      /* mappings are read from /proc as well */
   bool has_dear_timer; /* as if each interrupt took a second; false */
   bool has_room;       /* trees may grow large before their addresses are resolved */

   pid_t attach;   /* a process to attach to, or 0 */
   char** program; /* the program and its arguments, NULL at the end */
} Options;

/* Reads the command line.  If something is wrong with it, the process ends with a message
   and MESSAGE_STATUS_REFUSED; --help and --version end it with 0.  The result points into
   `arguments`.  */
Options options_read(int count, char** arguments);

#endif
