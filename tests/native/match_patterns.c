/* SPDX-License-Identifier: GPL-2.0-or-later

   Compares callgrind/base/pattern.h with what its patterns mean, and with the core's own
   matcher, if that is linked (-DWITH_CORE):

      match_patterns random SEED N            N random patterns and texts, short ones
      match_patterns repeat PATTERN TEXT N    PATTERN, and N times TEXT with "z" behind

   Prints how many matched and how many did not, or that they differ.  */

#include "base/pattern.h"

#include "pub_tool_seqmatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CORE
void VG_(assert_fail)(Bool is_core, const HChar* expression, const HChar* file, Int line,
                      const HChar* function, const HChar* format, ...)
{
   (void)is_core, (void)expression, (void)file, (void)line, (void)function, (void)format;
   abort();
}
#endif

/* As the words of the documents say it.  */
static Bool means(const char* pattern, const char* text)
{
   if (*pattern == '\0')
      return *text == '\0';
   if (*pattern == '*')
      return means(pattern + 1, text) || (*text != '\0' && means(pattern, text + 1));
   return *text != '\0' && (*pattern == '?' || *pattern == *text) &&
          means(pattern + 1, text + 1);
}

static void put_random(char* at, const char* bytes, unsigned longest)
{
   for (unsigned n = (unsigned)rand() % (longest + 1); n > 0; n--)
      *at++ = bytes[(unsigned)rand() % strlen(bytes)];
   *at = '\0';
}

static int compare_random(unsigned n)
{
   unsigned n_matched = 0;
   char pattern[12], text[16];
   for (unsigned i = 0; i < n; i++) {
      put_random(pattern, i % 2 ? "ab*?" : "a\\[]\xff*?*", sizeof pattern - 1);
      put_random(text, i % 2 ? "ab" : "a\\[]\xff*?", i % 3 ? 15 : 6);
      Bool matches = pattern_matches(pattern, text);
      Bool expected = means(pattern, text);
#ifdef WITH_CORE
      expected = VG_(string_match)(pattern, text) == expected ? expected : 2;
#endif
      if (matches != expected) {
         printf("'%s' and '%s': %d, %d expected\n", pattern, text, matches, expected);
         return 1;
      }
      n_matched += matches;
   }
   printf("%u matched, %u not\n", n_matched, n - n_matched);
   return 0;
}

static int match_repeated(const char* pattern, const char* piece, size_t n)
{
   size_t size = strlen(piece);
   char* text = malloc(n * size + 2);
   for (size_t i = 0; i < n; i++)
      memcpy(text + i * size, piece, size);
   strcpy(text + n * size, "z");
   Bool matches = pattern_matches(pattern, text);
   printf("%d matched, %d not\n", matches, !matches);
   free(text);
   return 0;
}

int main(int n, char** arguments)
{
   if (n == 4 && strcmp(arguments[1], "random") == 0) {
      srand((unsigned)atoi(arguments[2]));
      return compare_random((unsigned)atoi(arguments[3]));
   }
   return n == 5 ? match_repeated(arguments[2], arguments[3], (size_t)atol(arguments[4]))
                 : 2;
}
