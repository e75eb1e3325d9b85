//! Every level of kernels against the portable one, on the processor that runs the tests.

use super::*;
use crate::quant::single_to_half;

/// Numbers that look like chance and are the same in every run.
fn noise(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(2_654_435_769).wrapping_add(12345);
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    }
}

fn inputs(tokens: usize, width: usize, seed: u32) -> Inputs {
    let mut noise = noise(seed);
    let mut inputs = Inputs::default();
    inputs.reset(tokens, width);
    inputs.singles.iter_mut().for_each(|single| *single = noise() * 3.0);
    inputs.round(Level::Portable);
    inputs
}

fn lines(count: usize, each: usize, seed: u32) -> Vec<Line> {
    let mut noise = noise(seed);
    let mut lines = vec![Line([0; 64]); count];
    for (at, line) in lines.iter_mut().enumerate() {
        for byte in &mut line.0 {
            // A value of -128 is never packed, so that 0 does not occur in eight-bit lines.
            *byte = (1.0 + (noise() + 1.0) * 127.0) as u8;
        }
        if at % each == 0 && each == FOUR_LINES {
            line.0.chunks_exact_mut(2).for_each(|half| half.copy_from_slice(&single_to_half(noise() * 0.1).to_le_bytes()));
        } else if at % each == 0 {
            line.0.chunks_exact_mut(4).for_each(|single| single.copy_from_slice(&(noise() * 0.1).to_le_bytes()));
        }
    }
    lines
}

fn assert_near(one: &[f32], other: &[f32], what: &str) {
    assert_eq!(one.len(), other.len());
    for (at, (a, b)) in one.iter().zip(other).enumerate() {
        assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs().max(b.abs())), "{what}, place {at}: {a} and {b}");
    }
}

#[test]
fn groups_of_weights_give_the_same_products_on_every_level() {
    for width in [32, 96, 576] {
        let inputs = inputs(19, width, 3);
        for (each, name) in [(FOUR_LINES, "four"), (EIGHT_LINES, "eight")] {
            let kernel = if each == FOUR_LINES { four } else { eight };
            let group = lines(width / 32 * each, each, 5);
            let mut wanted = [[0.0; GROUP]; 19];
            kernel(Level::Portable, &group, &inputs, 0, &mut wanted);
            for level in Level::all() {
                let mut together = [[1.0; GROUP]; 19];
                kernel(level, &group, &inputs, 0, &mut together);
                assert_near(wanted.as_flattened(), together.as_flattened(), &format!("{name} {width} {level:?}"));
                // One by one and in twos, the numbers are the same to the last bit.
                for size in [1, 2, 4, 7] {
                    let mut apart = [[0.0; GROUP]; 19];
                    for from in (0..19).step_by(size) {
                        let end = 19.min(from + size);
                        kernel(level, &group, &inputs, from, &mut apart[from..end]);
                    }
                    assert_eq!(apart, together, "{name} {width} {level:?} in runs of {size}");
                }
            }
        }
    }
}

#[test]
fn extreme_weights_and_inputs_do_not_overflow() {
    let mut inputs = Inputs::default();
    inputs.reset(1, 64);
    inputs.singles.iter_mut().enumerate().for_each(|(at, single)| *single = if at % 3 == 0 { -1.0 } else { 1.0 });
    inputs.round(Level::Portable);
    for (each, kernel) in
        [(FOUR_LINES, four as fn(Level, &[Line], &Inputs, usize, &mut [[f32; GROUP]])), (EIGHT_LINES, eight)]
    {
        for byte in [1, 255] {
            let mut group = lines(2 * each, each, 7);
            for block in group.chunks_exact_mut(each) {
                block[1..].fill(Line([byte; 64]));
            }
            let mut wanted = [[0.0; GROUP]; 1];
            kernel(Level::Portable, &group, &inputs, 0, &mut wanted);
            for level in Level::all() {
                let mut found = [[0.0; GROUP]; 1];
                kernel(level, &group, &inputs, 0, &mut found);
                assert_near(&wanted[0], &found[0], &format!("{level:?} {byte}"));
            }
        }
    }
}

#[test]
fn products_are_the_same_on_every_level() {
    let mut noise = noise(11);
    let left: Vec<f32> = (0..4 * 80).map(|_| noise()).collect();
    let right: Vec<f32> = (0..80 * 64).map(|_| noise()).collect();
    for rows in 1..=4 {
        for (depth, stride) in [(1, 32), (64, 64), (80, 32)] {
            let left = Left { numbers: &left, stride: 80, rows, depth };
            let mut wanted = [[0.5; WIDE]; 4];
            product(Level::Portable, left, &right, stride, &mut wanted);
            for level in Level::all() {
                let mut found = [[0.5; WIDE]; 4];
                product(level, left, &right, stride, &mut found);
                assert_near(wanted.as_flattened(), found.as_flattened(), &format!("{rows} {depth} {level:?}"));
            }
        }
    }
}

#[test]
fn simple_loops_are_the_same_on_every_level() {
    let mut noise = noise(17);
    let numbers: Vec<f32> = (0..96).map(|_| noise() * 9.0).collect();
    let weights: Vec<f32> = (0..96).map(|_| noise()).collect();
    for level in Level::all() {
        let mut wanted = numbers.clone();
        let mut found = numbers.clone();
        root_mean_square(Level::Portable, &numbers, &weights, 1e-5, &mut wanted);
        root_mean_square(level, &numbers, &weights, 1e-5, &mut found);
        assert_near(&wanted, &found, "root_mean_square");
        gated(Level::Portable, &mut wanted, &weights);
        gated(level, &mut found, &weights);
        assert_near(&wanted, &found, "gated");
        let mut scores: [f32; WIDE] = std::array::from_fn(|at| numbers[at]);
        scores[7] = f32::NEG_INFINITY;
        let mut same = scores;
        let sums = [exponentials(Level::Portable, &mut scores, 9.0), exponentials(level, &mut same, 9.0)];
        assert_near(&scores, &same, "exponentials");
        assert_near(&sums[..1], &sums[1..], "their sum");
        assert_eq!(same[7], 0.0);
        let mut halves = (vec![0; 96], vec![0; 96]);
        singles_to_halves(Level::Portable, &numbers, &mut halves.0);
        singles_to_halves(level, &numbers, &mut halves.1);
        assert_eq!(halves.0, halves.1);
        halves_to_singles(level, &halves.0[..93], &mut found[..93]);
        halves_to_singles(Level::Portable, &halves.0[..93], &mut wanted[..93]);
        assert_eq!(found[..93], wanted[..93]);
    }
}

#[test]
fn rounding_keeps_numbers_to_a_two_hundredth_of_the_largest() {
    for level in Level::all() {
        let mut inputs = inputs(3, 96, 23);
        inputs.singles[40..70].fill(0.0);
        inputs.round(level);
        for (block, singles) in inputs.singles.chunks_exact(BLOCK).enumerate() {
            let largest = singles.iter().fold(0f32, |most, single| most.max(single.abs()));
            let values = &inputs.values[block * BLOCK..][..BLOCK];
            for (single, value) in singles.iter().zip(values) {
                assert!((single - f32::from(*value) * inputs.scales[block]).abs() <= largest / 250.0, "{level:?}");
            }
            let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
            assert_eq!(inputs.offsets[block], -128 * sum);
            assert_near(&[inputs.sums[block]], &[inputs.scales[block] * sum as f32], "the sum");
        }
    }
}

#[test]
fn the_exponential_function_is_right_to_six_digits() {
    for step in -870..880 {
        let x = step as f32 / 10.0;
        let (found, wanted) = (portable::exponential::<false>(x), x.exp());
        assert!((found - wanted).abs() <= wanted * 2e-6, "{x}: {found} and {wanted}");
    }
    assert_eq!(portable::exponential::<false>(f32::NEG_INFINITY), 0.0);
    assert_eq!(portable::exponential::<false>(-100.0), 0.0);
}
