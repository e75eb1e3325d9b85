//! Tiny GGUF files with weights drawn by a seed: real models in everything but sense. Written by our own hand, so that tests
//! need no download and can break every byte.

use crate::noise::Noise;

#[derive(Debug, Clone)]
pub struct TinyModel {
    /// The architecture: `llama`, `qwen2` or `qwen3`; any other name is written as it is.
    pub architecture: String,
    /// How its matrices are stored, for example `Q4_K`.
    pub quantisation: String,
    /// The pre-tokenizer: `smollm` or `qwen2`; any other name is written as it is.
    pub tokenizer: String,
    pub template: Option<String>,
    pub seed: u64,
    /// Layers, numbers of a token, numbers in the feed-forward part, query heads, heads of keys and values.
    pub measures: [u32; 5],
    pub context: u32,
    /// Further metadata: texts.
    pub texts: Vec<(String, String)>,
}

/// The template that most small models have.
pub const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + \
                          '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}\
                          {% endif %}";

/// name, number in the file, values in a block, bytes of a block, places of half-precision scales in it, steps of a scale
type Kind = (&'static str, u32, usize, usize, &'static [usize], f32);
const KINDS: [Kind; 5] = [
    ("F32", 0, 1, 4, &[], 1.0),
    ("Q4_1", 3, 32, 20, &[0, 2], 16.0),
    ("Q8_0", 8, 32, 34, &[0], 256.0),
    ("Q4_K", 12, 256, 144, &[0, 2], 16.0 * 32.0),
    ("Q6_K", 14, 256, 210, &[208], 64.0 * 64.0),
];

impl Default for TinyModel {
    fn default() -> Self {
        Self {
            architecture: "llama".to_owned(),
            quantisation: "Q4_1".to_owned(),
            tokenizer: "smollm".to_owned(),
            template: Some(CHATML.to_owned()),
            seed: 1,
            measures: [2, 64, 96, 4, 2],
            context: 2048,
            texts: Vec::new(),
        }
    }
}

impl TinyModel {
    pub fn bytes(&self) -> Vec<u8> {
        let vocabulary = Self::vocabulary();
        let values = self.metadata(&vocabulary);
        let tensors = self.tensors(vocabulary.len());
        let mut out = head(tensors.len(), &values);
        let mut offset = 0u64;
        for tensor in &tensors {
            out.extend(text(&tensor.name));
            out.extend(u32::try_from(tensor.shape.len()).unwrap_or(0).to_le_bytes());
            out.extend(tensor.shape.iter().flat_map(|size| size.to_le_bytes()));
            out.extend(tensor.kind.to_le_bytes());
            out.extend(offset.to_le_bytes());
            offset = (offset + tensor.bytes.len() as u64).next_multiple_of(32);
        }
        for tensor in tensors {
            out.resize(out.len().next_multiple_of(32), 0);
            out.extend(tensor.bytes);
        }
        out
    }

    fn vocabulary() -> Vec<(String, i32)> {
        let mut all: Vec<(String, i32)> =
            ["<|endoftext|>", "<|im_start|>", "<|im_end|>"].map(|name| (name.to_owned(), 3)).to_vec();
        all.extend((0..=255).map(|byte| (letter(byte).to_string(), 1)));
        all.extend(MERGES.split(',').map(|pair| (pair.replace(' ', ""), 1)));
        all
    }

    fn metadata(&self, vocabulary: &[(String, i32)]) -> Vec<Vec<u8>> {
        let architecture = &self.architecture;
        let [layers, width, feed, heads, shared] = self.measures;
        let key = |name: &str| format!("{architecture}.{name}");
        let mut values = vec![
            text_value("general.architecture", architecture),
            text_value("general.name", "Tiny"),
            text_value("general.license", "mit"),
            int_value(&key("block_count"), layers),
            int_value(&key("context_length"), self.context),
            int_value(&key("embedding_length"), width),
            int_value(&key("feed_forward_length"), feed),
            int_value(&key("attention.head_count"), heads),
            int_value(&key("attention.head_count_kv"), shared),
            typed(&key("attention.layer_norm_rms_epsilon"), 6, &1e-5_f32.to_le_bytes()),
            typed(&key("rope.freq_base"), 6, &10_000_f32.to_le_bytes()),
            int_value("tokenizer.ggml.bos_token_id", 0),
            int_value("tokenizer.ggml.eos_token_id", 2),
            int_value("tokenizer.ggml.unknown_token_id", 0),
            list_value("tokenizer.ggml.tokens", 8, vocabulary.iter().map(|(token, _)| text(token))),
            list_value("tokenizer.ggml.token_type", 5, vocabulary.iter().map(|(_, kind)| kind.to_le_bytes().to_vec())),
            text_value("tokenizer.ggml.model", "gpt2"),
            text_value("tokenizer.ggml.pre", &self.tokenizer),
            list_value("tokenizer.ggml.merges", 8, MERGES.split(',').map(text)),
        ];
        values.extend(self.template.iter().map(|template| text_value("tokenizer.chat_template", template)));
        values.extend(self.texts.iter().map(|(key, value)| text_value(key, value)));
        values
    }

    fn tensors(&self, vocabulary: usize) -> Vec<Tensor> {
        let [layers, width, feed, heads, shared] = self.measures.map(u64::from);
        let vocabulary = vocabulary as u64;
        let head = width / heads;
        let matrices = [
            ("attn_q", width, heads * head),
            ("attn_k", width, shared * head),
            ("attn_v", width, shared * head),
            ("attn_output", heads * head, width),
            ("ffn_gate", width, feed),
            ("ffn_up", width, feed),
            ("ffn_down", feed, width),
        ];
        let of_architecture: &[_] = match self.architecture.as_str() {
            "qwen2" => &[
                ("attn_q.bias", heads * head, 0.0),
                ("attn_k.bias", shared * head, 0.0),
                ("attn_v.bias", shared * head, 0.0),
            ],
            "qwen3" => &[("attn_q_norm.weight", head, 1.0), ("attn_k_norm.weight", head, 1.0)],
            _ => &[],
        };
        let vectors = [&[("attn_norm.weight", width, 1.0), ("ffn_norm.weight", width, 1.0)], of_architecture].concat();
        let mut chance = Noise::new(self.seed);
        let mut matrix = |name, columns, rows| Tensor::draw(&mut chance, &self.quantisation, name, vec![columns, rows]);
        let mut tensors = vec![matrix("token_embd.weight".to_owned(), width, vocabulary)];
        for layer in 0..layers {
            let of_layer = |(name, columns, rows)| matrix(format!("blk.{layer}.{name}.weight"), columns, rows);
            tensors.extend(matrices.map(of_layer));
        }
        tensors.push(Tensor::vector(&mut chance, "output_norm.weight".to_owned(), width, 1.0));
        for layer in 0..layers {
            for &(name, length, around) in &vectors {
                tensors.push(Tensor::vector(&mut chance, format!("blk.{layer}.{name}"), length, around));
            }
        }
        tensors
    }
}

/// Pairs that the tokenizers merge, the first ones first.
const MERGES: &str =
    "Ġ t,h e,Ġt he,i n,Ġ a,e r,o n,r e,in g,a n,Ġa n,Ġan d,o r,Ġ s,Ġ Ġ,e n,t h,l l,i s,a t,at i,ati on,Ġ w,s t";

struct Tensor {
    name: String,
    shape: Vec<u64>,
    kind: u32,
    bytes: Vec<u8>,
}

impl Tensor {
    fn draw(chance: &mut Noise, quantisation: &str, name: String, shape: Vec<u64>) -> Self {
        let found = KINDS.into_iter().find(|kind| kind.0 == quantisation);
        let (_, kind, values, size, scales, steps) = found.unwrap_or(KINDS[0]);
        let count = usize::try_from(shape.iter().product::<u64>()).unwrap_or(0) / values;
        let mut bytes = Vec::with_capacity(count * size);
        for _ in 0..count {
            let mut block: Vec<u8> = (0..size).map(|_| chance.byte()).collect();
            let number = chance.number() * 0.2;
            if scales.is_empty() {
                block = number.to_le_bytes().to_vec();
            } else {
                // A scale that spreads the block over about the same numbers, and a smallest value below nought.
                let scale = (0.25 + chance.number().abs()) * 0.4 / steps;
                let smallest = if quantisation.ends_with("_K") { 0.2 / 32.0 } else { -scale * steps / 2.0 };
                for (place, scale) in scales.iter().zip([scale, smallest]) {
                    block[*place..place + 2].copy_from_slice(&half(scale).to_le_bytes());
                }
            }
            bytes.extend(block);
        }
        Self { name, shape, kind, bytes }
    }

    fn vector(chance: &mut Noise, name: String, length: u64, around: f32) -> Self {
        let bytes = (0..length).flat_map(|_| (around + chance.number() * 0.2).to_le_bytes()).collect();
        Self { name, shape: vec![length], kind: 0, bytes }
    }
}

fn half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = u16::try_from(bits >> 16 & 0x8000).unwrap_or(0);
    let exponent = (bits >> 23 & 0xff).cast_signed() - 112;
    let fraction = bits & 0x007f_ffff | 0x0080_0000;
    let magnitude = match exponent {
        1..31 => exponent.cast_unsigned() << 10 | fraction >> 13 & 0x3ff,
        -9..1 => fraction >> (14 - exponent),
        _ => 0,
    };
    sign | u16::try_from(magnitude).unwrap_or(0)
}

fn letter(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if seen(byte) {
        return char::from(byte);
    }
    let hidden = (0..byte).filter(|&earlier| !seen(earlier)).count();
    u32::try_from(hidden).ok().and_then(|hidden| char::from_u32(256 + hidden)).unwrap_or(' ')
}

/// The beginning of a file with this many tensors and this metadata.
pub(crate) fn head(tensors: usize, values: &[Vec<u8>]) -> Vec<u8> {
    let counts = [tensors as u64, values.len() as u64].map(u64::to_le_bytes).concat();
    [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), counts, values.concat()].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

pub(crate) fn text_value(key: &str, value: &str) -> Vec<u8> {
    typed(key, 8, &text(value))
}

pub(crate) fn int_value(key: &str, value: u32) -> Vec<u8> {
    typed(key, 4, &value.to_le_bytes())
}

fn list_value(key: &str, kind: u32, items: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let items: Vec<Vec<u8>> = items.collect();
    let head = [&kind.to_le_bytes()[..], &(items.len() as u64).to_le_bytes()].concat();
    typed(key, 9, &[head, items.concat()].concat())
}

fn typed(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [&text(key)[..], &kind.to_le_bytes(), value].concat()
}
