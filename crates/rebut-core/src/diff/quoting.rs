//! Paths as git writes them: plain, or in quotation marks with escapes and the bytes of other letters in octal.

/// The path at the beginning of a text and what follows it. A plain path ends at a tab, before which `diff -u` writes no
/// time, or with the line.
pub(super) fn path(text: &str) -> (String, &str) {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some((path, rest)) = quoted_path(quoted)
    {
        return (path, rest);
    }
    let end = text.find(['\t', '\r']).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}

/// What follows an opening quotation mark, and the rest after the closing one.
fn quoted_path(text: &str) -> Option<(String, &str)> {
    let bytes = text.as_bytes();
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((String::from_utf8_lossy(&path).into_owned(), text.get(at + 1..)?)),
            b'\\' => {
                at += 1;
                let escape = *bytes.get(at)?;
                let octal = bytes.get(at..at + 3).filter(|digits| digits.iter().all(|d| (b'0'..=b'7').contains(d)));
                if let Some(digits) = octal {
                    let value = digits.iter().fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                    path.push(u8::try_from(value & 0xff).unwrap_or_default());
                    at += 3;
                    continue;
                }
                path.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    other => other,
                });
            }
            byte => path.push(byte),
        }
        at += 1;
    }
}

/// The two paths of a `diff --git` line. Plain paths may hold spaces, so that the line is cut where both halves name the
/// same file under their prefixes; where they do not (a rename), at the only place that can be.
pub(super) fn pair(text: &str) -> Option<(String, String)> {
    let text = text.trim_end_matches('\r');
    if text.starts_with('"') {
        let (one, rest) = path(text);
        return Some((one, path(rest.strip_prefix(' ')?).0));
    }
    if let Some(at) = text.find(" \"").filter(|_| text.ends_with('"')) {
        return Some((text[..at].to_owned(), path(&text[at + 1..]).0));
    }
    let cuts: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let halves = |at: usize| (&text[..at], &text[at + 1..]);
    let same = cuts.iter().map(|at| halves(*at)).find(|(one, other)| bare(one, other).is_some_and(|(a, b)| a == b));
    let prefixed = || cuts.iter().map(|at| halves(*at)).find(|(one, other)| bare(one, other).is_some());
    let (one, other) = same.or_else(prefixed).or_else(|| cuts.first().map(|at| halves(*at)))?;
    Some((one.to_owned(), other.to_owned()))
}

/// Prefixes of the old and the new side, as git writes them by default and with `diff.mnemonicPrefix`.
const PREFIXES: [(&str, &str); 8] =
    [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/"), ("w/", "i/"), ("b/", "a/")];

/// Both paths without their prefixes; paths that are equal as they stand have none.
pub(super) fn bare<'a>(one: &'a str, other: &'a str) -> Option<(&'a str, &'a str)> {
    if one == other {
        return Some((one, other));
    }
    PREFIXES.iter().find_map(|(old, new)| Some((one.strip_prefix(old)?, other.strip_prefix(new)?)))
}
