//! Files that are broken, hostile or unsupported: a specific error, never a panic and never unbounded memory.

use rebut_fakes::tiny_model::TinyModel;
use rebut_model::{GenerateOptions, LoadOptions, Message, Model, ModelError};

use crate::{load, load_bytes};

fn refused(bytes: &[u8]) -> ModelError {
    load_bytes(bytes, LoadOptions::default()).err().expect("this file must be refused")
}

fn small() -> TinyModel {
    TinyModel { measures: [1, 32, 32, 2, 1], ..TinyModel::default() }
}

#[test]
fn a_missing_file_or_a_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.gguf");
    let error = Model::load(&missing, LoadOptions::default()).err().expect("there is no file");
    assert!(matches!(&error, ModelError::Read { path, .. } if *path == missing), "{error}");
    let error = Model::load(folder.path(), LoadOptions::default()).err().expect("a folder is no file");
    assert!(matches!(error, ModelError::NotGguf { .. } | ModelError::Read { .. }), "{error}");
}

#[test]
fn other_files_are_reported_as_not_gguf() {
    for bytes in [&b""[..], b"GG", b"PK\x03\x04 a zip file", b"<!DOCTYPE html><html>not found</html>"] {
        assert!(matches!(refused(bytes), ModelError::NotGguf { .. }));
    }
}

#[test]
fn unsupported_versions_are_named() {
    let mut bytes = small().bytes();
    for version in [0u32, 1, 4, 3u32.swap_bytes()] {
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        assert!(matches!(refused(&bytes), ModelError::Version { version: found } if found == version));
    }
}

#[test]
fn a_truncated_file_is_reported_as_such() {
    let bytes = small().bytes();
    for length in (0..bytes.len()).step_by(61).chain(bytes.len() - 40..bytes.len()) {
        let error = refused(&bytes[..length]);
        let by_name = matches!(error, ModelError::NotGguf { .. } | ModelError::Truncated { .. });
        assert!(by_name, "cut to {length} bytes: {error}");
    }
}

#[test]
fn absurd_counts_and_lengths_are_refused_without_taking_memory_for_them() {
    let bytes = small().bytes();
    // The numbers of tensors and metadata, the first key's length, and a number inside of the first value.
    for place in [8, 16, 24] {
        for absurd in [u64::MAX, 1 << 62, 1 << 40, 1 << 31] {
            let mut bytes = bytes.clone();
            bytes[place..place + 8].copy_from_slice(&absurd.to_le_bytes());
            let error = refused(&bytes);
            assert!(matches!(error, ModelError::Truncated { .. } | ModelError::Corrupt { .. }), "{place} {absurd}: {error}");
        }
    }
}

#[test]
fn heads_that_are_too_large_are_refused() {
    // Nothing in the file says how large a head is: it follows from the others.
    let bytes = TinyModel { measures: [1, 1024, 32, 1, 1], ..TinyModel::default() }.bytes();
    let error = refused(&bytes);
    assert!(error.to_string().contains("heads of 1024 elements"), "{error}");
    let bytes = TinyModel { measures: [1, 1024, 32, 2, 1], ..TinyModel::default() }.bytes();
    assert!(load_bytes(&bytes, LoadOptions { threads: 1, context: 64, ..LoadOptions::default() }).is_ok());
}

#[test]
fn a_template_with_endless_output_is_refused() {
    let template = "{% for message in messages %}{{ message['content'] }}{% for i in range(90000) %}0123456789012345678901234567890123456789{% endfor %}{% endfor %}";
    let model = TinyModel { template: Some(template.to_owned()), ..small() };
    let model = load_bytes(&model.bytes(), LoadOptions { threads: 1, context: 64, ..LoadOptions::default() });
    let reply = model.and_then(|model| {
        let options = GenerateOptions { max_tokens: 1, ..GenerateOptions::default() };
        model.session().chat(&[Message::user("hi")], &options, &|| false, &mut |_| {}).map(drop)
    });
    let error = reply.expect_err("it must be refused");
    assert!(error.to_string().contains("more than 1048576 bytes"), "{error}");
}

#[test]
fn a_changed_byte_is_an_error_or_a_model_that_answers() {
    let bytes = small().bytes();
    let head = bytes.len() - 40_000.min(bytes.len() / 2);
    for at in (0..head).step_by(23).chain(0..400) {
        for change in [0xff, 0x80, 0x01] {
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            if let Ok(model) = load_bytes(&bytes, LoadOptions { threads: 1, context: 64, ..LoadOptions::default() }) {
                let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
                // An answer or an error: the template, a token or the weights may be broken.
                let _ = model.session().chat(&[Message::user("hi")], &options, &|| false, &mut |_| {});
            }
        }
    }
}

#[test]
fn nan_weights_are_an_error() {
    let mut bytes = TinyModel { quantisation: "F32".to_owned(), ..small() }.bytes();
    let length = bytes.len();
    // The last tensors are the norms; NaN there spreads everywhere.
    for value in bytes[length - 32 * 4..].chunks_exact_mut(4) {
        value.copy_from_slice(&f32::NAN.to_le_bytes());
    }
    let model = load_bytes(&bytes, LoadOptions { threads: 1, ..LoadOptions::default() }).expect("it loads");
    let error = model
        .session()
        .chat(&[Message::user("hi")], &GenerateOptions::default(), &|| false, &mut |_| {})
        .expect_err("no token has a probability");
    assert!(matches!(error, ModelError::Corrupt { .. }), "{error}");
}

#[test]
fn unsupported_architectures_and_tokenizers_are_named_with_the_supported_ones() {
    let error =
        load(&TinyModel { architecture: "mamba".to_owned(), ..small() }, LoadOptions::default()).err().expect("unknown");
    assert_eq!(error.to_string(), "architecture `mamba` is not supported (supported: llama, qwen2, qwen3)");
    let error =
        load(&TinyModel { tokenizer: "tekken".to_owned(), ..small() }, LoadOptions::default()).err().expect("unknown");
    assert!(error.to_string().contains("the pre-tokenizer `tekken` is not supported (supported: smollm, qwen2)"), "{error}");
    let yarn = vec![("llama.rope.scaling.type".to_owned(), "yarn".to_owned())];
    let error = load(&TinyModel { texts: yarn, ..small() }, LoadOptions::default()).err().expect("unknown");
    assert!(matches!(&error, ModelError::BadMetadata { key, .. } if key == "llama.rope.scaling.type"), "{error}");
}

#[test]
fn an_unsupported_tensor_type_is_named() {
    let mut bytes = small().bytes();
    // The type of the first tensor follows its name, the number of dimensions and two sizes.
    let name = b"token_embd.weight";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("the tensor") + name.len() + 4 + 16;
    bytes[at..at + 4].copy_from_slice(&10u32.to_le_bytes());
    let error = refused(&bytes);
    assert!(
        matches!(&error, ModelError::UnsupportedTensorType { tensor, dtype, .. } if tensor == "token_embd.weight" && dtype == "Q2_K")
    );
}

#[test]
fn missing_metadata_and_tensors_are_named() {
    let replace = |from: &str, to: &str| {
        let mut bytes = small().bytes();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("the name is there");
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        refused(&bytes).to_string()
    };
    assert!(replace("llama.block_count", "llama.block_xxxxx").contains("`llama.block_count`"));
    assert!(replace("tokenizer.ggml.tokens", "tokenizer.ggml.xxxxxx").contains("`tokenizer.ggml.tokens`"));
    assert!(replace("blk.0.attn_v.weight", "blk.0.attn_x.weight").contains("no tensor `blk.0.attn_v.weight`"));
    assert!(replace("output_norm.weight", "output_xxxx.weight").contains("no tensor `output_norm.weight`"));
}

#[test]
fn a_model_without_a_template_is_refused_when_it_is_to_chat() {
    let model = load(&TinyModel { template: None, ..small() }, LoadOptions::default()).expect("it loads");
    let error = model.prompt(&[Message::user("hi")]).expect_err("there is no template");
    assert!(matches!(error, ModelError::NoTemplate));
}

#[test]
fn templates_that_fail_or_never_end_are_an_error() {
    let with = |template: &str| {
        let tiny = TinyModel { template: Some(template.to_owned()), ..small() };
        let model = load(&tiny, LoadOptions::default())?;
        model.prompt(&[Message::system("rules"), Message::user("hi")])
    };
    for template in [
        "{% for message in messages %}",
        "{{ raise_exception('no system messages') }}",
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ a * b }}{% endfor %}{% endfor %}",
        "{{ messages[1].content }}",
    ] {
        let error = with(template).expect_err(template);
        assert!(matches!(error, ModelError::Template { .. }), "{template}: {error}");
    }
    let error = with("{{ messages[1].content }}").expect_err("a message is dropped");
    assert_eq!(error.to_string(), "the file's chat template failed: it drops message 1 (system)");
}

/// As in the models of Mistral: a system message is rejected.
const REJECTS_SYSTEM: &str = "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != \
                             (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}\
                             {% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}\
                             {% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}";

#[test]
fn a_template_without_system_messages_gets_them_at_the_beginning_of_the_user_message() {
    let drops_system =
        "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% endif %}{% endfor %}";
    for template in [REJECTS_SYSTEM, drops_system] {
        let tiny = TinyModel { template: Some(template.to_owned()), ..small() };
        let model = load(&tiny, LoadOptions { threads: 1, ..LoadOptions::default() }).expect("it loads");
        let both = model.prompt(&[Message::system("rules"), Message::user("hi")]).expect("a prompt");
        let merged = model.prompt(&[Message::user("rules\n\nhi")]).expect("a prompt");
        assert_eq!(both, merged);
        let options = GenerateOptions { max_tokens: 2, ..GenerateOptions::default() };
        let messages = [Message::system("rules"), Message::user("hi")];
        assert!(model.session().chat(&messages, &options, &|| false, &mut |_| {}).is_ok());
        assert!(model.prompt(&[Message::system("rules")]).is_err(), "there is no user message to put it into");
    }
}

#[test]
fn a_file_is_inspected_without_reading_its_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    let inspect = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("the file is written");
        Model::inspect(&path)
    };
    let bytes = small().bytes();
    assert_eq!(inspect(&bytes).expect("it could be loaded"), 2048);
    assert!(matches!(inspect(&bytes[..bytes.len() - 1]), Err(ModelError::Truncated { .. })));
    assert!(matches!(Model::check_whole(&path), Err(ModelError::Truncated { .. })));
    assert!(matches!(inspect(b"words"), Err(ModelError::NotGguf { .. })));
    let unknown = TinyModel { architecture: "mamba".to_owned(), ..small() }.bytes();
    assert!(matches!(inspect(&unknown), Err(ModelError::UnsupportedArchitecture { .. })));
    assert!(Model::check_whole(&path).is_ok(), "it is complete, though unsupported");
    assert!(matches!(inspect(&TinyModel { template: None, ..small() }.bytes()), Err(ModelError::NoTemplate)));
}
