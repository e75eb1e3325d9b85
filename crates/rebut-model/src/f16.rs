//! f16 conversion in software, for processors without the instructions.

/// Exact.
#[inline]
pub(crate) fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    let bits = if magnitude >= 0x7c00 {
        // Infinity or NaN.
        magnitude << 13 | 0x7f80_0000
    } else if magnitude >= 0x0400 {
        (magnitude << 13) + (112 << 23)
    } else {
        // Subnormal: a multiple of 2^-24, which f32 represents exactly.
        #[expect(clippy::cast_precision_loss, reason = "ten bits fit")]
        return f32::from_bits((magnitude as f32 * (1.0 / 16_777_216.0)).to_bits() | sign);
    };
    f32::from_bits(bits | sign)
}

/// Rounds to nearest, ties to even; overflows to infinity.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the parts are masked to sixteen bits")]
pub(crate) fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 makes the processor round to a multiple of 2^-24.
        let rounded = (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits();
        return sign | rounded as u16;
    }
    let odd = magnitude >> 13 & 1;
    sign | ((magnitude - (112 << 23) + 0xfff + odd) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_a_round_trip() {
        for half in 0..=u16::MAX {
            let value = f16_to_f32(half);
            if value.is_nan() {
                assert!(f16_to_f32(f32_to_f16(value)).is_nan());
            } else {
                assert_eq!(f32_to_f16(value), half, "{half:#06x}");
            }
        }
    }

    #[test]
    fn values_between_two_f16_round_to_the_nearest() {
        assert_eq!(f16_to_f32(f32_to_f16(0.1)), 0.099_975_586);
        assert_eq!(f32_to_f16(65_504.0), 0x7bff);
        assert_eq!(f32_to_f16(65_520.0), 0x7c00);
        assert_eq!(f32_to_f16(-1e9), 0xfc00);
        assert_eq!(f32_to_f16(1e-9), 0);
        assert_eq!(f32_to_f16(6e-8), 1);
    }
}
