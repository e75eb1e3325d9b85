//! Runs debates: everything of rebut that touches the world.
//!
//! | room | what it holds |
//! |---|---|
//! | [`config`] | settings in four levels, and where each value comes from |

pub mod config;
