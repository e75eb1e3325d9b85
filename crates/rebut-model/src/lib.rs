//! Language models in process: loads GGUF weights and answers conversations. Knows nothing of debates.
//!
//! | modules | contents |
//! |---|---|
//! | `gguf`, `quant`, `f16`, `weights` | the file, its tensor types, weights packed for the kernels |
//! | `kernels`, `thread_pool`, `memory` | the inner loops by instruction set, threads, checked allocation |
//! | `config`, `transformer`, `attention`, `kv_cache` | the network |
//! | `tokenizer`, `chat_template` | text to tokens and back, conversations to prompts |
//! | `sampling`, `grammar` | which token comes next, and which may |
//! | `model`, `session`, `fair_lock` | what callers use |

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        clippy::float_cmp,
        reason = "tests use small numbers, and some results must be equal to the last bit"
    )
)]

mod attention;
mod chat_template;
mod config;
mod error;
mod f16;
mod fair_lock;
mod gguf;
mod grammar;
mod kernels;
mod kv_cache;
mod memory;
mod model;
mod quant;
mod sampling;
mod session;
mod thread_pool;
mod tokenizer;
mod transformer;
mod weights;

pub use chat_template::Message;
pub use error::ModelError;
pub use kernels::Simd;
pub use model::{Header, LoadOptions, Model};
pub use sampling::Sampling;
pub use session::{GenerateOptions, Reply, Session, Stop};
