// SPDX-License-Identifier: GPL-2.0-or-later
//
// Go that calls C, and C that calls Go; counts its calls.

package main

/*
extern int countedBack(int);
static int calls;
static int __attribute__((noinline)) countedInC(int x)
{
   calls++;
   return x % 4 == 0 ? countedBack(x) : x * 3;
}
static int calls_in_c(void) { return calls; }
*/
import "C"

import "fmt"

var back, leaf int

//go:noinline
func countedLeaf(x int) int {
	leaf++
	return x*7 + 1
}

//export countedBack
func countedBack(x C.int) C.int {
	back++
	return C.int(countedLeaf(int(x)))
}

func main() {
	sum := 0
	for i := 0; i < 200; i++ {
		sum += int(C.countedInC(C.int(i)))
		sum += countedLeaf(i)
	}
	fmt.Println("sum", sum)
	fmt.Println("count countedInC", C.calls_in_c())
	fmt.Println("count countedBack", back)
	fmt.Println("count countedLeaf", leaf)
}
