// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind_requests; see the file LICENSE that comes with it.

#include "textflag.h"

// func ask(what *call) uintptr
//
// The instructions that Valgrind takes for a request.  The rotations add up to two whole
// turns, and the exchange is of a register with itself.
TEXT ·ask(SB), NOSPLIT, $0-16
	MOVQ	what+0(FP), AX
	MOVQ	$0, DX
	ROLQ	$3, DI
	ROLQ	$13, DI
	ROLQ	$61, DI
	ROLQ	$51, DI
	XCHGQ	BX, BX
	MOVQ	DX, ret+8(FP)
	RET
