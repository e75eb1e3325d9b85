//! Errors of parsers without a word of the file: it may be a file of keys that was named by mistake, and a model may read
//! the error.

/// What is wrong with a text in TOML, with its line.
pub(crate) fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{line}{}", without_quotes(error.message()))
}

/// What is wrong with a text in JSON, with its line.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    format!("line {}: {}", error.line(), without_quotes(message))
}

/// A parser's message without what it quotes of the file. What it expected, and fields that are missing, are our own.
fn without_quotes(message: &str) -> String {
    let message = message.lines().collect::<Vec<_>>().join(", ");
    if message.starts_with("missing field") {
        return message;
    }
    let (found, expected) = message.split_once(", expected ").map_or((message.as_str(), None), |(f, e)| (f, Some(e)));
    let found = found.split(['`', '"', '\'']).next().unwrap_or_default().trim_end();
    match (found, expected) {
        ("unknown field" | "unknown variant", Some(known)) => {
            let what = if found == "unknown field" { "field" } else { "value" };
            format!("this {what} is unknown; allowed: {}", known.trim_start_matches("one of "))
        }
        (_, Some(expected)) => format!("{found}, expected {expected}"),
        (_, None) => found.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only whether it can be read is of interest")]
    struct Sample {
        name: String,
        rounds: Option<u32>,
    }

    #[test]
    fn nothing_of_the_file_is_in_the_error() {
        for (text, expected) in [
            ("SECRET = 'SECRET'\n", "line 1: this field is unknown; allowed: `name` or `rounds`"),
            ("\nname = 'a'\nrounds = 'SECRET'\n", "line 3: invalid type: string, expected u32"),
            ("rounds = 3\n", "line 1: missing field `name`"),
        ] {
            let error = toml::from_str::<Sample>(text).unwrap_err();
            assert_eq!(toml_error(text, &error), expected);
        }
        for text in ["[SECRET]\nSECRET = SECRET\n", "SECRET SECRET\n", "SECRET\n", "SECRET: SECRET\n", "= SECRET", "'SECRET"]
        {
            let message = toml_error(text, &toml::from_str::<Sample>(text).unwrap_err());
            assert!(message.starts_with("line ") && !message.contains("SECRET"), "{message}");
        }
        for text in ["{\"SECRET\": 1}", "[SECRET", "\"SECRET\"", "{\"name\": \"a\", \"rounds\": \"SECRET\"}"] {
            let message = json_error(&serde_json::from_str::<Sample>(text).unwrap_err());
            assert!(message.starts_with("line 1: ") && !message.contains("SECRET"), "{message}");
        }
    }
}
