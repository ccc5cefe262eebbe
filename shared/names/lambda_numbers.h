/* SPDX-License-Identifier: GPL-2.0-or-later

   Which lambdas the name of a template means.  */

#ifndef SHARED_LAMBDA_NUMBERS_H
#define SHARED_LAMBDA_NUMBERS_H

#include "names/entry.h"

#include <stddef.h>

/* Of those that a name shows as one text, only so many are told apart.  */
#define MOST_LAMBDAS 64

typedef struct {
   size_t begin, end; /* in the name */
   unsigned number;   /* in its scope */
} NumberedLambda;

typedef struct {
   unsigned n;
   NumberedLambda lambdas[MOST_LAMBDAS];
} LambdaNumbers;

/* Those in `text`, the name of the entry, from left to right.  */
LambdaNumbers lambda_numbers_of(const EntryReader* entries, Entry entry,
                                const char* text);

#endif
