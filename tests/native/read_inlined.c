/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints which functions are inlined where in an ELF file, by its debug information
   (callgrind/dwarf/inlining.h):

      read_inlined FILE FIRST LAST
      read_inlined FILE FIRST LAST functions

   For each address of these from which on it is another one than before: the address, and
   the calls from the innermost to the outermost, as `NAME|LINKAGE NAME|PATH|LINE`.  `-`
   is no call, `?` is that the file does not tell.  Or the place of the function that has
   the code, as `PATH|LINE`.  */

#include "dwarf/function_names.h"
#include "dwarf/inlining.h"
#include "guest/debug_files.h"

#include <stdio.h>
#include <stdlib.h>

static const char* text_or_none(const char* text) { return text != NULL ? text : ""; }

static void print_calls(const InlinedCall* call)
{
   for (; call != NULL; call = call->outer) {
      FunctionDescription function = function_names_describe(call->file, call->function);
      printf(" %s|%s|%s|%u", text_or_none(function.name), text_or_none(function.linkage),
             text_or_none(function.path), function.line);
      free(function.name);
   }
}

static void print_inlined(DwarfFile* file, Addr at, Addr end)
{
   InlinedCall* last = NULL;
   int last_known = -1;
   for (; at <= end; at++) {
      InlinedCall* call;
      int known = inlining_at(file, at, &call);
      if (known == last_known && call == last)
         continue;
      printf("%#lx", (unsigned long)at);
      if (call != NULL)
         print_calls(call);
      else
         printf(known ? " -" : " ?");
      printf("\n");
      last = call;
      last_known = known;
   }
}

static void print_functions(DwarfFile* file, Addr at, Addr end)
{
   ULong last = 0;
   for (; at <= end; at++) {
      DwarfFile* in;
      ULong offset = ~0ULL;
      Bool is_known = inlining_function_at(file, at, &in, &offset);
      if (offset == last)
         continue;
      last = offset;
      FunctionPlace place = {NULL, 0};
      if (is_known)
         place = function_names_place(in, offset);
      if (is_known)
         printf("%#lx %s|%u\n", (unsigned long)at, text_or_none(place.path), place.line);
      else
         printf("%#lx ?\n", (unsigned long)at);
   }
}

/* Where a sanitizer sees that it is still needed.  */
static DwarfFile* file;

int main(int n_words, char** words)
{
   file = n_words >= 4 ? debug_files_read(words[1], NULL, DebugAnywhere) : NULL;
   if (file == NULL) {
      printf("no debug information\n");
      return 0;
   }
   Addr first = strtoul(words[2], NULL, 0), end = strtoul(words[3], NULL, 0);
   if (n_words > 4)
      print_functions(file, first, end);
   else
      print_inlined(file, first, end);
   return 0;
}
