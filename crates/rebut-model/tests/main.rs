//! Facts about models, on tiny ones that the tests write themselves.
#![expect(clippy::expect_used, reason = "where a test's own surroundings fail, the test ends")]

mod answers;
mod bad_files;
mod kinds;
mod likelihoods;
mod real_model;
mod schemas;
mod tokens;

use std::sync::Arc;

use rebut_fakes::tiny_model::TinyModel;
use rebut_model::{LoadOptions, Model, ModelError};

/// Writes a tiny model to a folder of its own and loads it.
fn load(tiny: &TinyModel, options: LoadOptions) -> Result<Arc<Model>, ModelError> {
    load_bytes(&tiny.bytes(), options)
}

fn load_bytes(bytes: &[u8], options: LoadOptions) -> Result<Arc<Model>, ModelError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    std::fs::write(&path, bytes).expect("the file is written");
    // The folder goes when this function returns: a loaded model does not need its file.
    Model::load(&path, options).map(Arc::new)
}

fn tiny() -> Arc<Model> {
    load(&TinyModel::default(), LoadOptions { threads: 2, ..LoadOptions::default() }).expect("a tiny model loads")
}
