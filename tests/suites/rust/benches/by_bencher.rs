// SPDX-License-Identifier: GPL-2.0-or-later

use bencher::{benchmark_group, benchmark_main, Bencher};

fn parse(bencher: &mut Bencher) {
    let text = counted::numbers_as_text();
    bencher.iter(|| counted::parse(&text));
}

fn sort(bencher: &mut Bencher) {
    let numbers = counted::unsorted();
    bencher.iter(|| counted::sort(&numbers));
}

fn allocate(bencher: &mut Bencher) {
    bencher.iter(counted::allocate);
}

fn strings(bencher: &mut Bencher) {
    bencher.iter(counted::strings);
}

fn pool(bencher: &mut Bencher) {
    bencher.iter(counted::pool);
}

benchmark_group!(benches, parse, sort, allocate, strings, pool);
benchmark_main!(benches);
