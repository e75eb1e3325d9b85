//! The review: an artifact is critiqued by another model, and each finding is weighed.

pub mod critique;
pub mod diff;
pub mod sameness;
