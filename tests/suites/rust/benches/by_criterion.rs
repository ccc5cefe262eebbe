// SPDX-License-Identifier: GPL-2.0-or-later

use counted::{allocate, numbers_as_text, parse, pool, sort, strings, unsorted};
use criterion::{criterion_group, criterion_main, Criterion};

fn reading(c: &mut Criterion) {
    let text = numbers_as_text();
    c.bench_function("parse", |b| b.iter(|| parse(&text)));
    c.bench_function("strings", |b| b.iter(strings));
}

fn more(c: &mut Criterion) {
    let numbers = unsorted();
    c.bench_function("sort", |b| b.iter(|| sort(&numbers)));
    c.bench_function("allocate", |b| b.iter(allocate));
    c.bench_function("pool", |b| b.iter(pool));
}

criterion_group!(benches, reading, more);
criterion_main!(benches);
