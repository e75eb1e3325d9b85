//! The text of an HTML page as people read it: no tags, no scripts, a line for each block.
//!
//! Nothing is built and nothing is run: the page is gone through once, from beginning to end, and takes time in
//! proportion to its length, whatever it holds. What is never closed is dropped with the rest of the page, as browsers
//! do with a tag or a comment.

/// Elements of which nothing is read.
const UNREAD: [&str; 7] = ["script", "style", "template", "svg", "iframe", "object", "textarea"];

/// Elements that stand on lines of their own.
#[rustfmt::skip]
const BLOCKS: [&str; 42] = [
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
    "html", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "title", "tr", "ul", "select",
];

/// Elements that a page has for the window's frame, and for those who run no scripts.
const BESIDE_THE_PAGE: [&str; 2] = ["title", "noscript"];

/// The text of a page. `xml` says whether it is written so strictly that an element without content can close itself.
pub(super) fn to_text(page: &str, xml: bool) -> String {
    without(page, xml, &UNREAD)
}

/// What a page shows by itself: its text without its title and without what is said to those who run no scripts.
pub(super) fn shown(page: &str, xml: bool) -> String {
    let unread: Vec<&str> = UNREAD.into_iter().chain(BESIDE_THE_PAGE).collect();
    without(page, xml, &unread)
}

fn without(page: &str, xml: bool, unread: &[&str]) -> String {
    let mut text = Text::default();
    let mut rest = page;
    // How deep in `pre` we are, where white space counts.
    let mut kept = 0_usize;
    let mut notes = true;
    while let Some(open) = rest.find('<') {
        text.say(&rest[..open], kept > 0);
        rest = &rest[open..];
        let Some(tag) = Tag::read(rest) else {
            text.say("<", false);
            rest = &rest[1..];
            continue;
        };
        let Some(end) = tag.end else { return text.finish() };
        let inside = &rest[..end];
        rest = &rest[end..];
        if tag.name == "pre" {
            kept = if tag.closes { kept.saturating_sub(1) } else { kept + 1 };
        }
        if tag.closes {
            text.after(&tag.name);
            continue;
        }
        // Browsers know no script that closes itself: what follows it is still the script's.
        let closed = inside.ends_with("/>") && (xml || tag.name == "svg");
        if unread.contains(&tag.name.as_str()) && !closed {
            let Some(close) = closing(rest, &tag.name) else { return text.finish() };
            rest = &rest[close..];
        } else if notes && tag.name == "sup" && is_note(inside) {
            // Numbers of footnotes stand in the middle of sentences that people quote without them.
            match closing(rest, "sup") {
                Some(close) => rest = &rest[close..],
                None => notes = false,
            }
        }
        text.after(&tag.name);
    }
    text.say(rest, kept > 0);
    text.finish()
}

/// The character set that a page names in its first kilobyte.
pub(super) fn charset(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_ascii_lowercase();
    let behind = &head[head.find("charset=")? + "charset=".len()..];
    let name =
        behind.trim_start_matches(['"', '\'']).split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether a page runs scripts.
pub(super) fn has_scripts(page: &str) -> bool {
    page.match_indices('<').any(|(at, _)| starts_with(&page[at + 1..], "script"))
}

/// A byte of what the web calls Latin letters.
pub(crate) fn windows_1252(byte: u8) -> char {
    const UPPER: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
        '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => UPPER[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

/// A tag, a comment or a declaration.
struct Tag {
    /// In small letters; empty for what is no element.
    name: String,
    closes: bool,
    /// Where it ends; none where it never does.
    end: Option<usize>,
}

impl Tag {
    /// Reads what begins with `<`; none where it is only a sign.
    fn read(text: &str) -> Option<Self> {
        let nameless = |end: Option<usize>| Some(Self { name: String::new(), closes: false, end });
        if let Some(comment) = text.strip_prefix("<!--") {
            return nameless(comment.find("-->").map(|at| at + "<!---->".len()));
        }
        if text.starts_with("<![CDATA[") {
            return nameless(Some("<![CDATA[".len()));
        }
        if text.starts_with("<!") || text.starts_with("<?") {
            return nameless(text.find('>').map(|at| at + 1));
        }
        let closes = text.starts_with("</");
        let from = if closes { 2 } else { 1 };
        let bytes = text.as_bytes();
        if !bytes.get(from).is_some_and(u8::is_ascii_alphabetic) {
            return None;
        }
        let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        let name = text[from..from + length].to_ascii_lowercase();
        let mut quote = None;
        for (at, byte) in bytes.iter().enumerate().skip(from + length) {
            match (quote, byte) {
                (None, b'>') => return Some(Self { name, closes, end: Some(at + 1) }),
                (None, b'"' | b'\'') if bytes[..at].trim_ascii_end().ends_with(b"=") => quote = Some(*byte),
                (Some(open), byte) if open == *byte => quote = None,
                _ => {}
            }
        }
        Some(Self { name, closes, end: None })
    }
}

/// Where the first closing tag of this name ends.
fn closing(text: &str, name: &str) -> Option<usize> {
    let start = text.match_indices("</").map(|(at, _)| at).find(|at| starts_with(&text[at + 2..], name))?;
    text[start..].find('>').map(|at| start + at + 1)
}

/// Whether a text begins with this word, in whatever letters.
fn starts_with(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= word.len()
        && bytes[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        && !bytes.get(word.len()).is_some_and(u8::is_ascii_alphanumeric)
}

fn is_note(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    ["reference", "footnote", "noteref", "fn-"].iter().any(|word| tag.contains(word))
}

/// Text as it grows: white space is told once, and a line ends once.
#[derive(Default)]
struct Text {
    said: String,
}

impl Text {
    fn say(&mut self, words: &str, kept: bool) {
        let mut rest = words;
        while let Some(at) = rest.find('&') {
            self.plainly(&rest[..at], kept);
            rest = &rest[at..];
            let (character, length) = reference(rest).unwrap_or(('&', 1));
            if !matches!(character, '\u{ad}' | '\u{200b}' | '\0') {
                self.said.push(character);
            }
            rest = &rest[length..];
        }
        self.plainly(rest, kept);
    }

    fn plainly(&mut self, words: &str, kept: bool) {
        if kept {
            return self.said.push_str(words);
        }
        for c in words.chars() {
            match c {
                // Where a word may be parted, nothing is written.
                '\u{ad}' | '\u{200b}' => {}
                ' ' | '\t' | '\n' | '\r' | '\x0c' => {
                    if !self.said.is_empty() && !self.said.ends_with([' ', '\n']) {
                        self.said.push(' ');
                    }
                }
                c => self.said.push(c),
            }
        }
    }

    /// What a tag puts between the words around it.
    fn after(&mut self, name: &str) {
        if matches!(name, "td" | "th") {
            self.plainly(" ", false);
        } else if BLOCKS.contains(&name) && !self.said.is_empty() && !self.said.ends_with('\n') {
            self.said.push('\n');
        }
    }

    fn finish(self) -> String {
        self.said
    }
}

/// A character by its name or number, and how many bytes that takes.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(number) => u32::from_str_radix(number, 16),
                None => number.parse(),
            };
            // Pages that name these mean the letters of old systems.
            match code.ok()? {
                code @ 0x80..=0x9f => windows_1252(u8::try_from(code).ok()?),
                code => char::from_u32(code)?,
            }
        }
        None => named(name)?,
    };
    Some((character, end + 1))
}

/// The names of U+00A0 to U+00FF, in order.
#[rustfmt::skip]
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm", "raquo",
    "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil",
    "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute",
    "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig",
    "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc", "euml",
    "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml", "divide",
    "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

#[rustfmt::skip]
const OTHERS: [(&str, char); 46] = [
    ("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("ndash", '–'), ("mdash", '—'),
    ("hellip", '…'), ("lsquo", '‘'), ("rsquo", '’'), ("sbquo", '‚'), ("ldquo", '“'), ("rdquo", '”'), ("bdquo", '„'),
    ("lsaquo", '‹'), ("rsaquo", '›'), ("bull", '•'), ("trade", '™'), ("euro", '€'), ("thinsp", '\u{2009}'),
    ("ensp", '\u{2002}'), ("emsp", '\u{2003}'), ("zwnj", '\u{200b}'), ("zwj", '\u{200b}'), ("larr", '←'), ("rarr", '→'),
    ("uarr", '↑'), ("darr", '↓'), ("harr", '↔'), ("minus", '−'), ("le", '≤'), ("ge", '≥'), ("ne", '≠'), ("asymp", '≈'),
    ("infin", '∞'), ("sum", '∑'), ("radic", '√'), ("alpha", 'α'), ("beta", 'β'), ("gamma", 'γ'), ("delta", 'δ'),
    ("lambda", 'λ'), ("mu", 'μ'), ("pi", 'π'), ("sigma", 'σ'), ("percnt", '%'),
];

fn named(name: &str) -> Option<char> {
    let latin = LATIN.iter().position(|known| *known == name).and_then(|at| char::from_u32(0xa0 + u32::try_from(at).ok()?));
    latin.or_else(|| OTHERS.iter().find(|(known, _)| *known == name).map(|(_, character)| *character))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[test]
    fn a_page_is_read_as_people_see_it() {
        let page = "<!DOCTYPE html><html><head><title>Gate&shy;way &amp; co</title><style>p > a { }</style>\n\
            <script>if (a < b) { document.write('</p>'); }</script></head><body><!-- <p>hidden</p> -->\n\
            <h1>Benchmarks</h1><p class=\"a > b\">Encoding <b>JSON</b> took\n   41&nbsp;% of the time<sup class='reference'>\
            <a href=#1>[3]</a></sup>, 10<sup>9</sup> times.</p><ul><li>one<li>two</ul>\
            <table><tr><th>share<td>17 %</table><pre>a\n  b</pre>1 < 2 &copy; &unknown; &#8364; &#x20AC; &#150;<br>end</body>";
        let text = "Gateway & co\nBenchmarks\nEncoding JSON took 41\u{a0}% of the time, 109 times.\none\ntwo\n\
            share 17 %\na\n  b\n1 < 2 © &unknown; € € –\nend\n";
        assert_eq!(to_text(page, false), text);
    }

    #[test]
    fn what_is_never_closed_is_dropped() {
        for (page, text) in [
            ("a<!-- b", "a"),
            ("a<script>b", "a"),
            ("a<p title=\"b", "a"),
            ("a<b", "a"),
            ("a < b", "a < b"),
            ("a<", "a<"),
            ("a<sup class=reference>b", "ab"),
            ("a&", "a&"),
            ("a&#1114112;", "a&#1114112;"),
            ("<svg/>a<SCRIPT >x</Script\n>b", "ab"),
            ("it's <a title='x>y'>b</a>", "it's b"),
            ("<a b'c>d</a>'", "d'"),
        ] {
            assert_eq!(to_text(page, false), text, "{page}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x4711), ..ProptestConfig::default() })]

        #[test]
        fn any_page_can_be_read(page in "(<|>|/|!--|-->|script|sup class=reference|&|#|;|\"|=|\\PC|\\n){0,80}") {
            let text = to_text(&page, false);
            prop_assert!(text.len() <= 2 * page.len());
            let _ = charset(page.as_bytes());
        }
    }
}
