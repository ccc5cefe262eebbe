// SPDX-License-Identifier: GPL-2.0-or-later
// Maps, sorting and strings in Go, so many times over.

package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

func main() {
	times, _ := strconv.Atoi(os.Args[1])
	state, total := 1, 0
	for time := 0; time < times; time++ {
		counts := map[string]int{}
		for i := 0; i < 4000; i++ {
			state = (state*1103515245 + 12345) % 2147483648
			counts["w"+strconv.Itoa((state>>8)%700)]++
		}
		words := []string{}
		for word := range counts {
			words = append(words, word)
		}
		sort.Slice(words, func(i, j int) bool {
			if counts[words[i]] != counts[words[j]] {
				return counts[words[i]] > counts[words[j]]
			}
			return words[i] < words[j]
		})
		total += counts[words[0]] + strings.Index(strings.Join(words, " "), "w9")
	}
	fmt.Println(total)
}
