/* SPDX-License-Identifier: GPL-2.0-or-later

   Lines of words, as the tree format and the timeline format have them: words between
   single spaces, numbers, and a text at the end (docs/tree-format.md).  */

#ifndef CALLGRIND_WORDS_H
#define CALLGRIND_WORDS_H

#include "write/output.h"

/* From now on all goes there.  */
void words_to(Output* output);

/* The first word of a line, without a space before it.  */
void words_first(const HChar* word);

/* Each writes a space and then the word.  */
void words_add(const HChar* word);
void words_number(ULong number);
void words_hexadecimal(ULong number);

/* A text, escaped, without anything before it.  */
void words_escaped(const HChar* text);

/* A space and the text that ends a line, escaped.  */
void words_text(const HChar* text);

void words_end_line(void);

#endif
