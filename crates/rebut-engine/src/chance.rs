//! The engine's randomness: drawn once a debate and kept in its plan.

use rebut_core::debate::Chance;

/// A nonce for a new debate.
///
/// Should the system have no randomness to give, the clock stands in: the nonce keeps fences and seeds apart between
/// debates and protects no secret.
pub(crate) fn draw() -> Chance {
    Chance::from_nonce(mark())
}

/// A secret of 256 bits as hexadecimal digits; none if the system has no randomness to give.
pub fn secret() -> Option<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat())
}

/// A small number that tells debates of the same second apart.
pub(crate) fn small_number() -> u16 {
    u16::from_le_bytes(random_bytes())
}

/// A mark that no other child of any process has.
pub(crate) fn mark() -> String {
    format!("{:032x}", u128::from_le_bytes(random_bytes()))
}

/// Whether this is one.
pub(crate) fn is_mark(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if getrandom::fill(&mut bytes).is_err() {
        let now = jiff::Timestamp::now().as_nanosecond().to_le_bytes();
        bytes.iter_mut().zip(now).for_each(|(byte, clock)| *byte = clock);
    }
    bytes
}
