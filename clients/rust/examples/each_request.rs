// SPDX-License-Identifier: BSD-2-Clause
//
// Makes each request once: `each_request PATH`, where the second part does not show the
// functions of the object at PATH.

use callgrind_requests as callgrind;

#[inline(never)]
fn counted() -> u32 {
    std::hint::black_box((0..50).map(std::hint::black_box).sum())
}

fn main() {
    callgrind::start();
    for _ in 0..3 {
        counted();
    }
    callgrind::stop();
    callgrind::dump_at("first part");

    callgrind::add_obj_skip(&std::env::args().nth(1).expect("the path of an object"));
    callgrind::add_desc("kind: second");
    callgrind::start();
    callgrind::mark("in the second");
    counted();
    callgrind::stop();
    callgrind::dump_at("second\npart");

    callgrind::start();
    counted();
    callgrind::stop();
    callgrind::zero();
    callgrind::dump();

    callgrind::start();
    callgrind::toggle_collect();
    counted();
    callgrind::toggle_collect();
    callgrind::stop();
    callgrind::dump_at("toggled");
    let answer = if callgrind::running_on_valgrind() { "yes" } else { "no" };
    println!("under Valgrind: {answer}");
}
