/* SPDX-License-Identifier: GPL-2.0-or-later

   See memory_latency.h.  */

#include "cycles/memory_latency.h"

#include "cycles/form_table.h"

/* A line has 64 bytes; the first level takes 32 in a cycle.  What memory is limited to is
   its latency divided by the lines that may be under way: 10, 12, 12, 24 and 24.  */
static const MemoryLatency latencies[] = {
   {20, 230, 2, 23, 16}, /* haswell */
   {22, 240, 2, 20, 14}, /* skylake */
   {31, 300, 2, 25, 14}, /* icelake-server */
   {23, 280, 2, 12, 13}, /* znver3 */
   {26, 320, 2, 13, 13}, /* znver4 */
};

const MemoryLatency* memory_latency(void)
{
   UInt number = 0;
   while (form_model(number) != form_model_in_use())
      number++;
   return &latencies[number];
}
