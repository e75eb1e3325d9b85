//! Words that say how a path and the words beside it belong together, in the languages that people argue in.

use std::borrow::Cow;

use super::work;

/// Words that lead from a path to what stands there.
#[rustfmt::skip]
const READING: [&str; 63] = [
    "reads", "read", "says", "states", "contains", "shows", "has", "holds", "is", "defines", "declares", "calls",
    "returns", "documents", "notes", "writes", "where", "with", "sets", "uses", "does", "as", "checks", "acquires",
    "drops", "runs", "spawns", "opens", "logs", "matches", "imports", "exports", "literally", "the", "steht", "sagt",
    "heißt", "lautet", "enthält", "dit", "contient", "lit", "dice", "contiene", "diz", "mówi", "jest",
    "setzt", "ruft", "nutzt", "definiert", "puts", "mentions", "describes", "promises", "parle", "mentionne", "promet",
    "menciona", "habla", "promete", "erwähnt", "beschreibt",
];

/// Words that may stand between a quote and the path behind it.
#[rustfmt::skip]
const PLACING: [&str; 46] = [
    "commit", "in", "at", "from", "see", "of", "on", "per", "line", "lines", "the", "file", "is", "stands", "appears", "says",
    "steht", "bei", "aus", "dans", "en", "de", "à", "em", "w", "set", "defined", "declared", "lives", "sits", "found", "siehe",
    "vgl", "voir", "cf", "ver", "véase", "root", "top", "bottom", "beginning", "end", "message", "text", "comment", "heading",
];

/// Words by which something is denied or only proposed.
#[rustfmt::skip]
const DENYING: [&str; 135] = [
    "misses", "forgets", "omits", "neither", "nor", "none", "nulle", "not", "no", "never", "cannot", "without", "lacks", "lack", "missing", "absent", "nowhere", "instead", "rather",
    "should", "would", "could", "replace", "replacing", "rename", "add", "adding", "added", "introduce", "introducing",
    "become", "becomes", "propose", "proposes", "proposed", "suggest", "suggests", "need", "needs", "create",
    "creating", "created", "new", "move", "extract", "don't", "doesn't", "isn't", "wouldn't", "nothing", "imagine",
    "suppose", "kein", "keine", "keinen", "keiner", "keines", "nicht", "nie", "niemals", "ohne", "fehlt", "fehlen",
    "statt", "stattdessen", "sollte", "sollten", "würde", "würden", "könnte", "könnten", "neue", "neuen", "neues",
    "neuer", "anlegen", "angelegt", "erstellen", "hinzufügen", "ersetzen", "umbenennen", "vorschlagen", "schlage",
    "pas", "aucun", "aucune", "jamais", "sans", "manque", "devrait", "devraient", "faudrait", "serait", "pourrait",
    "créer", "ajouter", "remplacer", "renommer", "nouveau", "nouvelle", "ningún", "ninguna", "nunca", "jamás", "sin",
    "falta", "debería", "deberían", "habría", "podría", "crear", "añadir", "agregar", "reemplazar", "renombrar",
    "nuevo", "nueva", "propongo", "não", "nenhum", "nenhuma", "sem", "deveria", "criar", "adicionar", "novo", "nova",
    "non", "nessun", "senza", "dovrebbe", "creare", "aggiungere", "nuovo", "nuova",
];

/// Those of them that say that something is not so.
#[rustfmt::skip]
const NEGATING: [&str; 48] = [
    "misses", "forgets", "omits", "not", "no", "never", "cannot", "without", "lacks", "lack", "missing", "absent", "nowhere", "nothing", "neither", "nor",
    "none", "kein", "keine", "keinen", "keiner", "keines", "nicht", "nie", "niemals", "ohne", "fehlt", "fehlen", "pas",
    "aucun", "aucune", "jamais", "sans", "manque", "ningún", "ninguna", "nunca", "jamás", "sin", "falta", "não", "nenhum",
    "nenhuma", "sem", "non", "nessun", "senza", "nulle",
];

/// Verbs and joints of a change: `replace A in PATH with B`, where B is what is wished for.
#[rustfmt::skip]
const CHANGING: [&str; 24] = [
    "replace", "replacing", "change", "changing", "rename", "turn", "switch", "set", "raise", "lower", "bump",
    "ersetzen", "ersetze", "remplacer", "remplace", "reemplazar", "cambiar", "split", "splitting", "put", "convert",
    "refactor", "break", "aufteilen",
];

/// Words right before a path that say it is not there any more.
#[rustfmt::skip]
const GONE_BEFORE: [&str; 29] = [
    "removed", "removes", "deleted", "deletes", "former", "renamed", "obsolete", "replaces", "replaced", "supersedes",
    "superseded", "ehemalige", "ehemaligen", "gelöschte", "gelöschten", "ancien", "antiguo", "vecchio", "löscht", "löschte",
    "supprime", "supprimé", "elimina", "eliminó", "borró", "renombra", "renombró", "renomme", "renommé",
];

/// Words behind a path and a form of "to be" that say it is not there any more; of lines, only the first ones do: a guard
/// that is dropped at a line, or moved there, is still written there.
#[rustfmt::skip]
const GONE_BEHIND: [&str; 12] = [
    "removed", "deleted", "renamed", "gelöscht", "entfernt", "umbenannt", "retired", "superseded", "replaced", "merged",
    "folded", "moved",
];
const GONE_BEHIND_LINES: usize = 6;
#[rustfmt::skip]
const INTO: [&str; 9] = [
    "with", "to", "into", "by", "durch", "par", "por", "zu", "a",
];

/// Words behind which somebody else's words are told, and not what stands in a file.
#[rustfmt::skip]
const TELLING: [&str; 31] = [
    "claim", "claims", "claimed", "claiming", "argue", "argues", "argument", "assertion", "asserts", "assumption",
    "idea", "notion", "promise", "objection", "refutes", "contradicts", "disproves", "disputes", "against", "despite",
    "unlike", "known", "called", "used", "once", "formerly",
    "previously", "so-called", "behauptung", "affirmation", "afirmación",
];

/// Words by which something else is advised, or stands for what is meant.
#[rustfmt::skip]
const ADVISING: [&str; 35] = [
    "suggested", "suggestion", "prefer", "consider", "considering", "better", "recommend", "recommends", "recommended", "want", "wants", "wish", "fix",
    "patch", "solution", "remedy", "alternative", "example", "equivalent", "analogue", "counterpart", "similar", "like",
    "calling", "invoking", "running", "executing", "writing", "passing", "imagining", "besser", "lieber", "utiliser", "mieux",
    "mejor",
];

/// Words before a text that a program prints, and does not hold.
#[rustfmt::skip]
const PRINTING: [&str; 26] = [
    "fails", "fail", "failed", "failing", "panics", "panicked", "crashes", "crashed", "prints", "printed", "printing",
    "throws", "threw", "raises", "raised", "aborts", "aborted", "exits", "exited", "reports", "reported", "error", "errors",
    "message", "output", "outputs",
];

/// Words right before a name that somebody gives to something.
#[rustfmt::skip]
const NAMING: [&str; 10] =
    ["calls", "called", "named", "termed", "dubbed", "so-called", "sogenannte", "sogenannten", "phrase", "slogan"];

/// Words that say, behind a name, that it is not there.
#[rustfmt::skip]
const ABSENT: [&str; 13] = [
    "lack", "lacks", "lacking", "missing", "absent", "nowhere", "nonexistent", "fehlt", "fehlen", "manque", "manquent",
    "falta", "faltan",
];

/// Words that say, behind a file, that it is still to be made.
#[rustfmt::skip]
const MAKING: [&str; 20] = [
    "added", "created", "introduced", "written", "needed", "anlegen", "angelegt", "erstellen", "erstellt", "hinzufügen",
    "créer", "créé", "ajouter", "ajouté", "crear", "creado", "añadir", "criar", "creare", "aggiungere",
];

/// Ways to say so without spaces between words.
#[rustfmt::skip]
const ABSENT_UNSPACED: [&str; 6] = [
    "ありません", "がない", "はない", "存在しな", "没有", "不存在",
];

pub(super) fn reads(word: &str) -> bool {
    READING.contains(&word)
}

pub(super) fn places(word: &str) -> bool {
    PLACING.contains(&word)
}

pub(super) fn denies(word: &str) -> bool {
    DENYING.contains(&word)
}

/// Whether a word that denies something says that it is not so; the others propose something else.
pub(super) fn negates(word: &str) -> bool {
    NEGATING.contains(&word) || word.ends_with("n't")
}

pub(super) fn changes(word: &str) -> bool {
    CHANGING.contains(&word)
}

pub(super) fn leads_into(word: &str) -> bool {
    INTO.contains(&word)
}

pub(super) fn tells(word: &str) -> bool {
    TELLING.contains(&word)
}

/// Whether a word advises something else than what stands there.
pub(super) fn advises(word: &str) -> bool {
    ADVISING.contains(&word)
}

/// Whether a word leads to what a program prints.
pub(super) fn prints(word: &str) -> bool {
    PRINTING.contains(&word)
}

/// Whether a word leads to a name that somebody gives to something.
pub(super) fn names(word: &str) -> bool {
    NAMING.contains(&word)
}

/// Whether the words before a path say that what follows is taken from there: `according to src/pool.rs:3`.
pub(super) fn attributes(before: &str) -> bool {
    let mut lead = before.rsplit(char::is_whitespace).map(plain_word).filter(|word| !word.is_empty());
    let (last, one_before) = (lead.next().unwrap_or_default(), lead.next().unwrap_or_default());
    matches!(last.as_str(), "laut" | "gemäß" | "per" | "selon" | "según" | "secondo" | "segundo" | "as" | "wie")
        || (last == "to" && one_before == "according")
        || (matches!(last.as_str(), "the" | "our" | "its") && one_before == "as")
}

/// Whether a sentence itself says that the file it names is not there any more: in the words before the path or in those
/// behind it. `lined` says whether lines of it are named.
pub(super) fn says_gone(before: &str, behind: &str, lined: bool) -> bool {
    let mut lead = before.rsplit(char::is_whitespace).map(plain_word).filter(|word| !word.is_empty());
    let word = lead.find(|word| !matches!(word.as_str(), "the" | "file" | "module" | "its" | "our"));
    let renamed_from = || words(before).collect::<Vec<_>>().ends_with(&["renamed".into(), "from".into()]);
    // `it replaces src/a.rs:9 by a loop` speaks of a line that is there.
    let goes = |word: &String| !(lined && matches!(word.as_str(), "replaces" | "replaced" | "removes" | "deletes"));
    if word.as_ref().is_some_and(|word| GONE_BEFORE.contains(&word.as_str()) && goes(word)) || renamed_from() {
        return true;
    }
    // `wurde src/old.rs gelöscht`
    let passive = word.is_some_and(|word| matches!(word.as_str(), "wurde" | "wurden" | "ist" | "was" | "were"));
    if passive && words(behind).next().is_some_and(|word| GONE_BEHIND[..GONE_BEHIND_LINES].contains(&&*word)) {
        return true;
    }
    let known = if lined { &GONE_BEHIND[..GONE_BEHIND_LINES] } else { &GONE_BEHIND };
    let behind: Vec<_> = words(behind).take(6).collect();
    let mut auxiliary = false;
    for (at, word) in behind.iter().enumerate() {
        // What was renamed from another is the one that is there.
        let other = behind.get(at + 1).is_some_and(|next| next == "from");
        let over = behind.get(at + 1).is_some_and(|next| matches!(&**next, "over" | "through" | "into" | "wrong"));
        if (auxiliary && known.contains(&&**word) && !other) || (word == "gone" && !over) {
            return true;
        }
        let is_auxiliary = matches!(
            &**word,
            "was" | "were" | "is" | "has" | "have" | "been" | "got" | "being" | "wurde" | "wurden" | "ist" | "a" | "été"
        );
        auxiliary |= is_auxiliary;
        let passing = matches!(
            &**word,
            "now"
                | "since"
                | "already"
                | "just"
                | "long"
                | "later"
                | "then"
                | "inzwischen"
                | "but"
                | "that"
                | "this"
                | "file"
                | "which"
                | "it"
        );
        if !is_auxiliary && !passing {
            return false;
        }
    }
    false
}

/// Whether the words right before a path ask for that file to be made: `create src/new.rs:1-20`, `creates two files: a.rs`.
pub(super) fn asks_to_create(before: &str, lined: bool) -> bool {
    let mut lead = before.rsplit(char::is_whitespace).map(plain_word).filter(|word| !word.is_empty()).take(6);
    let passing = |word: &String| {
        matches!(
            word.as_str(),
            "a" | "an"
                | "the"
                | "new"
                | "file"
                | "files"
                | "module"
                | "modules"
                | "called"
                | "named"
                | "two"
                | "three"
                | "four"
                | "several"
                | "some"
        )
    };
    lead.find(|word| !passing(word)).is_some_and(|word| match word.as_str() {
        "create" | "creating" | "creates" | "introduce" | "introducing" | "introduces" => true,
        // `we propose src/a.rs:9 as the culprit` speaks of what is there.
        "propose" | "proposes" => !lined,
        _ => false,
    })
}

/// Whether the words before a path say that there is no such file yet: `a future a.rs`, `if we had a file like a.rs`.
pub(super) fn only_supposes(before: &str) -> bool {
    let lead: Vec<_> = words(before).collect();
    let adjective = matches!(
        lead.last().map(|word| &**word),
        Some(
            "future" | "hypothetical" | "planned" | "imagined" | "künftige" | "künftiges" | "geplante" | "futur" | "futuro"
        )
    );
    let near = &lead[lead.len().saturating_sub(8)..];
    let condition = near.iter().position(|word| matches!(&**word, "if" | "wenn" | "si"));
    let unreal = |word: &str| {
        matches!(word, "had" | "were" | "hätten" | "hätte" | "gäbe" | "avions" | "avait" | "tuviéramos" | "hubiera")
    };
    adjective || condition.is_some_and(|at| near[at..].iter().any(|word| unreal(word)))
}

fn plain_word(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether the words right before a path say that it is what one file calls another: `imports ../types.ts`.
pub(super) fn imports(before: &str) -> bool {
    // Three words are not longer; a text without any white space must not be read from its beginning again and again.
    let start = before.char_indices().rev().nth(47).map_or(0, |(at, _)| at);
    work::read(before.len() - start);
    let lead = before[start..].rsplit(char::is_whitespace).map(plain_word).filter(|word| !word.is_empty()).take(3);
    let verbs = ["import", "imports", "imported", "importing", "require", "requires", "include", "includes"];
    lead.into_iter().any(|word| verbs.contains(&word.as_str()))
}

/// Whether the word before a path asks for a file that is not there yet.
pub(super) fn asks_for(word: &str) -> bool {
    matches!(word, "write" | "make" | "implement" | "draft" | "generate" | "schreibe" | "écris" | "escribe")
}

/// Whether the word before a path only supposes what is said of it.
pub(super) fn supposes(word: &str) -> bool {
    matches!(word, "if" | "unless" | "suppose" | "had" | "wenn" | "falls" | "hätte" | "si" | "se")
}

pub(super) fn makes(word: &str) -> bool {
    MAKING.contains(&word)
}

/// Whether the words behind a name say that it is not there.
pub(super) fn says_absent(behind: &str) -> bool {
    let mut before = Cow::Borrowed("");
    for word in words(behind).take(6) {
        let denied = matches!(&*before, "not" | "doesn't" | "don't" | "longer" | "never" | "no" | "não" | "non");
        let there = matches!(&*word, "exist" | "exists" | "there" | "stand" | "appear" | "existe" | "esiste");
        let not_there = matches!((&*before, &*word), ("existiert" | "es", "nicht") | ("existe", "pas"));
        if ABSENT.contains(&&*word) || (denied && there) || not_there || word.starts_with("n'exist") {
            return true;
        }
        before = word;
    }
    ABSENT_UNSPACED.iter().any(|said| behind.contains(said))
}

/// The words of a text, in small letters, without punctuation.
pub(super) fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    placed_words(text).map(|(_, word)| word)
}

/// The words of a text and where they begin.
pub(super) fn placed_words(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '—' | '(' | ')' | '/'));
    parts.filter_map(|part| {
        work::read(part.len() + 1);
        let word = without_elision(part.trim_matches(|c: char| !c.is_alphanumeric()));
        if word.is_empty() {
            return None;
        }
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        // `sin embargo` and `sans doute` deny nothing.
        if matches!(word, "sin" | "Sin" | "sans" | "Sans")
            && ["embargo", "doute", "duda"].iter().any(|next| text[at + word.len()..].trim_start().starts_with(next))
        {
            return None;
        }
        let plain = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        Some((at, if plain { Cow::Borrowed(word) } else { Cow::Owned(word.replace('’', "'").to_lowercase()) }))
    })
}

/// `d'ajouter` is `ajouter`.
fn without_elision(word: &str) -> &str {
    let elided = ["d", "l", "qu", "s", "D", "L", "Qu", "S"].iter().find_map(|letters| word.strip_prefix(letters));
    let rest = elided.and_then(|rest| rest.strip_prefix(['\'', '’']));
    rest.filter(|rest| rest.chars().nth(2).is_some()).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_small_and_without_punctuation() {
        let found: Vec<_> = words("It DOESN’T (not) read: \"Größe\"/x.").collect();
        assert_eq!(found, ["it", "doesn't", "not", "read", "größe", "x"]);
        assert_eq!(placed_words(" a  b").map(|(at, _)| at).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn what_a_sentence_says_is_gone_is_gone() {
        for (before, behind) in [
            ("", " was removed in 2.0."),
            ("We removed ", " long ago"),
            ("The deleted file ", " held the lock."),
            ("It was renamed from ", "."),
            ("", " has since been renamed to x."),
            ("", " is gone."),
            ("", " wurde gelöscht."),
        ] {
            assert!(says_gone(before, behind, true), "{before}|{behind}");
        }
        for (before, behind) in [
            ("", " removed the lock."),
            ("The lock was removed from ", "."),
            ("The guard at ", " is dropped early."),
            ("The guard at ", " was moved there."),
            ("", " shows that the check was removed."),
            ("", " was renamed from x."),
        ] {
            assert!(!says_gone(before, behind, true), "{before}|{behind}");
        }
        assert!(says_gone("", " was merged into x", false));
    }

    #[test]
    fn what_is_imported_is_named_as_another_file_calls_it() {
        for before in ["It imports ", "it is imported from `", "which requires the file "] {
            assert!(imports(before), "{before}");
        }
        for before in ["", "I read it in ", "imports are slow; the list is long, see ", &"x".repeat(1_000)] {
            assert!(!imports(before), "{before}");
        }
    }

    #[test]
    fn absence_is_told_behind_a_name() {
        assert!(says_absent(" is what we lack."));
        assert!(says_absent(" does not exist."));
        assert!(says_absent("はありません。"));
        assert!(!says_absent(" does not lock."));
    }
}
