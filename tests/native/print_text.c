/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints what callgrind/base/text.h makes of its argument for a terminal.  */

#include "base/text.h"

#include "pub_tool_mallocfree.h"

#include <stdio.h>

int main(int count, char** arguments)
{
   HChar* printable = text_printable("print_text", count == 2 ? arguments[1] : "");
   puts(printable);
   VG_(free)(printable);
   return 0;
}
