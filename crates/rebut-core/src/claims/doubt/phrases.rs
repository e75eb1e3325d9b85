//! How a place, a citation or a claim is called false. The form of a phrase is told in [`begins`](super::words::begins).

/// Words between a place and what is said of it; behind any other word the sentence speaks of something else.
#[rustfmt::skip]
pub(super) const PASSING: [&str; 87] = [
    "is", "was", "are", "were", "be", "been", "being", "has", "have", "had", "did", "does", "do", "can", "could", "lies",
    "points", "turned", "turns", "out", "to", "proved", "proves", "proven", "found", "shown", "known", "looked", "up",
    "checked", "should", "must", "may", "will", "would", "marked", "flagged", "listed", "reported", "labelled", "labeled", "declared", "called", "exposed", "as",
    "seems", "appears", "seem", "appear", "simply", "plainly", "entirely", "pure", "just", "also", "actually", "demonstrably", "clearly", "obviously", "itself",
    "in", "fact", "and", "but", "yet", "which", "that", "it", "they", "this", "both", "all", "a", "an", "the", "file",
    "files", "line", "lines", "ist", "sind", "war", "waren", "wurde", "est", "sont", "es",
];

/// Those of them that alone make a clause of what follows: without one, `X invented a cache` would be a doubt.
#[rustfmt::skip]
pub(super) const BEING: [&str; 25] = [
    "is", "was", "are", "were", "be", "been", "being", "as", "marked", "flagged", "listed", "reported", "labelled", "labeled",
    "declared", "called", "found", "proved", "ist", "sind", "war", "waren", "wurde", "est", "sont",
];

/// What is said of a place behind it.
#[rustfmt::skip]
pub(super) const OF_PLACE: [&str; 84] = [
    "not exist .", "not exist in the|this|that|our|any|its|my|git|it|#", "not exist on|within|under|anywhere|there|either|here",
    "not to exist", "never existed", "not be found", "not be located|verified|confirmed|traced >",
    "not found >", "not located|verified|confirmed .", "not there .",
    "not in ?the|this|our|that repository|repo|workspace|tree|project|codebase|snapshot", "not in the file >",
    "not|never ?a part of ?the|this|our|that repository|repo|workspace|tree|project|codebase|snapshot",
    "not appear|occur anywhere|there", "not appear|occur in ?the|this repository|repo|workspace|tree|project|codebase|snapshot|file",
    "not stand there|in|anywhere", "not hold up|water", "stands|appears|occurs nowhere",
    "nowhere .", "nowhere to be", "nowhere in", "no such file|line|place|commit|path|heading >",
    "past|beyond|behind|after the|its end .", "past|beyond|behind|after the|its end of the|that|this|its file",
    "past|beyond|behind|after the|its end of file|it", "out of range|bounds .", "past|beyond|behind the|its ?file's ?last 0 lines", "no evidence .", "not be defended|upheld|sustained .",
    "not verify .", "out of account|consideration", "outside ?of the|its file",
    "should|must|will|shall|to be ignored|dismissed|excluded|rejected .", "off the table", "is|are ignored|excluded here|below .",
    "absent from", "no longer exists|exist", "not present .", "not a valid line|place|file|citation|path",
    "a file|line|place|path ?that|which nobody|none can|could open|find|read|see",
    "given no weight", "carries|carry|carried|gets|get|deserves|deserve|bears|bear no ?evidential|further|real weight",
    "no weight .", "counts|count for nothing", "not count .", "not be trusted .", "not be relied on|upon",
    "not be counted|credited|believed >", "failed ?the|its|their|this|every ?evidence check|checks|verification|lookup .",
    "not pass|survive ?the|its|their ?evidence check|checks|verification|lookup|inspection", "not say|read|contain|state #",
    "not say|read|show so|anything .", "not say|read|show what the|is|was|they|he|she", "✘", "aside",
    "gibt|gab es nicht", "nicht gibt", "existiert|existieren nicht", "steht|stehen nicht", "nicht vorhanden .", "fehlt|fehlen .",
    "n'existe|n'existent pas", "introuvable|introuvables", "no existe|existen", "não existe|existem", "non esiste|esistono",
    "not what the", "leads|lead|points nowhere", "proves|prove|shows|show|adds|establishes|supports nothing .",
    "failed|fails|fail verification|lookup|inspection .", "earned|earns|got|gets|received|carries|bears|has a|the ✘",
    "one of the ?two|three|four citations|quotes|references that are|were false|found|invented|missing|fabricated",
    "not real|genuine .", "not a real|genuine file|citation|quote|line|place|path",
    "gets|get|deserves|deserve|earns|has|have no credit .", "not check out .", "nicht auffindbar", "contains|has|holds no such line|words|quote|text .",
    "no such line|words|quote|text .", "not contain|say|hold|have the quoted|cited|claimed",
    "one of|among the false|invented|fabricated|failed citations|quotes|references",
    "among the citations|quotes|references that failed|fail|are|were", "cited in error", "cited by mistake",
];

/// What is said of it behind a word that calls it something: `is false`, `was struck`.
#[rustfmt::skip]
pub(super) const CALLED: [&str; 10] = [
    "missing .", "mismatch|slip|misprint|typo .", "false .", "unverifiable|inadmissible|unproven|unbelegt .", "false on|upon|after|by ?the|its|evidence lookup|check|inspection|verification", "unverified .", "made up >",
    "debunked|refuted|disproved|disproven|discredited|struck|demolished|widerlegt >",
    "disregarded|discounted|retracted|withdrawn .",
    "false|wrong|unverified|dead|mistaken citation|quote|quotation|reference|evidence",
];

/// What is said of a claim or a citation, which code has not: these fall, places do not.
#[rustfmt::skip]
pub(super) const OF_CLAIM: [&str; 15] = [
    "fails|failed|fail|falls|fell|fall|collapses|collapsed|collapse|evaporates|evaporated|crumbles|crumbled|sinks|sank >",
    "not hold|stand|count|survive|convince|verify .", "not hold up|water", "not survive", "not borne|bear out",
    "not supported|proven|proved|true|substantiated|verified|confirmed|established >",
    "not be substantiated|proven|verified|confirmed|supported", "no ?real support|basis|evidence|foundation|ground|grounds >",
    "lacks|lack ?any evidence|support|basis|proof", "rests|rest|relies|based|built on nothing|sand|air",
    "rests|rest|relies|based|built on a|an|the ?single invented|false|fabricated|fictitious|nonexistent|phantom",
    "came|comes|come back empty", "found|finds nothing", "misquotes|misreads|misstates|invents|fabricates",
    "failed|fails ?the|its|their ?evidence check|checks|verification",
];

/// The same behind a word that calls it something.
#[rustfmt::skip]
pub(super) const CLAIM_CALLED: [&str; 4] = [
    "wrong|broken|mistaken|incorrect|inaccurate|untrue|unsupported|unproven|unverified|unfounded|baseless|worthless|hollow >",
    "void|invalid|dead|exposed|caught|rejected|dismissed|ignored|misquoted|undermined|contradicted|unsubstantiated >",
    "useless|unreliable|missing|false|gone|disregarded|discounted|struck|falsch|unbelegt|faux|fausse|falso|falsa >",
    "mistake|error|slip|mismatch|careless >",
];

/// Words for what was made up.
#[rustfmt::skip]
pub(super) const INVENTED: [&str; 27] = [
    "invented", "fabricated", "hallucinated", "fictional", "fictitious", "imaginary", "bogus", "fake", "faked", "phantom",
    "nonexistent", "non-existent", "made-up", "fabrication", "hallucination", "invention", "fiction", "forgery", "erfunden",
    "erfundene", "erfundenen", "erfundenes", "inventé", "inventée", "inventado", "inventada", "inventato",
];

/// What is said of a place right before it.
#[rustfmt::skip]
pub(super) const BEFORE_PLACE: [&str; 33] = [
    "there is|was|are no", "no such", "no such file|line|place|commit as", "no trace|sign of", "not find|locate|verify|confirm|contain|say",
    "find|found|finds no", "no weight|importance|value to|on|for", "no weight is|was given to", "nothing stands|exists at|in|behind",
    "words|quote|quotation|text|passage do|does|did not stand|appear|occur|exist in|at", "nobody can|could find|locate", "invention|fabrication|hallucination|misquotation of",
    "nothing rests|hangs|depends|turns on", "contrary to",
    "not rest|rely|depend|lean|count|turn|hang|rests|based on|upon", "independent|independently of",
    "regardless|irrespective of", "repository|repo|workspace|tree|project|codebase|snapshot has|contains|holds|knows no",
    "repository|repo|workspace|tree|project|codebase|snapshot lacks", "es gibt kein|keine|keinen", "no existe|hay", "n'y a pas de",
    "made up", "making|makes up", "✘", "✘ for|at|on|against|beside", "verification|check|lookup failed for|on|at",
    "invents|inventing|fabricates|fabricating|hallucinates|hallucinating|miscites|miscited",
    "refuted|refutes|debunked|debunks|disproved|disproves|discredited|demolished|struck|strikes",
    "absence|failure|collapse|loss of", "mismatch at|of|in|on|for", "withdraw|withdrew|withdraws|withdrawing|retract|retracted|retracts|retracting",
    "false|failed|unverified|debunked|refuted|discredited|wrong|falsche|falschen|falsches|faux|falso",
];

/// What is done with a citation that is false, before it: of a place these are said of code too.
pub(super) const BEFORE_CITATION: [&str; 1] = ["caught|catches|exposed|exposes|unmasked|unmasks"];

/// Words for a file that somebody cites.
#[rustfmt::skip]
pub(super) const FILES: [&str; 15] = [
    "file", "files", "line", "lines", "path", "place", "passage", "commit", "source", "datei", "zeile", "stelle",
    "fichier", "archivo", "ligne",
];

/// Words for the citing of it.
#[rustfmt::skip]
pub(super) const CITATIONS: [&str; 26] = [
    "citation", "citations", "quote", "quotes", "quotation", "quotations", "reference", "references", "evidence", "claim",
    "claims", "exhibit", "exhibits", "proof", "beleg", "belege", "zitat", "zitate", "cita", "citas", "preuve", "prueba",
    "finding", "findings", "snippet", "excerpt",
];

/// Words for the looking up.
pub(super) const CHECKS: [&str; 6] = ["check", "lookup", "look-up", "verification", "engine", "checker"];

/// What a check is said to have come to.
#[rustfmt::skip]
pub(super) const OF_CHECK: [&str; 6] = [
    "came|comes|come back empty|negative|false", "found|finds|shows|showed|yields|yielded|returns|returned|gives|gave nothing .", "found|finds no such", "says|said otherwise",
    "refuted|refutes|struck|debunked|disproved|contradicts|contradicted it|that|this|them", "failed .",
];

/// Words that lead from one for a citation to its place.
pub(super) const LEADING: [&str; 16] =
    ["of", "from", "to", "at", "for", "about", "in", "behind", "on", "aus", "von", "zu", "de", "du", "del", "da"];

/// Words that make a place say where something is: what follows is said of that, and not of the place.
#[rustfmt::skip]
pub(super) const WHERE: [&str; 22] = [
    "of", "from", "to", "at", "for", "about", "in", "behind", "on", "by", "with", "through", "under", "inside", "into", "within",
    "near", "via", "aus", "von", "de", "del",
];

/// Words before a place or a word for a citation that only point at it.
#[rustfmt::skip]
pub(super) const POINTING: [&str; 42] = [
    "the", "a", "an", "that", "this", "these", "those", "such", "its", "his", "her", "their", "my", "our", "your", "so-called",
    "alleged", "supposed", "cited", "claimed", "quoted", "named", "main", "own", "is", "was", "are", "were", "namely", "both",
    "der", "die", "das", "den", "le", "la", "les", "el", "los", "une", "un", "l",
];

/// Words that deny what follows them.
#[rustfmt::skip]
pub(super) const DENYING: [&str; 16] = [
    "not", "never", "nobody", "none", "neither", "nor", "hardly", "without", "no", "nothing", "nowhere", "nicht", "kein",
    "keine", "niemand", "jamais",
];

/// Verbs and nouns of showing: what is not shown, not said, is none.
#[rustfmt::skip]
pub(super) const SHOWING: [&str; 35] = [
    "show", "shown", "shows", "showed", "showing", "prove", "proved", "proven", "proving", "demonstrate", "demonstrated",
    "establish", "established", "true", "say", "said", "claim", "claimed", "argue", "argued", "proof", "reason", "convince",
    "persuade", "suggest", "suggests", "indication", "gezeigt", "bewiesen", "belegt", "call", "called", "consider", "deem",
    "think",
];

/// What is said of a saying, before `that`, by whoever denies it.
pub(super) const UNTRUE: [&str; 5] = ["false", "untrue", "wrong", "mistaken", "incorrect"];

/// Those who argue, and how they are spoken of.
pub(super) const SIDES: [&str; 9] = ["proposer", "challenger", "opponent", "they", "he", "she", "it", "you", "side"];

/// Words that call a saying untrue.
pub(super) const WRONGLY: [&str; 7] =
    ["wrongly", "falsely", "mistakenly", "incorrectly", "unfairly", "unjustly", "fälschlich"];

/// What somebody else's saying is called, before `that`.
#[rustfmt::skip]
pub(super) const ALLEGATIONS: [&str; 14] = [
    "claim", "charge", "objection", "allegation", "assertion", "suggestion", "accusation", "argument", "insistence", "view",
    "point", "reply", "rebuttal", "contention",
];

/// Words before what somebody says to stand at a place.
pub(super) const ALLEGED: [&str; 8] =
    ["cited", "quoted", "alleged", "claimed", "purported", "supposed", "so-called", "mentioned"];

/// What is said of such a saying that does not convince.
#[rustfmt::skip]
pub(super) const UNCONVINCING: [&str; 15] = [
    "unconvincing", "wrong", "false", "mistaken", "unfounded", "baseless", "weak", "fails", "falls", "not", "untrue",
    "incorrect", "unpersuasive", "irrelevant", "hollow",
];

/// Words that somebody puts between a place and what is said of it, to tell whose it is.
#[rustfmt::skip]
pub(super) const TELLING_WHOSE: [&str; 37] = [
    "cited", "quoted", "named", "invoked", "offered", "by", "the", "proposer", "challenger", "opponent", "in", "of", "its",
    "his", "their", "main", "key", "only", "central", "exhibit", "evidence", "as", "for", "again", "too", "opening", "round",
    "check", "shows", "engine", "1", "2", "3", "above", "below", "reviewer", "author",
];

/// What is done with a file that is cited, before it.
#[rustfmt::skip]
pub(super) const CITING: [&str; 21] = [
    "cites", "cited", "cite", "citing", "rests", "rested", "relies", "relied", "relying", "hangs", "leans", "depends", "built",
    "based", "points", "pointed", "refers", "invokes", "invoked", "quotes", "names",
];

/// Words with which another clause begins.
pub(super) const JOINING: [&str; 14] =
    ["and", "but", "yet", "though", "although", "while", "since", "because", "as", "so", "however", "und", "aber", "denn"];
