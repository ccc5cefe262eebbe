/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Accesses of all kinds, one program after the other in one process: what starts the
   process, and ends it, takes longer than each of them.
*/

#define main straddling
#include "straddling.c"
#undef main
#undef BYTES

#define main string_instructions
#include "string_instructions.c"
#undef main

#define main read_and_write
#include "read_and_write.c"
#undef main

#define main saved_state
#include "saved_state.c"
#undef main

int main(void)
{
   straddling();
   string_instructions();
   read_and_write();
   saved_state();
   return EXIT_SUCCESS;
}
