/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -Wl,--no-as-needed -lstart_early_library -Wl,-rpath,$ORIGIN
   Measurement starts in the constructor of a library that the program is linked to.
*/

#include "start_early.h"
