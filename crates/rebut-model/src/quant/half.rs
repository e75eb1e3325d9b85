//! Numbers of sixteen bits, where the processor has no instruction for them.

/// A half-precision number as a single-precision one; exact.
#[inline]
pub(crate) fn half_to_single(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    let bits = if magnitude >= 0x7c00 {
        // Infinite, or not a number.
        magnitude << 13 | 0x7f80_0000
    } else if magnitude >= 0x0400 {
        (magnitude << 13) + (112 << 23)
    } else {
        // Below the normal numbers: a multiple of 2^-24, which single precision holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "ten bits fit")]
        return f32::from_bits((magnitude as f32 * (1.0 / 16_777_216.0)).to_bits() | sign);
    };
    f32::from_bits(bits | sign)
}

/// A brain-float number as a single-precision one; exact.
#[inline]
pub(crate) fn brain_to_single(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

/// The nearest half-precision number (ties to even); what is too large becomes infinite.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the parts are masked to sixteen bits")]
pub(crate) fn single_to_half(single: f32) -> u16 {
    let bits = single.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Below the normal numbers: adding 0.5 makes the processor round to a multiple of 2^-24.
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
    fn every_half_survives_the_way_there_and_back() {
        for half in 0..=u16::MAX {
            let single = half_to_single(half);
            if single.is_nan() {
                assert!(half_to_single(single_to_half(single)).is_nan());
            } else {
                assert_eq!(single_to_half(single), half, "{half:#06x}");
            }
        }
    }

    #[test]
    fn numbers_between_two_halves_go_to_the_nearest() {
        assert_eq!(half_to_single(single_to_half(0.1)), 0.099_975_586);
        assert_eq!(single_to_half(65_504.0), 0x7bff);
        assert_eq!(single_to_half(65_520.0), 0x7c00);
        assert_eq!(single_to_half(-1e9), 0xfc00);
        assert_eq!(single_to_half(1e-9), 0);
        assert_eq!(single_to_half(6e-8), 1);
    }
}
