/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   200 pieces of code of four instructions.  Each is called at its first instruction and
   at its third, 40 times in all: two superblocks, of which the first has the second's
   instructions, too.  */

enum { PIECES = 200, ROUNDS = 20 };

extern char pieces[], pieces_end[];

__asm__(".text\n"
        ".globl pieces, pieces_end\n"
#ifdef __aarch64__
        ".type pieces, %function\n"
#else
        ".type pieces, @function\n"
#endif
        "pieces:\n"
        ".rept 200\n"
        "   nop\n"
        "   nop\n"
        "   nop\n"
        "   ret\n"
        ".endr\n"
        "pieces_end:\n"
        ".size pieces, . - pieces\n");

static void call(const char* code) { ((void (*)(void))code)(); }

int main(void)
{
   const long size = (pieces_end - pieces) / PIECES;
   for (int round = 0; round < ROUNDS; round++)
      for (int i = 0; i < PIECES; i++) {
         call(pieces + i * size);
         call(pieces + i * size + size / 2);
      }
   return 0;
}
