//! How much was read while citations were looked for, counted in tests: the work must grow with the text and not faster.

#[cfg(test)]
std::thread_local! {
    static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that were read. Outside of tests nobody counts.
pub(super) fn read(bytes: usize) {
    #[cfg(test)]
    READ.set(READ.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// How many bytes were read while this ran.
#[cfg(test)]
pub(super) fn of<T>(run: impl FnOnce() -> T) -> (usize, T) {
    READ.set(0);
    let given = run();
    (READ.get(), given)
}
