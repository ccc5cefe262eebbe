/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Goes to another folder before it ends.
*/

#include <unistd.h>

int main(void) { return chdir("/"); }
