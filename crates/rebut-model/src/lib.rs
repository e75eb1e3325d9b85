//! Language models in process: reads GGUF weights and answers conversations. Knows nothing of debates.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//! use rebut_model::{LoadOptions, Message, Model, ModelError, Wish};
//!
//! # fn main() -> Result<(), ModelError> {
//! let model = Arc::new(Model::load(Path::new("model.gguf"), LoadOptions::default())?);
//! let mut session = model.session();
//! let messages = [Message::user("Should a small team start with a monolith?")];
//! let reply = session.chat(&messages, &Wish::default(), &|| false, &mut |piece| print!("{piece}"))?;
//! assert_eq!(reply.text.is_empty(), reply.answer_tokens == 0);
//! # Ok(())
//! # }
//! ```
//!
//! | part | what it holds |
//! |---|---|
//! | `gguf`, `quant`, `matrix` | the file, its kinds of numbers, weights packed for the kernels |
//! | `kernels`, `threads` | the inner loops by instruction set, and threads that share them |
//! | `shape`, `network`, `attention`, `cache` | the network and a session's memory |
//! | `tokens`, `template` | text to tokens and back, conversations to prompts |
//! | `sampling`, `grammar` | which token comes next, and which may |
//! | `model`, `session`, `turns` | what callers use |

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        clippy::float_cmp,
        reason = "tests make small numbers, and some results must be equal to the last bit"
    )
)]

mod attention;
mod cache;
mod error;
mod gguf;
mod grammar;
mod kernels;
mod matrix;
mod memory;
mod model;
mod network;
mod quant;
mod sampling;
mod session;
mod shape;
mod template;
mod threads;
mod tokens;
mod turns;

pub use error::ModelError;
pub use kernels::Level as Instructions;
pub use model::{About, Label, LoadOptions, Model, Outline};
pub use sampling::Sampling;
pub use session::{Reply, Session, Stop, Wish};
pub use template::{Message, Role};
