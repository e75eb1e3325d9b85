//! Files that look like a model's weights, and packages that hold them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::noise::Noise;
use crate::tiny_model::{head, int_value, text_value};

/// A GGUF file of about this size: a head with architecture, licence and context, then noise.
pub fn gguf(bytes: usize) -> Vec<u8> {
    let values = [
        text_value("general.architecture", "llama"),
        text_value("general.license", "mit"),
        int_value("llama.context_length", 2048),
    ];
    let mut file = head(0, &values);
    // Random enough to keep it from being compressed into nothing.
    let mut noise = Noise::new(1);
    file.extend((file.len()..bytes).map(|_| noise.byte()));
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
