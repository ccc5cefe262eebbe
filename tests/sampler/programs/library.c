/* SPDX-License-Identifier: GPL-2.0-or-later

   A library whose function is called NAME; the other names have no meaning.  */

static volatile unsigned sink;

#ifdef PADDED
__attribute__((noinline)) void padding(void) { sink = sink * 3; }
#endif

static __attribute__((noinline)) void NAME(void)
{
   for (unsigned i = 0; i < 40000; i++)
      sink = sink * 1664525u + 1013904223u;
}

/* Small, but not so small that a processor which reports a sample some instructions late
   never reports one in it: it waits for divisions, one after the other.  */
int tiny(int number) { return (number ^ 5) / ((number / 3 & 7) + 1) / (number | 3); }

void work(void)
{
   NAME();
   sink++;
}
