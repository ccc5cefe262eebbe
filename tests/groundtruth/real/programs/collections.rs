// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Rust programs are made of: collections, closures, iterators, trait objects, panics
// that are caught after they have dropped what was live, and threads.

use std::collections::{BTreeMap, HashMap};
use std::panic;
use std::sync::mpsc;
use std::thread;

trait Shape {
    fn area(&self) -> u64;
}

struct Square(u64);
struct Rectangle {
    width: u64,
    height: u64,
    name: String,
}

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

impl Shape for Rectangle {
    fn area(&self) -> u64 {
        self.width * self.height + self.name.len() as u64
    }
}

impl Drop for Rectangle {
    #[inline(never)]
    fn drop(&mut self) {
        self.name.clear();
    }
}

#[inline(never)]
fn sum_of_areas(count: u64) -> u64 {
    let mut shapes: Vec<Box<dyn Shape>> = Vec::new();
    for i in 0..count {
        if i % 2 == 0 {
            shapes.push(Box::new(Square(i)));
        } else {
            shapes.push(Box::new(Rectangle { width: i, height: 2, name: format!("r{i}") }));
        }
    }
    shapes.iter().map(|shape| shape.area()).sum()
}

#[inline(never)]
fn count_words(words: usize) -> String {
    // Hashing is seeded by the system: the order in the map differs from run to run.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for i in 0..words {
        *counts.entry(format!("word{}", i % 13)).or_insert(0) += 1;
    }
    let sorted: BTreeMap<_, _> = counts.into_iter().collect();
    sorted.iter().map(|(word, count)| format!("{word}{count}")).collect()
}

#[inline(never)]
fn descend(depth: u32, shape: &dyn Shape) -> u64 {
    let kept = Rectangle { width: 1, height: 1, name: depth.to_string() };
    if depth == 0 {
        panic!("{} is no depth", shape.area());
    }
    descend(depth - 1, shape) + kept.area()
}

fn count_panics(times: u32) -> u32 {
    (0..times)
        .filter(|&depth| panic::catch_unwind(|| descend(depth, &Square(3))).is_err())
        .count() as u32
}

fn compose(functions: &[Box<dyn Fn(u64) -> u64>], start: u64) -> u64 {
    functions.iter().fold(start, |value, function| function(value))
}

fn work_in_threads(threads: u64) -> u64 {
    let (sender, receiver) = mpsc::channel();
    let handles: Vec<_> = (0..threads)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(sum_of_areas(20 + number)).unwrap())
        })
        .collect();
    drop(sender);
    let sum = receiver.iter().sum();
    for handle in handles {
        handle.join().unwrap();
    }
    sum
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let mut numbers: Vec<u64> = (0..300).map(|n| n * 7919 % 1009).collect();
    numbers.sort_by(|a, b| (a % 100).cmp(&(b % 100)).then(b.cmp(a)));
    let functions: Vec<Box<dyn Fn(u64) -> u64>> =
        vec![Box::new(|n| n + 1), Box::new(move |n| n * numbers[1])];
    println!("{} {}", sum_of_areas(100), count_words(200).len());
    println!("{} {} {}", count_panics(10), compose(&functions, 5), work_in_threads(3));
}
