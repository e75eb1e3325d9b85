//! Files that look like a model's weights, and packages that hold them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A GGUF file of about this size: a head with architecture, licence and context, then noise.
pub fn gguf(bytes: usize) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let words = |key: &str, value: &str| [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat();
    let context = [text("llama.context_length"), 4_u32.to_le_bytes().to_vec(), 2048_u32.to_le_bytes().to_vec()].concat();
    let mut file = [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), 0_u64.to_le_bytes().to_vec()].concat();
    file.extend(3_u64.to_le_bytes());
    file.extend([words("general.architecture", "llama"), words("general.license", "mit"), context].concat());
    let mut noise = 0x9e37_79b9_u32;
    while file.len() < bytes {
        // Xorshift: enough to keep it from being packed into nothing.
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        file.extend(noise.to_le_bytes());
    }
    file
}

pub fn wheel(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        writer.start_file(*name, options).expect("a file in the wheel");
        writer.write_all(content).expect("its content");
    }
    writer.finish().expect("a wheel").into_inner()
}
