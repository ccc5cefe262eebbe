// SPDX-License-Identifier: GPL-2.0-or-later

use divan::Bencher;

fn main() {
    divan::main();
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = counted::numbers_as_text();
    bencher.bench(|| counted::parse(&text));
}

#[divan::bench]
fn sort(bencher: Bencher) {
    bencher
        .with_inputs(counted::unsorted)
        .bench_refs(|numbers| counted::sort(numbers));
}

#[divan::bench]
fn allocate() -> Option<Box<counted::Node>> {
    counted::allocate()
}

#[divan::bench]
fn strings() -> usize {
    counted::strings()
}

#[divan::bench]
fn pool() -> usize {
    counted::pool()
}
