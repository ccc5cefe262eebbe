// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind_requests; see the file LICENSE that comes with it.

#include "textflag.h"

// func ask(what *call) uintptr
//
// The instructions that Valgrind takes for a request: rotations that add up to two whole
// turns, and a register that is or'ed with itself.
TEXT ·ask(SB), NOSPLIT, $0-16
	MOVD	what+0(FP), R4
	MOVD	$0, R3
	ROR	$3, R12, R12
	ROR	$13, R12, R12
	ROR	$51, R12, R12
	ROR	$61, R12, R12
	ORR	R10, R10, R10
	MOVD	R3, ret+8(FP)
	RET
