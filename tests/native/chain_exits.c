/* SPDX-License-Identifier: GPL-2.0-or-later

   Has callgrind/instrument/host/chains.c make jumps of exits.  Each line of stdin is a
   case:

      CURRENT CHECKS BEFORE TARGET

   CURRENT is the id of the running function; CHECKS, whether all is checked
   (--ct-check=all).  BEFORE and TARGET are code in hexadecimal digits: what is before the
   exit, which is signed if that can be, and the superblock that it leads to, with OBJECT
   (test_chains.py) for the address of what is asked about.  Prints for each the exit
   after it was chained, and whether unchaining makes it what it was; "VEX" where it
   is left to VEX.  */

#include "core/chaining.h"
#include "instrument/host/chains.h"
#include "options/options.h"
#include "stack/frames/shadowstack_running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXIT 64
#define TARGET 256
#define EXIT_SIZE 13

Options options;
ShadowstackNow shadowstack_now;
/* In place of core/chaining.c, which is led here by the linker.  */
static const CoreChainHooks* hooks;
void core_chaining_lead(const CoreChainHooks* by) { hooks = by; }

static UInt put(UChar* at, const char* digits)
{
   UInt size = (UInt)strlen(digits) / 2;
   for (UInt i = 0; i < size; i++)
      sscanf(digits + 2 * i, "%2hhx", &at[i]);
   return size;
}

/* As put(), with the object's address where the code asks about it.  */
static void put_target(UChar* at, const char* digits)
{
   const UInt named = 0x51525354, address = (UInt)(UWord)&shadowstack_now.at.current;
   UInt size = put(at, digits);
   for (UInt i = 0; i + sizeof named <= size; i++)
      if (memcmp(at + i, &named, sizeof named) == 0)
         memcpy(at + i, &address, sizeof address);
}

static void show(const UChar* bytes, UInt size)
{
   for (UInt i = 0; i < size; i++)
      printf("%02x", bytes[i]);
}

int main(void)
{
   static char line[4096], before[512], target[512];
   static UChar code[1024], made[EXIT_SIZE];
   int all;
   unsigned long current;
   chains_init();
   while (fgets(line, sizeof line, stdin) != NULL) {
      if (sscanf(line, "%lu %d %511s %511s", &current, &all, before, target) != 4)
         return 1;
      memset(code, 0x90, sizeof code);
      put(code + EXIT - strlen(before) / 2, before);
      put_target(code + TARGET, target);
      const void* function = (const void*)0x1122334455667788;
      memcpy(code + EXIT, "\x49\xbb", 2);
      memcpy(code + EXIT + 2, &function, sizeof function);
      memcpy(code + EXIT + 10, "\x41\xff\xd3", 3);
      memcpy(made, code + EXIT, EXIT_SIZE);
      Int used = sizeof code;
      VexTranslateArgs arguments = {.host_bytes = code, .host_bytes_used = &used};
      arguments.disp_cp_chain_me_to_slowEP = arguments.disp_cp_chain_me_to_fastEP =
         function;
      ExitKnowledge exits = ExitsUntold;
      chains_note_exits_known(&exits);
      chains_sign_exits(exits, &arguments);

      options.check = all ? CheckAll : CheckDumps;
      shadowstack_now.at.current = current;
      if (hooks->chain(code + EXIT, code + TARGET) == 0) {
         printf("VEX\n");
         continue;
      }
      show(code + EXIT, EXIT_SIZE);
      hooks->unchain(code + EXIT, function);
      printf("%s\n", memcmp(code + EXIT, made, EXIT_SIZE) == 0 ? "" : " and not back");
   }
   return 0;
}
