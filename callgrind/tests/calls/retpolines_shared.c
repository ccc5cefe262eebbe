/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -mindirect-branch=thunk -mfunction-return=thunk -static
   The detours are functions of their own, __x86_indirect_thunk_rdi and
   __x86_return_thunk.
*/

#include "retpolines.h"
