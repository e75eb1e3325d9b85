//! Every instruction set against the portable kernels, on the processor that runs the tests.

use super::*;
use crate::f16;

/// Pseudo-random numbers that are the same in every run.
fn noise(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(2_654_435_769).wrapping_add(12345);
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    }
}

fn activations(tokens: usize, width: usize, seed: u32) -> Activations {
    let mut noise = noise(seed);
    let mut x = Activations::default();
    x.resize(tokens, width);
    x.values.iter_mut().for_each(|value| *value = noise() * 3.0);
    x.quantize(Simd::Portable);
    x
}

fn lines(count: usize, each: usize, seed: u32) -> Vec<CacheLine> {
    let mut noise = noise(seed);
    let mut lines = vec![CacheLine([0; 64]); count];
    for (at, line) in lines.iter_mut().enumerate() {
        for byte in &mut line.0 {
            // A quant of -128 is never packed, so 0 does not occur in Q8 lines.
            *byte = (1.0 + (noise() + 1.0) * 127.0) as u8;
        }
        if at % each == 0 && each == Q4_LINES {
            line.0.chunks_exact_mut(2).for_each(|half| half.copy_from_slice(&f16::f32_to_f16(noise() * 0.1).to_le_bytes()));
        } else if at % each == 0 {
            line.0.chunks_exact_mut(4).for_each(|scale| scale.copy_from_slice(&(noise() * 0.1).to_le_bytes()));
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

const QUANTIZED: [(usize, QuantizedMatmul); 2] = [(Q4_LINES, matmul_q4), (Q8_LINES, matmul_q8)];

#[test]
fn quantized_matmul_is_the_same_with_every_instruction_set() {
    for (width, (each, matmul)) in [32, 96, 576].into_iter().flat_map(|width| QUANTIZED.map(|kernel| (width, kernel))) {
        let x = activations(19, width, 3);
        let group = lines(width / 32 * each, each, 5);
        let mut wanted = [[0.0; GROUP]; 19];
        matmul(Simd::Portable, &group, &x, 0, &mut wanted);
        for simd in Simd::all_supported() {
            let mut together = [[1.0; GROUP]; 19];
            matmul(simd, &group, &x, 0, &mut together);
            assert_near(wanted.as_flattened(), together.as_flattened(), &format!("{each} lines, {width}, {simd:?}"));
            // The size of a batch does not change a bit.
            for size in [1, 2, 4, 7] {
                let mut apart = [[0.0; GROUP]; 19];
                for (index, out) in apart.chunks_mut(size).enumerate() {
                    matmul(simd, &group, &x, index * size, out);
                }
                assert_eq!(apart, together, "{each} lines, {width}, {simd:?}, batches of {size}");
            }
        }
    }
}

#[test]
fn extreme_weights_and_activations_do_not_overflow() {
    let mut x = Activations::default();
    x.resize(1, 64);
    x.values.iter_mut().enumerate().for_each(|(at, value)| *value = if at % 3 == 0 { -1.0 } else { 1.0 });
    x.quantize(Simd::Portable);
    for ((each, matmul), byte) in QUANTIZED.into_iter().flat_map(|kernel| [(kernel, 1), (kernel, 255)]) {
        let mut group = lines(2 * each, each, 7);
        group.chunks_exact_mut(each).for_each(|block| block[1..].fill(CacheLine([byte; 64])));
        let mut wanted = [[0.0; GROUP]; 1];
        matmul(Simd::Portable, &group, &x, 0, &mut wanted);
        for simd in Simd::all_supported() {
            let mut found = [[0.0; GROUP]; 1];
            matmul(simd, &group, &x, 0, &mut found);
            assert_near(&wanted[0], &found[0], &format!("{simd:?} {byte}"));
        }
    }
}

#[test]
fn f32_matmul_is_the_same_with_every_instruction_set() {
    let mut noise = noise(11);
    let left: Vec<f32> = (0..4 * 80).map(|_| noise()).collect();
    let right: Vec<f32> = (0..80 * 64).map(|_| noise()).collect();
    for rows in 1..=4 {
        for (depth, stride) in [(1, 32), (64, 64), (80, 32)] {
            let left = Left { values: &left, stride: 80, rows, depth };
            let mut wanted = [[0.5; TILE_COLUMNS]; 4];
            matmul_f32(Simd::Portable, left, &right, stride, &mut wanted);
            for simd in Simd::all_supported() {
                let mut found = [[0.5; TILE_COLUMNS]; 4];
                matmul_f32(simd, left, &right, stride, &mut found);
                assert_near(wanted.as_flattened(), found.as_flattened(), &format!("{rows} {depth} {simd:?}"));
            }
        }
    }
}

#[test]
fn elementwise_kernels_are_the_same_with_every_instruction_set() {
    let mut noise = noise(17);
    let numbers: Vec<f32> = (0..96).map(|_| noise() * 9.0).collect();
    let weights: Vec<f32> = (0..96).map(|_| noise()).collect();
    for simd in Simd::all_supported() {
        let mut wanted = numbers.clone();
        let mut found = numbers.clone();
        rms_norm(Simd::Portable, &numbers, &weights, 1e-5, &mut wanted);
        rms_norm(simd, &numbers, &weights, 1e-5, &mut found);
        assert_near(&wanted, &found, "rms_norm");
        swiglu(Simd::Portable, &mut wanted, &weights);
        swiglu(simd, &mut found, &weights);
        assert_near(&wanted, &found, "swiglu");
        let mut scores: [f32; TILE_COLUMNS] = std::array::from_fn(|at| numbers[at]);
        scores[7] = f32::NEG_INFINITY;
        let mut same = scores;
        let sums = [softmax_terms(Simd::Portable, &mut scores, 9.0), softmax_terms(simd, &mut same, 9.0)];
        assert_near(&scores, &same, "softmax_terms");
        assert_near(&sums[..1], &sums[1..], "their sum");
        assert_eq!(same[7], 0.0);
        let mut halves = (vec![0; 96], vec![0; 96]);
        f32_to_f16(Simd::Portable, &numbers, &mut halves.0);
        f32_to_f16(simd, &numbers, &mut halves.1);
        assert_eq!(halves.0, halves.1);
        f16_to_f32(simd, &halves.0[..93], &mut found[..93]);
        f16_to_f32(Simd::Portable, &halves.0[..93], &mut wanted[..93]);
        assert_eq!(found[..93], wanted[..93]);
    }
}

#[test]
fn quantization_keeps_values_to_a_two_hundredth_of_the_largest() {
    for simd in Simd::all_supported() {
        let mut x = activations(3, 96, 23);
        x.values[40..70].fill(0.0);
        x.quantize(simd);
        for (block, values) in x.values.chunks_exact(BLOCK).enumerate() {
            let max = values.iter().fold(0f32, |max, value| max.max(value.abs()));
            let quants = &x.quants[block * BLOCK..][..BLOCK];
            for (value, quant) in values.iter().zip(quants) {
                assert!((value - f32::from(*quant) * x.scales[block]).abs() <= max / 250.0, "{simd:?}");
            }
            let sum: i32 = quants.iter().map(|quant| i32::from(*quant)).sum();
            assert_eq!(x.offsets[block], -128 * sum);
            assert_near(&[x.sums[block]], &[x.scales[block] * sum as f32], "the sum");
        }
    }
}

#[test]
fn exp_is_accurate_to_six_digits() {
    for step in -870..880 {
        let x = step as f32 / 10.0;
        let (found, wanted) = (portable::exp::<false>(x), x.exp());
        assert!((found - wanted).abs() <= wanted * 2e-6, "{x}: {found} and {wanted}");
    }
    assert_eq!(portable::exp::<false>(f32::NEG_INFINITY), 0.0);
    assert_eq!(portable::exp::<false>(-100.0), 0.0);
}
