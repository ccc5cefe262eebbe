// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind_requests; see the file LICENSE that comes with it.

//go:build !linux || !(amd64 || arm64)

package callgrind_requests

// There is no Valgrind with callgrind that this package could ask.
func ask(*call) uintptr { return 0 }
