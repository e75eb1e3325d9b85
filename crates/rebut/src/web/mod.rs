//! A debate as a page: one file to keep and share, or served while it runs. Both are the same templates.
//!
//! The page is a list of pieces in a fixed order. A file has all of them; a page that is open in a browser is sent those
//! that changed. Nothing here knows which format a debate has.

mod actions;
mod argument_map;
mod browser;
mod following;
mod guard;
mod markdown;
mod page;
mod pieces;
mod sections;
mod server;
mod templates;

pub(crate) use browser::open;
pub(crate) use page::file;
pub(crate) use server::{Listen, serve};
