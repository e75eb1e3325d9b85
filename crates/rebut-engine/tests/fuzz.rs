//! What a tool could print and never does: an answer or a failure comes of it, never a panic.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use rebut_engine::providers::cli::Said;
use rebut_engine::providers::{TOOLS, Tool};
use rebut_fakes::noise::{Noise, fuzz};

#[rustfmt::skip]
const PIECES: [&str; 34] = [
    "{", "}", "[", "]", "\"", ":", ",", "\n", "\r\n", "\n{", "null", "0", "-1", "1e999", "18446744073709551616", "true", "\\", "\\ud800", "{}",
    "{\"type\":\"result\"}", "{\"type\":\"error\"}", "\"result\":", "\"text\":", "\"message\":", "\"content\":[]", "\"usage\":{}", "\"is_error\":true",
    "status 429", "HTTP 401", "quota", "é", "\u{0}", "\u{2028}", "warning: something\n",
];

#[test]
fn whatever_a_tool_prints_is_an_answer_or_a_failure() {
    for tool in &TOOLS {
        let captures = captures(tool);
        assert!(!captures.is_empty(), "{} has no captures", tool.name);
        let samples: Vec<&str> = captures.iter().map(String::as_str).collect();
        let draw = |noise: &mut Noise| {
            let sample = noise.pick(&samples);
            if noise.below(4) == 0 { noise.text(&PIECES, 80) } else { noise.mixed(sample, &PIECES) }
        };
        fuzz(400, draw, |text| {
            for line in text.lines() {
                let _ = tool.hear(line);
                let _ = (tool.retrying)(line);
            }
            let (stdout, stderr) = text.split_at(text.floor_char_boundary(text.len() * 3 / 4));
            for exit in [None, Some(0), Some(1), Some(-1)] {
                match tool.read(&Said { stdout, stderr, exit }) {
                    Ok(answer) => assert!(!answer.text.trim().is_empty(), "an answer says something"),
                    Err(failure) => assert!(failure.detail.chars().count() <= 2_000, "a failure is told in short"),
                }
            }
        });
    }
}

/// What a tool really printed.
fn captures(tool: &Tool) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/providers/tools/captures").join(tool.name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let printed = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "stdout" || end == "stderr"));
    printed.map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()).collect()
}
