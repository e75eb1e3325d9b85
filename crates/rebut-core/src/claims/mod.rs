//! What is left of reading prose: panels still use it.

pub mod citation;
pub(crate) mod doubt;
mod figure;

pub(crate) use figure::{stands, telling, worth};
