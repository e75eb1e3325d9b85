//! The text of an HTML page as people read it: no tags, no scripts, a line for each block.
//!
//! No tree is built and no script is run: the page is read once, from beginning to end, in linear time. What is never
//! closed is dropped with the rest of the page, as browsers do with a tag or a comment.

/// Elements of which nothing is read.
const UNREAD: [&str; 7] = ["script", "style", "template", "svg", "iframe", "object", "textarea"];

/// Elements that are on lines of their own.
#[rustfmt::skip]
const BLOCKS: [&str; 42] = [
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
    "html", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "title", "tr", "ul", "select",
];

/// The text of a page. `xml` says whether it is written so strictly that an element without content can close itself.
pub(super) fn to_text(page: &str, xml: bool) -> String {
    let mut text = Text::default();
    let mut rest = page;
    // The nesting depth in `pre`, in which white space counts.
    let mut kept = 0_usize;
    let mut notes = true;
    while let Some(open) = rest.find('<') {
        text.add(&rest[..open], kept > 0);
        rest = &rest[open..];
        let Some(tag) = Tag::read(rest) else {
            text.add("<", false);
            rest = &rest[1..];
            continue;
        };
        let Some(end) = tag.end else { return text.0 };
        let inside = &rest[..end];
        rest = &rest[end..];
        if tag.name == "pre" {
            kept = if tag.closes { kept.saturating_sub(1) } else { kept + 1 };
        }
        if tag.closes {
            text.add_tag(&tag.name);
            continue;
        }
        // Browsers know no script that closes itself: what follows it is still the script's.
        let closed = inside.ends_with("/>") && (xml || tag.name == "svg");
        if UNREAD.contains(&tag.name.as_str()) && !closed {
            let Some(close) = closing(rest, &tag.name) else { return text.0 };
            rest = &rest[close..];
        } else if notes && tag.name == "sup" && is_note(inside) {
            // Numbers of footnotes stand in the middle of sentences that people quote without them.
            match closing(rest, "sup") {
                Some(close) => rest = &rest[close..],
                None => notes = false,
            }
        }
        text.add_tag(&tag.name);
    }
    text.add(rest, kept > 0);
    text.0
}

/// The character set that a page names in its first kilobyte.
pub(super) fn charset(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_ascii_lowercase();
    let after = &head[head.find("charset=")? + "charset=".len()..];
    let name =
        after.trim_start_matches(['"', '\'']).split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether a page runs scripts.
pub(super) fn has_scripts(page: &str) -> bool {
    page.match_indices('<').any(|(at, _)| starts_with(&page[at + 1..], "script"))
}

/// A tag, a comment or a declaration.
struct Tag {
    /// In lower case; empty for what is no element.
    name: String,
    closes: bool,
    /// Where it ends; none if it never does.
    end: Option<usize>,
}

impl Tag {
    /// Reads what begins with `<`; none if it is only a sign.
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

/// Text as it grows: a run of white space becomes one space, and a line ends once.
#[derive(Default)]
struct Text(String);

impl Text {
    fn add(&mut self, words: &str, keeps_space: bool) {
        for c in html_escape::decode_html_entities(words).chars() {
            match c {
                // Where a word may be parted, nothing is written.
                '\u{ad}' | '\u{200b}'..='\u{200d}' | '\0' => {}
                ' ' | '\t' | '\n' | '\r' | '\x0c' if !keeps_space => {
                    if !self.0.is_empty() && !self.0.ends_with([' ', '\n']) {
                        self.0.push(' ');
                    }
                }
                c => self.0.push(c),
            }
        }
    }

    /// What a tag puts between the words around it.
    fn add_tag(&mut self, name: &str) {
        if matches!(name, "td" | "th") {
            self.add(" ", false);
        } else if BLOCKS.contains(&name) && !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }
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
            <table><tr><th>share<td>17 %</table><pre>a\n  b</pre>1 < 2 &copy; &unknown; &#8364; &#x20AC;<br>end</body>";
        let text = "Gateway & co\nBenchmarks\nEncoding JSON took 41\u{a0}% of the time, 109 times.\none\ntwo\n\
            share 17 %\na\n  b\n1 < 2 © &unknown; € €\nend\n";
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
            ("a<script src=b.js />'2'</script>c", "ac"),
        ] {
            assert_eq!(to_text(page, false), text, "{page}");
        }
        assert_eq!(to_text("a<script src='b.js' />c", true), "ac");
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
