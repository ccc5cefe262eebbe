/* SPDX-License-Identifier: GPL-2.0-or-later

   The library of README.md's second example: what is measured, and two functions that
   switch measuring on and off.  */

#include <valgrind/callgrind.h>

void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void stop(void) { CALLGRIND_STOP_INSTRUMENTATION; }

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char* skip_word(const char* text)
{
   while (is_letter(*text))
      text++;
   return text;
}

int count_words(const char* text)
{
   int words = 0;
   for (; *text != '\0'; text++)
      if (is_letter(*text)) {
         words++;
         text = skip_word(text) - 1;
      }
   return words;
}
