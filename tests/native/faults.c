/* SPDX-License-Identifier: GPL-2.0-or-later

   See faults.h.  */

#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* wanted;
static int has_begun;
static int n_calls;          /* of any name */
static int n_named;          /* of the name that is to fail */
static char failed_name[16]; /* of the call that failed first */

void faults_begin(const char* fault)
{
   wanted = fault;
   has_begun = 1;
   n_calls = n_named = 0;
   failed_name[0] = '\0';
}

int fault_of(const char* name)
{
   char wanted_name[16];
   int first, error, once = 0;
   if (!has_begun)
      faults_begin(getenv("FAULT"));
   n_calls++;
   if (wanted == NULL ||
       sscanf(wanted, "%15[^:]:%d:%d:%d", wanted_name, &first, &error, &once) < 3)
      return 0;
   int is_any = strcmp(wanted_name, "any") == 0;
   if (is_any || strcmp(wanted_name, name) == 0)
      n_named++;
   if (failed_name[0] == '\0' && n_named == first &&
       (is_any || strcmp(wanted_name, name) == 0))
      snprintf(failed_name, sizeof failed_name, "%s", name);
   else if (once || strcmp(failed_name, name) != 0)
      return 0;
   return error != 0 ? error : strcmp(name, "write") == 0 ? FAULT_SHORT : 0;
}

int faults_calls(void) { return n_calls; }
const char* faults_name(void) { return failed_name; }
