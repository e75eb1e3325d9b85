//! Standard-library cases: each body is the very snippet that the case shows.

use super::proofs;

pub(super) const SOURCE: &str = include_str!("standard_library.rs");

proofs! {
    "length-of-a-string" => {
        let word = "größer";
        word.len() * 10 + word.chars().count()
    }
    "euclidean-remainder" => {
        (-7_i32).rem_euclid(-3) * 10 + (-7_i32 % -3)
    }
    "dedup-of-a-vector" => {
        let mut numbers = vec![1, 1, 2, 1, 3, 3, 1];
        numbers.dedup();
        format!("{numbers:?}")
    }
    "maximum-with-nan" => {
        [f64::NAN, 1.0, f64::NAN, 0.5].iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
    "ties-in-min-and-max" => {
        let words = ["bb", "a", "cc", "d"];
        let longest = words.iter().max_by_key(|word| word.len()).unwrap();
        let shortest = words.iter().min_by_key(|word| word.len()).unwrap();
        format!("{longest} {shortest}")
    }
    "splitting-empty-texts" => {
        let by_comma = "".split(',').count();
        let by_space = "".split_whitespace().count();
        let trailing = "a,b,,c,".split(',').count();
        format!("{by_comma} {by_space} {trailing}")
    }
    "upper-case-of-sharp-s" => {
        let upper = "Straße".to_uppercase();
        format!("{} {}", upper, upper.chars().count())
    }
    "rounding-of-halves" => {
        format!("{} {} {}", 2.5_f64.round(), (-2.5_f64).round(), 3.5_f64.round())
    }
    "take-while-by-reference" => {
        let mut numbers = [1, 2, 5, 3, 1].iter();
        let small = numbers.by_ref().take_while(|n| **n < 3).count();
        let rest: Vec<_> = numbers.collect();
        format!("{small} {rest:?}")
    }
    "hexadecimal-with-width" => {
        format!("{:#06x} {:06x}", 255, 255)
    }
    "prefix-once-or-repeated" => {
        let text = "ababc";
        format!("{} {}", text.trim_start_matches("ab"), text.strip_prefix("ab").unwrap())
    }
    "removal-by-swapping" => {
        let mut letters = vec!['a', 'b', 'c', 'd', 'e'];
        let removed = letters.swap_remove(1);
        letters.truncate(3);
        format!("{removed} {}", letters.iter().collect::<String>())
    }
    "stem-and-extension" => {
        use std::path::Path;
        let archive = Path::new("backup.tar.gz");
        let hidden = Path::new(".profile");
        format!("{} {}", archive.file_stem().unwrap().to_str().unwrap(), hidden.extension().is_some())
    }
    "windows-and-chunks" => {
        let numbers = [1, 2, 3, 4, 5, 6, 7];
        let windows = numbers.windows(3).count();
        let chunks = numbers.chunks(3).count();
        let exact = numbers.chunks_exact(3).count();
        format!("{windows} {chunks} {exact}")
    }
    "numbers-that-parse" => {
        let texts = ["+7", "-0", " 7", "007", "7_000", ""];
        texts.iter().filter(|text| text.parse::<u32>().is_ok()).count()
    }
    "smallest-integer-without-sign" => {
        format!("{} {:?} {}", i8::MIN.wrapping_abs(), i8::MIN.checked_abs(), i8::MIN.unsigned_abs())
    }
    "heap-of-reversed-numbers" => {
        use std::cmp::Reverse;
        use std::collections::BinaryHeap;
        let mut heap: BinaryHeap<Reverse<i32>> = [5, 1, 8, 3].into_iter().map(Reverse).collect();
        let first = heap.pop().unwrap().0;
        let sorted: Vec<i32> = heap.into_sorted_vec().into_iter().map(|Reverse(n)| n).collect();
        format!("{first} {sorted:?}")
    }
    "folding-an-empty-iterator" => {
        let none: [i32; 0] = [];
        let all = none.iter().all(|n| *n > 0);
        let any = none.iter().any(|n| *n > 0);
        let product: i32 = none.iter().product();
        format!("{all} {any} {product}")
    }
    "lines-of-a-text" => {
        let text = "a\n\nb\r\nc\n";
        let lines: Vec<&str> = text.lines().collect();
        let pieces = text.split('\n').count();
        format!("{} {} {}", lines.len(), pieces, lines[2].len())
    }
    "durations-in-parts" => {
        use std::time::Duration;
        let long = Duration::from_millis(2750);
        let short = Duration::from_secs(3);
        format!("{} {} {:?}", long.as_secs(), long.subsec_millis(), long.checked_sub(short))
    }
    "searching-a-sorted-slice" => {
        let sorted = [10, 20, 20, 30, 50];
        let missing = sorted.binary_search(&40);
        let point = sorted.partition_point(|n| *n <= 20);
        format!("{missing:?} {point}")
    }
    "counting-bits" => {
        format!("{} {} {}", (-1_i16).count_ones(), 0_u32.leading_zeros(), 40_u8.trailing_zeros())
    }
    "borrowed-twice" => {
        use std::cell::RefCell;
        let cell = RefCell::new(1);
        let first = cell.borrow();
        let second = cell.try_borrow().is_ok();
        let third = cell.try_borrow_mut().is_ok();
        format!("{} {second} {third}", *first)
    }
}
