//! What differs from run to run, replaced by names.

use crate::TestEnv;

pub fn filters(env: &TestEnv) -> Vec<(String, &'static str)> {
    // The names of temporary folders hold letters, digits, dots, dashes and slashes; only the dot means something else.
    let root = env.root().display().to_string().replace('.', r"\.");
    [
        (root.as_str(), "[ROOT]"),
        (r"rebut(\s+)(show|resume|rejudge|open|export)(\s+)[0-9a-f]{4}\b", "rebut$1$2$3[SHORT]"),
        // What calls and a run took.
        (r"· \d+\.\d s\b", "· [T]"),
        (r"debate-\d{8}(T\d{6}Z|-\d{6})-[0-9a-f]{4}", "[ID]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
        // The time column of the accounts; limits and estimates are the same in every run and stay.
        (r"\| \d+\.\d s +\|", "| [T]   |"),
        (r#""(duration_ms|elapsed_ms|ms)": \d+"#, r#""$1": "[MS]""#),
        (r#""total_duration_seconds": \d+"#, r#""total_duration_seconds": "[S]""#),
        // The words that fence data in prompts.
        (r"<<(data|end|artifact) [0-9a-f]{8}", "<<$1 [MARK]"),
        (r"\b[0-9a-f]{64}\b", "[HASH]"),
        (r"\b[0-9a-f]{32}\b", "[NONCE]"),
    ]
    .into_iter()
    .map(|(pattern, name)| (pattern.to_owned(), name))
    .collect()
}
