// SPDX-License-Identifier: GPL-2.0-or-later
//
// Goroutines that pass work on, stacks that grow, and panics; counts its calls.
//
//	counted goroutines|growth|panics

package main

import (
	"fmt"
	"os"
	"sort"
	"sync"
	"sync/atomic"
)

var counts = map[string]*int64{
	"countedLeaf":   new(int64),
	"countedWorker": new(int64),
	"countedDeep":   new(int64),
	"countedPanic":  new(int64),
	"countedSafely": new(int64),
}
var leaf, worker = counts["countedLeaf"], counts["countedWorker"]
var deep, panics = counts["countedDeep"], counts["countedPanic"]
var safely = counts["countedSafely"]

//go:noinline
func countedLeaf(x int) int {
	atomic.AddInt64(leaf, 1)
	for i := 0; i < 100; i++ {
		x = (x*31 + i) & 0xffff
	}
	return x
}

//go:noinline
func countedWorker(in <-chan int, out chan<- int, done *sync.WaitGroup) {
	atomic.AddInt64(worker, 1)
	defer done.Done()
	for x := range in {
		out <- countedLeaf(x) & 1
	}
}

func goroutines() int {
	const workers, items = 8, 400
	in, out := make(chan int), make(chan int)
	var done sync.WaitGroup
	done.Add(workers)
	for i := 0; i < workers; i++ {
		go countedWorker(in, out, &done)
	}
	go func() {
		for i := 0; i < items; i++ {
			in <- i
		}
		close(in)
	}()
	go func() { done.Wait(); close(out) }()
	sum := 0
	for x := range out {
		sum += x
	}
	return sum
}

//go:noinline
func countedDeep(n int) int {
	atomic.AddInt64(deep, 1)
	var room [64]int
	room[n&63] = n
	if n == 0 {
		return countedLeaf(n)
	}
	return countedDeep(n-1) + room[(n+1)&63] + 1
}

func growth() int {
	sums := make(chan int)
	sum := countedDeep(500)
	for i := 0; i < 4; i++ {
		go func() { sums <- countedDeep(300) }()
		sum += <-sums
	}
	return sum
}

//go:noinline
func countedPanic(n int) int {
	atomic.AddInt64(panics, 1)
	if n == 0 {
		panic("zero")
	}
	return countedPanic(n-1) + 1
}

//go:noinline
func countedSafely(n int) (result int) {
	atomic.AddInt64(safely, 1)
	defer func() {
		if recover() != nil {
			result = countedLeaf(n)
		}
	}()
	return countedPanic(n)
}

func afterPanics() int {
	sum := 0
	for i := 0; i < 100; i++ {
		sum += countedSafely(i % 7)
	}
	return sum
}

func main() {
	sum := 0
	switch os.Args[1] {
	case "goroutines":
		sum = goroutines()
	case "growth":
		sum = growth()
	case "panics":
		sum = afterPanics()
	}
	fmt.Println("sum", sum)
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println("count", name, *counts[name])
	}
}
