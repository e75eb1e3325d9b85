//! Words with which critics say that there is nothing, and with which they take it back.

/// What there can be none of.
pub(super) const NOUNS: [&str; 17] = [
    "issue",
    "issues",
    "finding",
    "findings",
    "problem",
    "problems",
    "concern",
    "concerns",
    "bug",
    "bugs",
    "blocker",
    "blockers",
    "defect",
    "defects",
    "stopper",
    "stoppers",
    "showstoppers",
];

/// What there can be none of in the critique, while "no comments in the parser" is a finding.
pub(super) const REMARKS: [&str; 7] = ["remarks", "comments", "suggestions", "objections", "items", "change", "changes"];

/// Words before such a noun that only describe it.
pub(super) const DESCRIPTIONS: [&str; 40] = [
    "critical",
    "high",
    "medium",
    "low",
    "severity",
    "priority",
    "major",
    "minor",
    "blocking",
    "significant",
    "serious",
    "correctness",
    "security",
    "reliability",
    "maintainability",
    "performance",
    "compatibility",
    "optional",
    "further",
    "other",
    "additional",
    "new",
    "known",
    "obvious",
    "real",
    "material",
    "substantive",
    "important",
    "noteworthy",
    "level",
    "must",
    "fix",
    "and",
    "or",
    "style",
    "remaining",
    "specific",
    "open",
    "actual",
    "show",
];

/// Words with which such a statement ends.
pub(super) const FOUND: [&str; 17] = [
    "found",
    "reported",
    "known",
    "identified",
    "detected",
    "noted",
    "spotted",
    "raised",
    "observed",
    "seen",
    "discovered",
    "remain",
    "remaining",
    "needed",
    "required",
    "necessary",
    "here",
];

/// Words with which it goes on about where nothing was found.
pub(super) const WHERE: [&str; 7] = ["in", "for", "with", "at", "of", "on", "during"];

/// Words that can follow a "none" without stating anything: "at this time", "that I could find", "in this diff".
pub(super) const QUIET: [&str; 52] = [
    "at",
    "in",
    "for",
    "on",
    "this",
    "that",
    "these",
    "the",
    "a",
    "any",
    "time",
    "level",
    "severity",
    "priority",
    "present",
    "moment",
    "point",
    "stage",
    "now",
    "so",
    "far",
    "currently",
    "there",
    "were",
    "was",
    "are",
    "is",
    "have",
    "been",
    "has",
    "i",
    "we",
    "could",
    "can",
    "find",
    "see",
    "identify",
    "spot",
    "change",
    "changes",
    "diff",
    "patch",
    "code",
    "file",
    "files",
    "section",
    "part",
    "category",
    "review",
    "round",
    "version",
    "artifact",
];

/// Words that take back or add to what was said before them, or that make a sentence a statement of its own.
pub(super) const TAKES_BACK: [&str; 42] = [
    "but",
    "however",
    "though",
    "although",
    "except",
    "yet",
    "while",
    "apart",
    "besides",
    "still",
    "unless",
    "only",
    "not",
    "never",
    "nor",
    "without",
    "missing",
    "cannot",
    "t",
    "too",
    "should",
    "would",
    "must",
    "may",
    "might",
    "if",
    "when",
    "until",
    "instead",
    "fails",
    "breaks",
    "wrong",
    "because",
    "since",
    "whereas",
    "aside",
    "beyond",
    "other",
    "despite",
    "nevertheless",
    "neither",
    "lacks",
];

/// Verbs that make of "no issues with locking" a sentence about something else: "… is handled".
pub(super) const VERBS: [&str; 10] = ["is", "are", "was", "were", "has", "have", "gets", "get", "does", "do"];

/// Words of a sentence that says why there is nothing.
pub(super) const REASSURES: [&str; 18] = [
    "fine",
    "safe",
    "sound",
    "correct",
    "correctly",
    "ok",
    "okay",
    "good",
    "well",
    "clean",
    "solid",
    "reasonable",
    "right",
    "consistent",
    "properly",
    "covered",
    "sensible",
    "lgtm",
];

/// "None" in other languages, as a critic that is asked in one of them answers.
pub(super) const IN_OTHER_WORDS: [&str; 24] = [
    "keine", "keiner", "keines", "kein", "nichts", "aucun", "aucune", "rien", "ninguno", "ninguna", "nada", "nessuno",
    "nessuna", "niente", "nenhum", "nenhuma", "geen", "нет", "无", "無", "没有", "なし", "없음", "brak",
];

/// What there can be nothing "to" do.
pub(super) const TO_REPORT: [&str; 6] = ["report", "raise", "note", "mention", "address", "flag"];

/// Words that say why there is nothing where a sentence ends with them: "the change is small", "all addressed".
pub(super) const SETTLED: [&str; 10] =
    ["small", "simple", "trivial", "minimal", "straightforward", "addressed", "resolved", "fixed", "settled", "mechanical"];

/// Who finds nothing, and how: "I found no", "we did not see any".
pub(super) const FINDS: [&str; 18] = [
    "find",
    "found",
    "see",
    "saw",
    "seen",
    "have",
    "has",
    "identify",
    "identified",
    "spot",
    "spotted",
    "notice",
    "noticed",
    "detect",
    "detected",
    "raise",
    "report",
    "had",
];

/// What is said in place of "none", and in whole.
pub(super) const AS_A_WHOLE: [&str; 8] = [
    "all good",
    "lgtm",
    "looks good",
    "looks good to me",
    "this section is empty",
    "didn't find any",
    "didn’t find any",
    "did not find any",
];

/// Verbs that only help another one.
pub(super) const AUXILIARIES: [&str; 7] = ["are", "were", "was", "is", "have", "been", "has"];
