//! What the tests of rebut are made of; never part of the product.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "where the test's own surroundings fail, the test ends"
)]
#![expect(clippy::return_self_not_must_use, reason = "a test that drops what it built fails to use it")]

pub mod acp_agent;
mod block;
mod debate_folder;
mod env;
mod file_server;
mod files;
mod filters;
mod http;
pub mod noise;
pub mod panel;
mod postgres;
pub mod provider;
mod running;
mod script;
pub mod stand_in;
mod survivors;
mod terminal;
pub mod tiny_model;
pub mod weights;
mod whole_debate;

pub use block::{ended_as_asked, with_block};
pub use debate_folder::{DebateFolder, Line};
pub use env::{TOPIC, TestEnv};
pub use file_server::{Asked, FileServer, Reply};
pub use files::{files_below, git, write};
pub use filters::filters;
pub use postgres::{Postgres, postgres};
pub use running::{Run, Running};
pub use script::{Line as ScriptLine, Script, ballot, verdict};
pub use survivors::Mark;
pub use terminal::Terminal;
pub use whole_debate::{DEBATERS, WHOLE_DEBATES, WholeDebate};
