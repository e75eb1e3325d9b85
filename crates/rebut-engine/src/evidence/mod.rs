//! Evidence: what a debate is about, kept as content.

pub mod pin;
