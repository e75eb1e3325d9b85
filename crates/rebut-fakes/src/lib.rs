//! What the tests of rebut are made of; never part of the product.
//!
//! | file | what it holds |
//! |---|---|
//! | [`TestEnv`] | a machine of its own for each test: home, state, workspace, and the program run in them |
//! | [`Running`] | a program that is still at it: its lines, its signals, its end |
//! | [`Script`] | the answers of scripted seats |
//! | [`DebateFolder`] | a debate on the disk: its journal, line by line, and its files |
//! | [`acp_agent`] | an agent that speaks ACP: captures of the real ones, and faults |
//! | [`Mark`] | who is still alive of what a test started |
//! | [`provider`] | a stand-in for the services behind the tools |
//! | [`FileServer`] | a server of files on loopback, with its faults |
//! | [`weights`] | files that look like a model's weights, and packages that hold them |
//! | [`noise`] | texts that nobody would write, drawn from a seed |
//! | [`filters`] | what differs from run to run, replaced by names, for snapshots |
//! | [`panel`] | the script of a panel, whatever its size |
//! | [`tiny_model`] | GGUF files with weights drawn by a seed |
//! | [`stand_in`] | programs that stand in for the real tools, with their faults |
//! | [`WholeDebate`] | a debate of every format with a seat for each role, and which tool was seen in which |
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "where the test's own surroundings fail, the test ends")]

pub mod acp_agent;
mod block;
mod debate_folder;
mod env;
mod file_server;
mod filters;
pub mod noise;
pub mod panel;
pub mod provider;
mod running;
mod script;
pub mod stand_in;
mod survivors;
mod terminal;
pub mod tiny_model;
pub mod weights;
mod whole_debate;

pub use block::with_block;
pub use debate_folder::{DebateFolder, Line};
pub use env::{TOPIC, TestEnv};
pub use file_server::{Asked, FileServer, Reply};
pub use filters::filters;
pub use running::{Run, Running};
pub use script::{Line as ScriptLine, Script, verdict};
pub use survivors::Mark;
pub use terminal::Terminal;
pub use whole_debate::{RoleSeen, WHOLE_DEBATES, WholeDebate};
