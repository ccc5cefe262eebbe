/* SPDX-License-Identifier: GPL-2.0-or-later

   See processor_facts.h.  */

#include "cycles/processor_facts.h"

/* A line of 64 bytes takes the first level two cycles, and the second one four from the
   third.  What memory is limited to is its latency divided by the lines that may be under
   way: 10, 12, 12, 16, 16, 24 and 24; 48 where the second level fetches lines ahead.

   A division's time depends on its operands.  Here quotients have at most half the width
   of a register, as nearly all have.  */
static const ProcessorFacts facts[] = {
#if defined(VGA_amd64)
   {
      /* haswell */
      .second_level = {256 * 16, 8},
      .translations = {1024, 8},
      .alone = {8, 22, 200, 20},
      .at_least = {2, 2, 19, 5},
      .fuses = True,
      .mispredicted = 16,
      .forwarded = 5,
      .renamed = 5,
      .atomic = 19,
      .call = 2,
      .returning = 1,
      .jump = 2,
      .call_any = 2,
      .divide_32 = {26, 10},
      .divide_64 = {36, 24},
      .lea_of_three = 3,
      .load = 5,
      .string_bytes = 32,
      .moves = True,
   },
   {
      /* skylake: the server's second level */
      .second_level = {1024 * 16, 16},
      .translations = {1536, 12},
      .alone = {9, 45, 190, 20},
      .at_least = {2, 2, 16, 5},
      .fuses = True,
      .mispredicted = 14,
      .forwarded = 5,
      .renamed = 5,
      .atomic = 18,
      .call = 2,
      .returning = 1,
      .jump = 2,
      .call_any = 2,
      .divide_32 = {26, 6},
      .divide_64 = {42, 24},
      .lea_of_three = 3,
      .load = 5,
      .string_bytes = 64,
      .moves = True,
   },
   {
      /* icelake-server */
      .second_level = {1280 * 16, 20},
      .translations = {2048, 16},
      .alone = {9, 55, 250, 20},
      .at_least = {2, 2, 21, 5},
      .fuses = True,
      .mispredicted = 14,
      .forwarded = 5,
      .renamed = 5,
      .atomic = 18,
      .call = 2,
      .returning = 1,
      .jump = 2,
      .call_any = 2,
      .divide_32 = {12, 6},
      .divide_64 = {15, 10},
      .load = 5,
      .string_bytes = 64,
      .joins_stores = True,
   },
   {
      /* sapphirerapids */
      .second_level = {2048 * 16, 16},
      .translations = {2048, 16},
      .alone = {10, 110, 300, 20},
      .at_least = {2, 7, 19, 5},
      .streamed = {2, 2, 6, 5},
      .fuses = True,
      .mispredicted = 14,
      .forwarded = 5,
      .renamed = 0,
      .atomic = 18,
      .call = 1,
      .returning = 1,
      .jump = 1,
      .call_any = 3,
      .loop_buffer = 144,
      .looped = 3,
      .divide_32 = {12, 6},
      .divide_64 = {15, 10},
      .lea_scaled = 2,
      .next_addition = 2,
      .load = 5,
      .string_bytes = 64,
      .joins_stores = True,
      .moves = True,
      .steps = True,
   },
   {
      /* graniterapids */
      .second_level = {2048 * 16, 16},
      .translations = {2048, 16},
      .alone = {11, 114, 380, 20},
      .at_least = {2, 7, 24, 5},
      .streamed = {2, 2, 8, 5},
      .fuses = True,
      .mispredicted = 14,
      .forwarded = 5,
      .renamed = 0,
      .atomic = 18,
      .call = 1,
      .returning = 1,
      .jump = 1,
      .call_any = 3,
      .loop_buffer = 192,
      .looped = 3,
      .divide_32 = {12, 6},
      .divide_64 = {15, 10},
      .lea_scaled = 2,
      .next_addition = 2,
      .product = 3,
      .load = 5,
      .string_bytes = 64,
      .joins_stores = True,
      .moves = True,
      .steps = True,
      .fuses_loads = True,
   },
   {
      /* znver3 */
      .second_level = {512 * 16, 8},
      .translations = {2048, 8},
      .alone = {8, 34, 330, 25},
      .at_least = {2, 2, 14, 5},
      .fuses = True,
      .mispredicted = 13,
      .forwarded = 7,
      .renamed = 7,
      .atomic = 8,
      .call = 2,
      .returning = 2,
      .jump = 2,
      .call_any = 2,
      .divide_32 = {10, 6},
      .divide_64 = {12, 7},
      .lea_of_three = 2,
      .lea_scaled = 2,
      .crossing = 3,
      .gathered = 1,
      .load = 4,
      .string_bytes = 32,
      .moves = True,
   },
   {
      /* znver4 */
      .second_level = {1024 * 16, 8},
      .translations = {3072, 12},
      .alone = {10, 36, 370, 25},
      .at_least = {2, 2, 15, 5},
      .fuses = True,
      .mispredicted = 13,
      .forwarded = 7,
      .renamed = 0,
      .atomic = 8,
      .call = 2,
      .returning = 2,
      .jump = 2,
      .call_any = 2,
      .divide_32 = {10, 6},
      .divide_64 = {12, 7},
      .lea_of_three = 2,
      .lea_scaled = 2,
      .crossing = 3,
      .gathered = 1,
      .load = 4,
      .string_bytes = 32,
      .moves = True,
   },
#elif defined(VGA_arm64)
   {
      /* neoverse-n1 */
      .width = 4,
      .second_level = {1024 * 16, 8},
      .translations = {1280, 5},
      .alone = {7, 60, 200, 20},
      .at_least = {2, 4, 13, 5},
      .mispredicted = 11,
      .forwarded = 5,
      .renamed = 5,
      .atomic = 10,
      .call = 1,
      .returning = 1,
      .jump = 1,
      .call_any = 1,
      .divide_32 = {8, 8},
      .divide_64 = {12, 12},
      .step = 1,
      .load = 4,
      .string_bytes = 32,
   },
   {
      /* neoverse-v1 */
      .width = 8,
      .second_level = {1024 * 16, 8},
      .translations = {2048, 4},
      .alone = {6, 60, 200, 20},
      .at_least = {2, 4, 13, 5},
      .mispredicted = 11,
      .forwarded = 5,
      .renamed = 5,
      .atomic = 10,
      .call = 1,
      .returning = 1,
      .jump = 1,
      .call_any = 1,
      .divide_32 = {8, 8},
      .divide_64 = {12, 12},
      .step = 1,
      .load = 4,
      .string_bytes = 32,
   },
#endif
};

const ProcessorFacts* processor_facts(void)
{
   UInt number = 0;
   while (form_model(number) != form_model_in_use())
      number++;
   return &facts[number];
}

UInt processor_width(const FormModel* model)
{
   UInt width = processor_facts()->width;
   return width != 0 ? width : model->width;
}
