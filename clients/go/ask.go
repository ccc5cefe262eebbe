// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind_requests; see the file LICENSE that comes with it.

//go:build linux && (amd64 || arm64)

package callgrind_requests

// What Valgrind answers; 0 without it.  In assembly: ask_linux_amd64.s, ask_linux_arm64.s.
//
//go:noescape
func ask(what *call) uintptr
