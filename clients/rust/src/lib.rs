// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind-requests; see the file LICENSE that comes with it.
//
// Owns: the sequence of instructions that Valgrind takes for a request, and the codes,
// which are an ABI.  Anywhere but under Valgrind on x86-64 and AArch64 Linux, a request
// has no effect.

//! Requests that a program makes of callgrind while it runs under it.
//!
//! ```
//! let sum = callgrind_requests::measure("sum", || (0..100).sum::<u32>());
//! assert_eq!(sum, 4950);
//! ```
//!
//! Without Valgrind a request is a handful of instructions without effect. No Valgrind is
//! needed to build this.

#![warn(missing_docs)]

use std::ffi::c_char;
use std::hint::black_box;
use std::ptr::null;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const CALLGRIND: usize = 0x4354_0000;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[inline(always)]
fn request(code: usize, text: *const c_char) -> usize {
    let call = [code, text as usize, 0, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to two whole turns, and the exchange is of a register
    // with itself; Valgrind reads `call` and the text, and sets rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") call.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
#[inline(always)]
fn request(code: usize, text: *const c_char) -> usize {
    let call = [code, text as usize, 0, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to two whole turns, and a register is or'ed with
    // itself; Valgrind reads `call` and the text, and sets x3.
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") call.as_ptr(),
            inout("x3") answer,
            options(nostack),
        );
    }
    answer
}

#[cfg(not(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_os = "linux"
)))]
#[inline(always)]
fn request(_code: usize, _text: *const c_char) -> usize {
    0
}

/// Makes a request with a text, up to its first NUL; natively nothing is allocated.
fn request_with(code: usize, text: &str) {
    if running_on_valgrind() {
        let bytes: Vec<u8> = text.bytes().take_while(|&b| b != 0).chain([0]).collect();
        request(code, bytes.as_ptr().cast());
    }
}

/// Whether the program runs under Valgrind, with any of its tools.
#[inline(always)]
pub fn running_on_valgrind() -> bool {
    request(RUNNING_ON_VALGRIND, null()) != 0
}

/// Writes all costs counted so far as one part of the profile, then sets them to zero.
#[inline(always)]
pub fn dump() {
    request(CALLGRIND, null());
}

/// Sets all costs counted so far to zero.
#[inline(always)]
pub fn zero() {
    request(CALLGRIND + 1, null());
}

/// Switches collection off where it is on, and on where it is off.
#[inline(always)]
pub fn toggle_collect() {
    request(CALLGRIND + 2, null());
}

/// As [`dump`]; the part is called `name`.
pub fn dump_at(name: &str) {
    request_with(CALLGRIND + 3, name);
}

/// Begins to measure. With `--instr-atstart=no`, everything before runs at full speed.
#[inline(always)]
pub fn start() {
    request(CALLGRIND + 4, null());
}

/// Ceases to measure. Costs counted so far are kept until the next dump.
#[inline(always)]
pub fn stop() {
    request(CALLGRIND + 5, null());
}

/// From now on folds the functions of the object at `path` into their callers.
/// Valgrind's own callgrind does not know it: it prints a warning, and goes on.
pub fn add_obj_skip(path: &str) {
    request_with(CALLGRIND + 6, path);
}

/// Puts a text of the form `name: value` into the header of the next part.
/// Valgrind's own callgrind does not know it.
pub fn add_desc(text: &str) {
    request_with(CALLGRIND + 7, text);
}

/// Marks this moment on the timeline (`--timeline=yes`).
/// Valgrind's own callgrind does not know it.
pub fn mark(text: &str) {
    request_with(CALLGRIND + 0x4d00, text);
}

/// Ceases to measure, also where the function panics: then there is no part.
struct Measurement<'a> {
    name: &'a str,
    is_done: bool,
}

impl Drop for Measurement<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        stop();
        if self.is_done {
            dump_at(self.name);
        } else {
            zero();
        }
    }
}

/// Calls a function; what it spends is a part called `name`. The compiler is kept from
/// leaving out what nobody looks at.
#[inline(always)]
pub fn measure<Result>(name: &str, function: impl FnOnce() -> Result) -> Result {
    zero();
    let mut measurement = Measurement { name, is_done: false };
    start();
    let result = black_box(function());
    stop();
    measurement.is_done = true;
    result
}
