// SPDX-License-Identifier: GPL-2.0-or-later
//
// tests/suites/checked.py says what the benchmarks do.

package counted

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"callgrind_requests"
)

var kept interface{}

//go:noinline
func digits(text string) (number int) {
	for _, digit := range text {
		number = number*10 + int(digit-'0')
	}
	return
}

//go:noinline
func parse(text string) (sum int) {
	for _, word := range strings.Split(text, ",") {
		sum += digits(word)
	}
	return
}

func BenchmarkRead(b *testing.B) {
	b.Run("parse", func(b *testing.B) {
		var words []string
		for number := 0; number < 40; number++ {
			words = append(words, strconv.Itoa(number))
		}
		text := strings.Join(words, ",")
		parse(text) // is not measured
		defer callgrind_requests.Measure(b)()
		for i := 0; i < b.N; i++ {
			kept = parse(text)
		}
	})
}

//go:noinline
func merge(left, right []int) []int {
	var merged []int
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			merged, left = append(merged, left[0]), left[1:]
		} else {
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	return append(append(merged, left...), right...)
}

//go:noinline
func sort(numbers []int) []int {
	if len(numbers) < 2 {
		return numbers
	}
	half := len(numbers) / 2
	return merge(sort(numbers[:half]), sort(numbers[half:]))
}

func Benchmark_sort(b *testing.B) {
	var numbers []int
	for i := 0; i < 64; i++ {
		numbers = append(numbers, (i*7919)%64)
	}
	defer callgrind_requests.Measure(b)()
	for i := 0; i < b.N; i++ {
		kept = sort(numbers)
	}
}

type node struct{ after *node }

//go:noinline
func make_node(after *node) *node { return &node{after} }

//go:noinline
func allocate() (list *node) {
	for i := 0; i < 100; i++ {
		list = make_node(list)
	}
	return
}

func Benchmark_allocate(b *testing.B) {
	defer callgrind_requests.Measure(b)()
	for i := 0; i < b.N; i++ {
		kept = allocate()
	}
}

//go:noinline
func count_word(counts map[string]int, word string) { counts[word]++ }

//go:noinline
func count_words(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(text) {
		count_word(counts, word)
	}
	return counts
}

func Benchmark_strings(b *testing.B) {
	text := strings.Repeat("the quick brown fox ", 40)
	defer callgrind_requests.Measure(b)()
	for i := 0; i < b.N; i++ {
		kept = count_words(text)
	}
}

//go:noinline
func task(number int) int { return digits(strconv.Itoa(number)) }

//go:noinline
func pool() (sum int) {
	numbers, sums := make(chan int), make(chan int)
	var workers sync.WaitGroup
	for i := 0; i < 3; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for number := range numbers {
				sums <- task(number)
			}
		}()
	}
	go func() {
		for number := 0; number < 9; number++ {
			numbers <- number
		}
		close(numbers)
		workers.Wait()
		close(sums)
	}()
	for part := range sums {
		sum += part
	}
	return
}

func Benchmark_pool(b *testing.B) {
	defer callgrind_requests.Measure(b)()
	for i := 0; i < b.N; i++ {
		kept = pool()
	}
}

func BenchmarkFailing(b *testing.B) {
	defer callgrind_requests.Measure(b)()
	b.Skip("as it should")
}
