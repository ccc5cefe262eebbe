// SPDX-License-Identifier: GPL-2.0-or-later
//
// Futures that wait for each other, run in turns by an executor of its own, threads, and
// panics that are caught; counts its calls.

use std::future::Future;
use std::panic;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

static LEAF: AtomicUsize = AtomicUsize::new(0);
static POLL: AtomicUsize = AtomicUsize::new(0);
static DEEP: AtomicUsize = AtomicUsize::new(0);

#[inline(never)]
#[no_mangle]
pub extern "C" fn counted_leaf(x: usize) -> usize {
    LEAF.fetch_add(1, Ordering::Relaxed);
    (x * 7 + 3) & 0xffff
}

// Another ABI could not be unwound.
#[inline(never)]
#[no_mangle]
pub fn counted_deep(n: usize) -> usize {
    DEEP.fetch_add(1, Ordering::Relaxed);
    if n == 0 {
        panic::resume_unwind(Box::new("zero"));
    }
    counted_deep(n - 1) + counted_leaf(n)
}

struct Yield(bool);

#[inline(never)]
#[no_mangle]
fn counted_poll(turn: &mut Yield) -> bool {
    POLL.fetch_add(1, Ordering::Relaxed);
    let ready = turn.0;
    turn.0 = true;
    ready
}

impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if counted_poll(&mut self) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

fn steps(left: usize) -> Pin<Box<dyn Future<Output = usize>>> {
    Box::pin(async move {
        if left == 0 {
            return 0;
        }
        Yield(false).await;
        let rest = steps(left - 1).await;
        Yield(false).await;
        rest + counted_leaf(left)
    })
}

fn raw_waker() -> RawWaker {
    fn clone(_: *const ()) -> RawWaker {
        raw_waker()
    }
    fn nothing(_: *const ()) {}
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
    RawWaker::new(ptr::null(), &TABLE)
}

fn run_all(count: usize) -> usize {
    let waker = unsafe { Waker::from_raw(raw_waker()) };
    let mut context = Context::from_waker(&waker);
    let mut tasks: Vec<_> = (0..count).map(|_| steps(8)).collect();
    let mut sum = 0;
    while !tasks.is_empty() {
        tasks.retain_mut(|task| match task.as_mut().poll(&mut context) {
            Poll::Ready(value) => {
                sum += value;
                false
            }
            Poll::Pending => true,
        });
    }
    sum
}

fn main() {
    let mut sum = run_all(12);
    for n in 0..60 {
        sum += panic::catch_unwind(|| counted_deep(n % 7)).unwrap_or(1);
    }
    let threads: Vec<_> = (0..3)
        .map(|n| std::thread::spawn(move || (0..200).map(|i| counted_leaf(i + n)).sum::<usize>()))
        .collect();
    for thread in threads {
        sum += thread.join().unwrap();
    }
    println!("sum {}", sum);
    println!("count counted_leaf {}", LEAF.load(Ordering::Relaxed));
    println!("count counted_poll {}", POLL.load(Ordering::Relaxed));
    println!("count counted_deep {}", DEEP.load(Ordering::Relaxed));
}
