// SPDX-License-Identifier: GPL-2.0-or-later
//
// tests/clients/contract.py says what it does.

package main

import (
	"fmt"
	"os"
	"runtime"

	callgrind "callgrind_requests"
)

var sum int

//go:noinline
func counted() {
	for i := 0; i < 50; i++ {
		sum += i
	}
}

func main() {
	runtime.LockOSThread()
	callgrind.Start()
	for i := 0; i < 3; i++ {
		counted()
	}
	callgrind.Stop()
	callgrind.DumpAt("first part")

	callgrind.AddObjSkip(os.Args[1])
	callgrind.AddDesc("kind: second")
	callgrind.Start()
	callgrind.Mark("in the second")
	counted()
	callgrind.Stop()
	callgrind.DumpAt("second\npart")

	callgrind.Start()
	counted()
	callgrind.Stop()
	callgrind.Zero()
	callgrind.Dump()

	callgrind.Start()
	callgrind.ToggleCollect()
	counted()
	callgrind.ToggleCollect()
	callgrind.Stop()
	callgrind.DumpAt("toggled")
	answer := "no"
	if callgrind.RunningOnValgrind() {
		answer = "yes"
	}
	fmt.Println("under Valgrind:", answer)
}
