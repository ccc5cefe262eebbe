/* SPDX-License-Identifier: GPL-2.0-or-later

   The rarer words of a line; see words.h.  */

#include "parsing/words.h"

/* 128 bits, which callgrind_report's own reader takes.  */
#define MOST_ADDRESS_DIGITS 38
#define MOST_ADDRESS_HEX_DIGITS 32

static int hex_digit(char c)
{
   if (is_digit(c))
      return c - '0';
   c |= 0x20;
   return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char* read_hexadecimal(const char* at, int64_t* value)
{
   const char* start = at;
   *value = 0;
   for (int digit; (digit = hex_digit(*at)) >= 0; at++) {
      if (at - start == MOST_HEX_DIGITS)
         give_up("too many hexadecimal digits");
      *value = *value * 16 + digit;
   }
   if (at == start)
      give_up("0x without digits");
   return end_word(at);
}

const char* skip_address(const char* at)
{
   if (*at == '*')
      return end_word(at + 1);
   if (*at == '+' || *at == '-')
      at++;
   const char* start = at;
   if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
      start = at += 2;
      while (hex_digit(*at) >= 0)
         at++;
      if (at == start || at - start > MOST_ADDRESS_HEX_DIGITS)
         give_up("not an address");
      return end_word(at);
   }
   while (is_digit(*at))
      at++;
   if (at == start || at - start > MOST_ADDRESS_DIGITS)
      give_up("not an address");
   return end_word(at);
}
