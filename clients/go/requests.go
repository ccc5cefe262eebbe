// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind_requests; see the file LICENSE that comes with it.

// Package callgrind_requests makes requests of Valgrind's callgrind while a program runs
// under it.  Without Valgrind a request is a handful of instructions without effect.
//
//	func BenchmarkParse(b *testing.B) {
//		text := read()
//		defer callgrind_requests.Measure(b)()
//		for i := 0; i < b.N; i++ {
//			parse(text)
//		}
//	}
//
// No Valgrind and no C compiler is needed to build it.
package callgrind_requests

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// An ABI: those of callgrind.h.
const (
	runningOnValgrind = 0x1001
	callgrind         = 0x43540000
)

// What Valgrind reads of a request.  The text is a pointer, so that it is moved with what
// it points to.
type call struct {
	code uintptr
	text unsafe.Pointer
	_    [4]uintptr
}

func request(code uintptr) uintptr {
	return ask(&call{code: code})
}

// Up to the first NUL.  Natively nothing is allocated.
func requestWith(code uintptr, text string) {
	if !RunningOnValgrind() {
		return
	}
	text, _, _ = strings.Cut(text, "\x00")
	bytes := append([]byte(text), 0)
	ask(&call{code: code, text: unsafe.Pointer(&bytes[0])})
	runtime.KeepAlive(bytes)
}

// RunningOnValgrind tells whether the program runs under Valgrind, with any of its tools.
func RunningOnValgrind() bool { return request(runningOnValgrind) != 0 }

// Dump writes all costs counted so far as one part of the profile, then sets them to zero.
func Dump() { request(callgrind) }

// Zero sets all costs counted so far to zero.
func Zero() { request(callgrind + 1) }

// ToggleCollect switches collection of this thread off or on.
func ToggleCollect() { request(callgrind + 2) }

// DumpAt is as Dump; the part is called name.
func DumpAt(name string) { requestWith(callgrind+3, name) }

// Start begins to measure.  With --instr-atstart=no, everything before runs at full speed.
func Start() { request(callgrind + 4) }

// Stop ceases to measure.  Costs counted so far are kept until the next dump.
func Stop() { request(callgrind + 5) }

// AddObjSkip folds the functions of the object at path into their callers from now on.
// Valgrind's own callgrind does not know it: it prints a warning, and goes on.
func AddObjSkip(path string) { requestWith(callgrind+6, path) }

// AddDesc puts a text of the form "name: value" into the header of the next part.
// Valgrind's own callgrind does not know it.
func AddDesc(text string) { requestWith(callgrind+7, text) }

// Mark marks this moment on the timeline (--timeline=yes).
// Valgrind's own callgrind does not know it.
func Mark(text string) { requestWith(callgrind+0x4d00, text) }

func nothing() {}

// Measure begins to measure a benchmark; what it returns ends that, and writes the costs
// as a part that is called as the benchmark is.  A benchmark that fails has no part.
//
// The testing package calls a benchmark with b.N of 1 first: that is what is measured,
// and nothing of later calls.  -test.benchtime=1x leaves those out; a benchmark that asks
// b.Loop() needs it.
func Measure(b *testing.B) func() {
	if !RunningOnValgrind() || b.N != 1 {
		return nothing
	}
	runtime.GC() // so that the garbage of others is not collected meanwhile
	runtime.LockOSThread()
	Zero()
	Start()
	return func() {
		Stop()
		if b.Failed() || b.Skipped() {
			Zero()
		} else {
			DumpAt(b.Name())
		}
		runtime.UnlockOSThread()
	}
}
