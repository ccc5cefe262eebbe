// SPDX-License-Identifier: GPL-2.0-or-later

use gungraun::{library_benchmark, library_benchmark_group, main};
use std::hint::black_box;

#[library_benchmark]
#[bench::numbers(counted::numbers_as_text())]
fn parse(text: String) -> usize {
    black_box(counted::parse(&text))
}

#[library_benchmark]
#[bench::unsorted(counted::unsorted())]
fn sort(numbers: Vec<usize>) -> Vec<usize> {
    black_box(counted::sort(&numbers))
}

#[library_benchmark]
fn allocate() -> Option<Box<counted::Node>> {
    black_box(counted::allocate())
}

#[library_benchmark]
fn strings() -> usize {
    black_box(counted::strings())
}

#[library_benchmark]
fn pool() -> usize {
    black_box(counted::pool())
}

library_benchmark_group!(name = benches; benchmarks = parse, sort, allocate, strings, pool);
main!(library_benchmark_groups = benches);
