//! What judging has in common in every format: how often it is asked, neutral labels, case files, and how firm the result is.

mod case_file;
mod firmness;
mod label;
mod masks;
mod rigor;

pub(crate) use case_file::case_file;
pub use firmness::Firmness;
pub use label::{Label, Order};
pub use masks::Masks;
pub use rigor::Rigor;
