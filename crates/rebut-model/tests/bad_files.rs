//! Files that are broken, hostile or not for us: an error by name, never a panic and never memory without bound.

use rebut_fakes::tiny_model::TinyModel;
use rebut_model::{LoadOptions, Message, Model, ModelError, Wish};

use crate::{load, load_bytes};

fn refused(bytes: &[u8]) -> ModelError {
    load_bytes(bytes, LoadOptions::default()).expect_err("this file must be refused")
}

fn small() -> TinyModel {
    TinyModel { measures: [1, 32, 32, 2, 1], ..TinyModel::default() }
}

#[test]
fn a_file_that_is_missing_or_a_folder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.gguf");
    let error = Model::load(&missing, LoadOptions::default()).expect_err("there is no file");
    assert!(matches!(&error, ModelError::Read { path, .. } if *path == missing), "{error}");
    let error = Model::load(folder.path(), LoadOptions::default()).expect_err("a folder is no file");
    assert!(matches!(error, ModelError::NotGguf { .. } | ModelError::Read { .. }), "{error}");
}

#[test]
fn what_is_no_gguf_file_is_said_to_be_none() {
    for bytes in [&b""[..], b"GG", b"PK\x03\x04 a zip file", b"<!DOCTYPE html><html>not found</html>"] {
        assert!(matches!(refused(bytes), ModelError::NotGguf { .. }));
    }
}

#[test]
fn versions_that_are_not_known_are_named() {
    let mut bytes = small().bytes();
    for version in [0u32, 1, 4, 3u32.swap_bytes()] {
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        assert!(matches!(refused(&bytes), ModelError::Version { version: found } if found == version));
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_by_name() {
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
fn heads_that_are_larger_than_any_known_are_refused() {
    // Nothing in the file says how large a head is: it follows from the others.
    let bytes = TinyModel { measures: [1, 1024, 32, 1, 1], ..TinyModel::default() }.bytes();
    let error = refused(&bytes);
    assert!(error.to_string().contains("heads of 1024 numbers"), "{error}");
    let bytes = TinyModel { measures: [1, 1024, 32, 2, 1], ..TinyModel::default() }.bytes();
    assert!(load_bytes(&bytes, LoadOptions { threads: 1, context: 64, ..LoadOptions::default() }).is_ok());
}

#[test]
fn a_template_that_writes_without_end_is_refused() {
    let template = "{% for message in messages %}{{ message['content'] }}{% for i in range(90000) %}0123456789012345678901234567890123456789{% endfor %}{% endfor %}";
    let model = TinyModel { template: Some(template.to_owned()), ..small() };
    let model = load_bytes(&model.bytes(), LoadOptions { threads: 1, context: 64, ..LoadOptions::default() });
    let asked = model.and_then(|model| {
        let wish = Wish { max_tokens: 1, ..Wish::default() };
        model.session().chat(&[Message::user("hi")], &wish, &|| false, &mut |_| {}).map(drop)
    });
    let error = asked.expect_err("it must be refused");
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
                let wish = Wish { max_tokens: 2, ..Wish::default() };
                // An answer, or an error by name: a template, a token or the weights may be broken.
                let _ = model.session().chat(&[Message::user("hi")], &wish, &|| false, &mut |_| {});
            }
        }
    }
}

#[test]
fn weights_that_are_no_numbers_are_an_error_and_no_endless_answer() {
    let mut bytes = TinyModel { quantisation: "F32".to_owned(), ..small() }.bytes();
    let length = bytes.len();
    // The last tensors are the norms; what is no number there spreads everywhere.
    for single in bytes[length - 32 * 4..].chunks_exact_mut(4) {
        single.copy_from_slice(&f32::NAN.to_le_bytes());
    }
    let model = load_bytes(&bytes, LoadOptions { threads: 1, ..LoadOptions::default() }).expect("it loads");
    let error = model
        .session()
        .chat(&[Message::user("hi")], &Wish::default(), &|| false, &mut |_| {})
        .expect_err("there is no likeliest token");
    assert!(matches!(error, ModelError::Corrupt { .. }), "{error}");
}

#[test]
fn architectures_and_tokenizers_that_are_not_known_are_named_with_those_that_are() {
    let error =
        load(&TinyModel { architecture: "mamba".to_owned(), ..small() }, LoadOptions::default()).expect_err("unknown");
    assert_eq!(error.to_string(), "architecture `mamba` is not known here (known: llama, qwen2, qwen3)");
    let error = load(&TinyModel { tokenizer: "tekken".to_owned(), ..small() }, LoadOptions::default()).expect_err("unknown");
    assert!(error.to_string().contains("the habit `tekken` is not known here (known: gpt-2, smollm"), "{error}");
    let yarn = vec![("llama.rope.scaling.type".to_owned(), "yarn".to_owned())];
    let error = load(&TinyModel { texts: yarn, ..small() }, LoadOptions::default()).expect_err("unknown");
    assert!(matches!(&error, ModelError::BadMetadata { key, .. } if key == "llama.rope.scaling.type"), "{error}");
}

#[test]
fn a_quantisation_that_is_not_known_is_named() {
    let mut bytes = small().bytes();
    // The type of the first tensor follows its name, the number of dimensions and two sizes.
    let name = b"token_embd.weight";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("the tensor") + name.len() + 4 + 16;
    bytes[at..at + 4].copy_from_slice(&10u32.to_le_bytes());
    let error = refused(&bytes);
    assert!(
        matches!(&error, ModelError::UnknownQuantisation { tensor, kind, .. } if tensor == "token_embd.weight" && kind == "Q2_K")
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
    let error = model.count_tokens(&[Message::user("hi")]).expect_err("there is no template");
    assert!(matches!(error, ModelError::NoTemplate));
}

#[test]
fn templates_that_fail_or_never_end_are_an_error() {
    let with = |template: &str| {
        let tiny = TinyModel { template: Some(template.to_owned()), ..small() };
        let model = load(&tiny, LoadOptions::default())?;
        model.count_tokens(&[Message::system("rules"), Message::user("hi")])
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
    let error = with("{{ messages[1].content }}").expect_err("a message is left out");
    assert_eq!(error.to_string(), "the file's chat template failed: it leaves out message 1 (of the system)");
}

/// As the models of Mistral have it: rules are refused, and the two sides take turns.
const WITHOUT_RULES: &str = "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != \
                             (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}\
                             {% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}\
                             {% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}";

#[test]
fn a_template_that_refuses_rules_gets_them_at_the_beginning_of_the_question() {
    let leaves_out = "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% endif %}{% endfor %}";
    for template in [WITHOUT_RULES, leaves_out] {
        let tiny = TinyModel { template: Some(template.to_owned()), ..small() };
        let model = load(&tiny, LoadOptions { threads: 1, ..LoadOptions::default() }).expect("it loads");
        let with_rules = model.count_tokens(&[Message::system("rules"), Message::user("hi")]).expect("it is laid out");
        let folded = model.count_tokens(&[Message::user("rules\n\nhi")]).expect("it is laid out");
        assert_eq!(with_rules, folded);
        let wish = Wish { max_tokens: 2, ..Wish::default() };
        let messages = [Message::system("rules"), Message::user("hi")];
        assert!(model.session().chat(&messages, &wish, &|| false, &mut |_| {}).is_ok());
        assert!(model.count_tokens(&[Message::system("rules")]).is_err(), "there is no question to put them into");
    }
}

#[test]
fn a_file_is_looked_at_without_its_weights_being_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    let look = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("the file is written");
        Model::inspect(&path)
    };
    let bytes = small().bytes();
    let outline = look(&bytes).expect("it could be loaded");
    assert_eq!((outline.architecture.as_str(), outline.trained_context), ("llama", 2048));
    assert!(matches!(look(&bytes[..bytes.len() - 1]), Err(ModelError::Truncated { .. })));
    assert!(matches!(Model::check_whole(&path), Err(ModelError::Truncated { .. })));
    assert!(matches!(look(b"words"), Err(ModelError::NotGguf { .. })));
    let unknown = TinyModel { architecture: "mamba".to_owned(), ..small() }.bytes();
    assert!(matches!(look(&unknown), Err(ModelError::UnknownArchitecture { .. })));
    assert!(Model::check_whole(&path).is_ok(), "what it is a model of is another question");
    assert!(matches!(look(&TinyModel { template: None, ..small() }.bytes()), Err(ModelError::NoTemplate)));
}
