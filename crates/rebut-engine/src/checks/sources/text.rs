//! A page's text: which kinds of pages have one, in which letters it is written, and what of it people read.

use encoding_rs::{Encoding, UTF_8};

use super::html;

/// A page with scripts and less text than this, in characters, may be made by them.
const SPARSE: usize = 200;

/// The text of a page, by what its host says it is; or why there is none.
pub(super) fn read_text(content_type: &str, body: &[u8]) -> Result<String, String> {
    let mut parts = content_type.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_ascii_lowercase())
    });
    let is_html = match kind.as_str() {
        "text/html" | "application/xhtml+xml" => true,
        "" => looks_like_html(body),
        kind if is_text(kind) => false,
        kind => return Err(format!("it is {}, which has no text that can be read", plain_word(kind, "/.+-"))),
    };
    let charset = charset.or_else(|| if is_html { html::charset(body) } else { None });
    let text = decode(charset.as_deref(), body)?;
    if text.contains('\0') {
        return Err("it is not text".to_owned());
    }
    let text = if is_html {
        let read = html::to_text(&text, kind == "application/xhtml+xml");
        if read.trim().chars().count() < SPARSE && html::has_scripts(&text) {
            return Err("its text is made by scripts, which are not run".to_owned());
        }
        read
    } else {
        text
    };
    if text.trim().is_empty() { Err("it has no text".to_owned()) } else { Ok(text) }
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || ["application/json", "application/xml", "application/yaml", "application/toml", "application/javascript"]
            .contains(&kind)
        || (kind.starts_with("application/") && (kind.ends_with("+json") || kind.ends_with("+xml")))
}

fn looks_like_html(body: &[u8]) -> bool {
    let start =
        String::from_utf8_lossy(&body[..body.len().min(256)]).trim_start_matches('\u{feff}').trim_start().to_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Bytes as text. UTF-8 is read as that, whatever the server says: servers are often set up for all pages alike.
fn decode(charset: Option<&str>, body: &[u8]) -> Result<String, String> {
    let charset = charset.unwrap_or("utf-8");
    let unknown = || format!("it is written in {}, which can't be read", plain_word(charset, "-_"));
    let known = Encoding::for_label(charset.as_bytes()).ok_or_else(unknown)?;
    let encoding = if std::str::from_utf8(body).is_ok() { UTF_8 } else { known };
    Ok(encoding.decode(body).0.into_owned())
}

/// A word of a server, if it is one that can be shown.
fn plain_word<'a>(word: &'a str, marks: &str) -> &'a str {
    let plain = word.len() <= 40 && word.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c));
    if plain && !word.is_empty() { word } else { "of an unknown kind" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(kind: &str, body: &[u8]) -> String {
        read_text(kind, body).unwrap_or_else(|why| format!("({why})"))
    }

    #[test]
    fn a_page_is_read_by_what_it_is_said_to_be() {
        for (kind, body, text) in [
            ("text/html; charset=UTF-8", "<p>caf\u{e9}</p>".as_bytes(), "caf\u{e9}"),
            ("text/html;charset=\"iso-8859-1\"", b"<p>caf\xe9 \x96</p>", "caf\u{e9} \u{2013}"),
            ("text/html; charset=latin1", "<p>café</p>".as_bytes(), "café"),
            ("text/html", b"<meta charset=windows-1252><p>\x80</p>", "€"),
            ("", b"\xef\xbb\xbf<!DOCTYPE html><p>a &lt; b</p>", "a < b"),
            ("", b"<p> stays</p>", "<p> stays</p>"),
            ("text/plain", b"a < b &amp;", "a < b &amp;"),
            ("text/markdown; charset=utf-8", b"# *a*", "# *a*"),
            ("application/ld+json", b"{\"a\":1}", "{\"a\":1}"),
            ("application/pdf", b"%PDF-1.7", "(it is application/pdf, which has no text that can be read)"),
            ("\u{1b}[31m/x", b"", "(it is of an unknown kind, which has no text that can be read)"),
            ("text/html; charset=shift_jis", b"<p>\x82\xa0</p>", "あ"),
            ("text/html; charset=klingon", b"<p>\x82\xa0</p>", "(it is written in klingon, which can't be read)"),
            ("text/plain", b"a\0b", "(it is not text)"),
            ("text/plain", b" \n", "(it has no text)"),
            (
                "text/html",
                b"<title>All the figures of the year</title><noscript>You need to enable scripts</noscript>\
                <div id=root>Loading</div><script>show('41 percent of the time')</script>",
                "(its text is made by scripts, which are not run)",
            ),
        ] {
            assert_eq!(outcome(kind, body).trim(), text, "{kind}");
        }
    }
}
