//! Code cases: each body is the very snippet that the case shows.

use super::proofs;

pub(super) const SOURCE: &str = include_str!("code.rs");

proofs! {
    "division-of-negative-numbers" => {
        -7 / 2 * 10 + -7 % 2
    }
    "casts-between-widths" => {
        let small = 200_u8 as i8;
        (small as u32) % 1000
    }
    "shadowing-in-a-loop" => {
        let x = 1;
        for _ in 0..3 {
            let x = x + 1;
            assert!(x > 1);
        }
        x
    }
    "order-of-drops" => {
        use std::cell::RefCell;
        struct Noisy<'a>(&'a RefCell<String>, char);
        impl Drop for Noisy<'_> {
            fn drop(&mut self) {
                self.0.borrow_mut().push(self.1);
            }
        }
        let log = RefCell::new(String::new());
        {
            let _a = Noisy(&log, 'a');
            let _ = Noisy(&log, 'b');
            let _c = Noisy(&log, 'c');
        }
        log.into_inner()
    }
    "map-without-consumer" => {
        let mut calls = 0;
        let doubled = [1, 2, 3].iter().map(|n| {
            calls += 1;
            n * 2
        });
        drop(doubled);
        calls
    }
    "short-circuit-calls" => {
        let mut log = String::new();
        let mut f = |name: char, value: bool| {
            log.push(name);
            value
        };
        let _ = f('a', true) || f('b', false) && f('c', true);
        log
    }
    "counter-moved-into-a-closure" => {
        let mut count = 0;
        let mut next = move || {
            count += 1;
            count
        };
        next();
        next();
        count
    }
    "guard-after-alternatives" => {
        let label = |n: i32, strict: bool| match n {
            1 | 2 if strict => "low",
            1..=3 => "middle",
            _ => "high",
        };
        format!("{} {}", label(1, false), label(2, true))
    }
    "zip-with-a-shorter-iterator" => {
        let mut numbers = [1, 2, 3, 4].iter();
        let mut pairs = numbers.by_ref().zip(['x'].iter());
        let first = pairs.next().is_some();
        let second = pairs.next().is_some();
        format!("{first} {second} {}", numbers.next().unwrap())
    }
    "small-rolling-hash" => {
        let mut hash: u8 = 7;
        for byte in [100, 200] {
            hash = hash.wrapping_mul(31).wrapping_add(byte);
        }
        hash
    }
    "steps-of-collatz" => {
        let (mut n, mut steps) = (15_u32, 0);
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    }
    "decimal-fractions-in-single-precision" => {
        let double = 0.1_f64 + 0.2_f64 == 0.3_f64;
        let single = 0.1_f32 + 0.2_f32 == 0.3_f32;
        format!("{double} {single}")
    }
    "operators-without-parentheses" => {
        1 + 2 << 3 & 12
    }
    "mask-and-comparison" => {
        let flags = 6;
        flags & 5 == 4
    }
    "minus-before-a-method-call" => {
        -2_i32.pow(2) + 2_i32.pow(3)
    }
    "method-of-type-or-trait" => {
        struct Lamp;
        impl Lamp {
            fn name(&self) -> &'static str {
                "type"
            }
        }
        trait Named {
            fn name(self) -> &'static str;
        }
        impl Named for Lamp {
            fn name(self) -> &'static str {
                "trait"
            }
        }
        Lamp.name()
    }
    "strong-and-weak-counts" => {
        use std::rc::Rc;
        let first = Rc::new(5);
        let second = Rc::clone(&first);
        let weak = Rc::downgrade(&second);
        drop(first);
        let third = weak.upgrade();
        Rc::strong_count(&second) * 10 + Rc::weak_count(&second)
    }
    "labelled-continue" => {
        let mut sum = 0;
        'rows: for row in 1..=4 {
            for column in 1..=4 {
                if column > row {
                    continue 'rows;
                }
                if row == 3 {
                    break;
                }
                sum += row * column;
            }
        }
        sum
    }
    "mutual-recursion" => {
        fn female(n: u32) -> u32 {
            if n == 0 { 1 } else { n - male(female(n - 1)) }
        }
        fn male(n: u32) -> u32 {
            if n == 0 { 0 } else { n - female(male(n - 1)) }
        }
        female(7) * 10 + male(7)
    }
    "comparison-of-derived-order" => {
        #[derive(PartialEq, PartialOrd)]
        enum Level {
            High(u8),
            Low(u8),
        }
        let by_variant = Level::High(9) < Level::Low(1);
        let by_option = Some(0) < None;
        format!("{by_variant} {by_option}")
    }
    "question-mark-in-a-closure" => {
        let mut seen = 0;
        let parsed: Result<Vec<i32>, _> = ["1", "2", "x", "4", "y"]
            .iter()
            .map(|text| {
                seen += 1;
                text.parse::<i32>()
            })
            .collect();
        format!("{} {}", parsed.is_err(), seen)
    }
    "slices-by-pattern" => {
        let describe = |numbers: &[i32]| match numbers {
            [] => 0,
            [only] => *only,
            [first, .., last] if first == last => 100,
            [first, rest @ ..] => *first + rest.len() as i32,
        };
        describe(&[7, 8, 7]) + describe(&[5, 6]) + describe(&[9])
    }
    "loop-with-a-value" => {
        let mut n = 27;
        let found = loop {
            n -= 1;
            if n % 4 == 0 && n % 6 == 0 {
                break n;
            }
            if n % 5 == 0 {
                n -= 2;
                continue;
            }
        };
        found
    }
}
