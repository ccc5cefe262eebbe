/* SPDX-License-Identifier: GPL-2.0-or-later

   See words.h.  */

#include "write/words.h"

static Output* output;

void words_to(Output* to) { output = to; }

void words_first(const HChar* word) { output_text(output, word); }

void words_add(const HChar* word)
{
   output_char(output, ' ');
   output_text(output, word);
}

void words_number(ULong number)
{
   output_char(output, ' ');
   output_decimal(output, number);
}

void words_hexadecimal(ULong number)
{
   output_char(output, ' ');
   output_hex(output, number);
}

static void escaped_char(HChar letter)
{
   static const HChar digits[] = "0123456789abcdef";
   UChar byte = (UChar)letter;
   if (letter == '\\')
      output_text(output, "\\\\");
   else if (byte < 32 || byte == 127) {
      output_text(output, "\\x");
      output_char(output, digits[byte >> 4]);
      output_char(output, digits[byte & 15]);
   } else
      output_char(output, letter);
}

void words_escaped(const HChar* text)
{
   for (; *text != '\0'; text++)
      escaped_char(*text);
}

void words_text(const HChar* text)
{
   output_char(output, ' ');
   words_escaped(text);
   output_char(output, '\n');
}

void words_end_line(void) { output_char(output, '\n'); }
