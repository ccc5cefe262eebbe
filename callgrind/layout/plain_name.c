/* SPDX-License-Identifier: GPL-2.0-or-later

   See plain_name.h.  What a build makes anew: Rust ends a symbol with ::h and 16
   hexadecimal digits, or has a disambiguator in brackets behind the crate's name; LLVM
   numbers what it made global (.llvm.123), GCC its copies of a function (.constprop.0).
   Cargo ends the name of a program with a dash and 16 hexadecimal digits.  */

#include "layout/plain_name.h"

#include <stdbool.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

static bool is_of_word(char c)
{
   return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* How many hexadecimal digits there are, up to `most`.  */
static int hexadecimals(const char* at, int most)
{
   int n = 0;
   while (n < most && is_hexadecimal(at[n]))
      n++;
   return n;
}

/* The length of `prefix` if `at` begins with it, otherwise 0.  */
static int begins(const char* at, const char* prefix)
{
   int n = 0;
   for (; prefix[n] != '\0'; n++)
      if (at[n] != prefix[n])
         return 0;
   return n;
}

/* The length of a point and digits at `at`; 0 if they are not there.  */
static int number(const char* at)
{
   int n = 1;
   if (at[0] != '.')
      return 0;
   while (is_digit(at[n]))
      n++;
   return n > 1 ? n : 0;
}

/* What goes where it is found: its length, and of that how much stays in front.  `before`
   is the character before it.  */
typedef struct {
   int length, kept;
} Found;

static Found rust_hash(const char* at, char before)
{
   (void)before;
   int n = begins(at, "::h");
   bool is_hash = n > 0 && hexadecimals(at + n, 16) == 16 && !is_of_word(at[n + 16]);
   return (Found){is_hash ? n + 16 : 0, 0};
}

static Found crate_hash(const char* at, char before)
{
   int n = at[0] == '[' && is_of_word(before) ? hexadecimals(at + 1, 17) : 0;
   return (Found){n >= 12 && n <= 16 && at[1 + n] == ']' ? n + 2 : 0, 0};
}

static Found copy_number(const char* at, char before)
{
   static const char* const words[] = {"constprop", "isra", "part", "lto_priv"};
   int n = begins(at, ".llvm");
   if (n > 0 && number(at + n) > 0)
      return (Found){n + number(at + n), 0};
   for (unsigned i = 0; before == '.' && i < sizeof words / sizeof *words; i++) {
      n = begins(at, words[i]);
      if (n > 0 && number(at + n) > 0)
         return (Found){n + number(at + n), n};
   }
   return (Found){0, 0};
}

/* Takes out of `text` all that is found.  */
static void take_out(char* text, Found (*find)(const char*, char))
{
   char* to = text;
   char before = '\0';
   for (const char* at = text; *at != '\0';) {
      Found found = find(at, before);
      if (found.length == 0)
         found = (Found){1, 1};
      before = at[found.length - 1];
      for (int i = 0; i < found.kept; i++)
         *to++ = at[i];
      at += found.length;
   }
   *to = '\0';
}

void plain_name_of_function(const char* name, char* plain)
{
   char* end = plain;
   for (const char* at = name; *at != '\0'; at++)
      *end++ = *at;
   *end = '\0';
   take_out(plain, rust_hash);
   take_out(plain, crate_hash);
   take_out(plain, copy_number);
}

/* A dash and 16 hexadecimal digits, at the end or before a point.  */
static int cargo_hash(const char* at)
{
   char behind = at[0] == '-' && hexadecimals(at + 1, 16) == 16 ? at[17] : 'x';
   return behind == '\0' || behind == '.' ? 17 : 0;
}

/* A dash and a version before ".so".  */
static int dashed_version(const char* at)
{
   int n = 1;
   if (at[0] != '-' || !is_digit(at[1]))
      return 0;
   while (is_digit(at[n]) || (at[n] == '.' && is_digit(at[n + 1])))
      n++;
   return begins(at + n, ".so") > 0 ? n : 0;
}

/* Do only points and numbers follow?  */
static bool ends_as_version(const char* at)
{
   int n;
   while ((n = number(at)) > 0)
      at += n;
   return *at == '\0';
}

void plain_name_of_object(const char* path, char* plain)
{
   const char* base = path;
   for (const char* at = path; *at != '\0'; at++)
      if (*at == '/')
         base = at + 1;
   for (const char* at = base; *at != '\0';) {
      int skipped = at > base ? cargo_hash(at) : 0;
      if (skipped == 0)
         skipped = dashed_version(at);
      if (skipped == 0)
         *plain++ = *at++;
      at += skipped;
      if (at - base >= 3 && begins(at - 3, ".so") > 0 && ends_as_version(at))
         break;
   }
   *plain = '\0';
}
