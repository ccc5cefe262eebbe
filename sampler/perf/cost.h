/* SPDX-License-Identifier: GPL-2.0-or-later

   What the kernel's timer costs the program that it samples, on this machine: each sample
   an interrupt, and each time that a thread is given a processor a timer that is set.  On
   virtual machines both are dear, as the host has to be asked.  */

#ifndef SAMPLER_COST_H
#define SAMPLER_COST_H

/* In nanoseconds.  */
typedef struct {
   double interrupt; /* a sample; 0: not known */
   double setting;   /* the processor's timer, and taking that back */
   double tick;      /* between the interrupts that the kernel has anyway */
} TimerCost;

/* Measures, for some hundredths of a second.  */
TimerCost cost_measure(void);

/* What part of its time (0 to 1) the program would lose, sampled so often, if its threads
   are given a processor `arrivals` times in each second that they work.  */
double cost_share(const TimerCost* cost, double frequency, double arrivals);

#endif
