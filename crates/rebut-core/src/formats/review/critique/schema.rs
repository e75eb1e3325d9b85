//! The JSON Schema of a critique, for modes that hold an answer strictly to it: everything is required, nothing else is
//! allowed, and what there is not is an empty text or an empty list.

use serde_json::{Value, json};

/// The JSON Schema that a critic is asked to fill.
pub fn schema() -> Value {
    let findings = |what: &str| json!({"type": "array", "description": what, "items": finding()});
    object(&[
        ("summary", text("The critique in a few sentences.")),
        ("agreements", texts("What is right about the artifact.")),
        ("concerns", texts("What worries you about it as a whole.")),
        ("suggestions", texts("What you would do, as a whole.")),
        ("p1", findings("Findings about correctness, security or reliability; empty if there are none.")),
        ("p2", findings("Findings about maintainability, performance or compatibility of weight; empty if there are none.")),
        ("p3", findings("Optional findings; empty if there are none.")),
        ("missing", texts("What is missing from the artifact: alternatives, tests, risk controls; empty if nothing is.")),
        (
            "recommendation",
            json!({
                "type": "string",
                "enum": ["keep", "revise", "reject", "continue"],
                "description": "keep: as it is. revise: it should change. reject: it should be given up. continue: argue on."
            }),
        ),
        ("evidence", texts("Evidence that belongs to no single finding; empty if there is none.")),
        (
            "insufficient_evidence",
            json!({
                "type": "boolean",
                "description": "Whether the artifact gives too little to judge a point of weight; name it in the findings."
            }),
        ),
        (
            "checked",
            json!({
                "type": "array",
                "description": "What you looked at: each file, and which aspects of it.",
                "items": object(&[
                    ("file", text("The path; empty if the artifact is no file.")),
                    ("aspects", texts("What was checked, such as error handling, concurrency, assumptions.")),
                ])
            }),
        ),
    ])
}

fn finding() -> Value {
    object(&[
        ("finding", text("What is wrong, and why it matters.")),
        ("place", text("file:line, or the section of a text; empty if there is none.")),
        ("evidence", texts("What shows it: file:line with the words that stand there, figures; empty if there is none.")),
        ("action", text("What to do about it.")),
        ("replacement", text("The exact words or lines that should stand there instead; empty if you have none.")),
    ])
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn texts(description: &str) -> Value {
    json!({"type": "array", "description": description, "items": {"type": "string"}})
}

fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": names, "properties": properties})
}
