// SPDX-License-Identifier: GPL-2.0-or-later
//
// A hash map with the library's random keys, strings and sorting.

use std::collections::HashMap;

fn main() {
    let mut edges: HashMap<String, Vec<u32>> = HashMap::new();
    let mut state: u32 = 1;
    for _ in 0..3000 {
        state = state.wrapping_mul(1103515245).wrapping_add(12345);
        let from = format!("node{}", state >> 16 & 255);
        edges.entry(from).or_default().push(state >> 8 & 255);
    }
    let mut longest = 0;
    for (name, targets) in &mut edges {
        targets.sort();
        targets.dedup();
        longest = longest.max(targets.len() + name.len());
    }
    let mut seen: HashMap<u32, usize> = HashMap::new();
    for targets in edges.values() {
        for target in targets {
            *seen.entry(*target).or_insert(0) += longest;
        }
    }
    std::process::exit((seen.is_empty()) as i32);
}
