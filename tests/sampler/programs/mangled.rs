// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in a generic function of a module.

mod shop {
    pub trait Work { fn work(&self) -> u64; }
    pub struct Till(pub u64);
    impl Work for Till {
        #[inline(never)]
        fn work(&self) -> u64 {
            let mut sum = self.0;
            for i in 0..200000u64 { sum = std::hint::black_box(sum.wrapping_mul(31) ^ i); }
            sum
        }
    }
}

fn main() {
    use shop::Work;
    let till = shop::Till(std::env::args().count() as u64);
    let mut sum = 0u64;
    for _ in 0..1500 { sum ^= till.work(); }
    std::hint::black_box(sum);
}
