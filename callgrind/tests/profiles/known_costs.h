/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The functions of known_costs.c that call, in assembler.  On arm64 each has one
   instruction more than is said there: a call does not keep the return address.
*/

#ifndef KNOWN_COSTS_H
#define KNOWN_COSTS_H

#include "known_cost.h"

#if defined(__aarch64__)
#define MIDDLE "mov x9, x30\n\tbl leaf\n\tret x9"
#define OUTER                                                                            \
   "mov x10, x30\n\tbl middle\n\tbl middle\n\tbl leaf\n\tbl middle\n\tret x10"
#else
#define MIDDLE "call leaf\n\tret"
#define OUTER "call middle\n\tcall middle\n\tcall leaf\n\tcall middle\n\tret"
#endif

#endif
