// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks of Rust do: tests/suites/checked.py says what that is.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[inline(never)]
pub fn digits(text: &str) -> usize {
    let mut number = 0;
    for digit in text.bytes() {
        number = number * 10 + (digit - b'0') as usize;
    }
    number
}

#[inline(never)]
pub fn parse(text: &str) -> usize {
    text.split(',').map(digits).sum()
}

pub fn numbers_as_text() -> String {
    let words: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    words.join(",")
}

#[inline(never)]
pub fn merge(left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut merged = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] <= right[j] {
            merged.push(left[i]);
            i += 1;
        } else {
            merged.push(right[j]);
            j += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    merged
}

#[inline(never)]
pub fn sort(numbers: &[usize]) -> Vec<usize> {
    if numbers.len() < 2 {
        return numbers.to_vec();
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    merge(&sort(left), &sort(right))
}

pub fn unsorted() -> Vec<usize> {
    (0..64).map(|i| (i * 7919) % 64).collect()
}

pub struct Node {
    pub after: Option<Box<Node>>,
}

#[inline(never)]
pub fn make_node(after: Option<Box<Node>>) -> Option<Box<Node>> {
    Some(Box::new(Node { after }))
}

#[inline(never)]
pub fn allocate() -> Option<Box<Node>> {
    let mut node = None;
    for _ in 0..100 {
        node = make_node(node);
    }
    node
}

#[inline(never)]
pub fn count_word(counts: &mut HashMap<String, usize>, word: &str) {
    *counts.entry(word.to_string()).or_insert(0) += 1;
}

#[inline(never)]
pub fn strings() -> usize {
    let mut counts = HashMap::new();
    for word in "the quick brown fox ".repeat(40).split_whitespace() {
        count_word(&mut counts, word);
    }
    counts["fox"]
}

#[inline(never)]
pub fn task(number: usize) -> usize {
    digits(&number.to_string())
}

#[inline(never)]
pub fn pool() -> usize {
    let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= 9 {
                    break;
                }
                sum.fetch_add(task(number), Ordering::SeqCst);
            });
        }
    });
    sum.into_inner()
}
