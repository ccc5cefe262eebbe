/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -mindirect-branch=thunk-inline -mfunction-return=thunk-inline
   The detours stand in the functions that need them.
*/

#include "retpolines.h"
