//! Secrets that only their randomness shows: long runs of mixed capitals, small letters and digits.
//!
//! Code is full of such runs that are no secrets, and most of this file is about them. A run of one case (hashes, ids, Nix
//! hashes) is never a secret here: it looks like a commit, and is found by its name or not at all.

use super::Span;
use super::pem::public;
use super::shape::{Kinds, changes, is_wordlike, run};

/// The shortest run: ids of builds and of videos are shorter, keys are longer.
const SHORTEST: usize = 24;
/// The longest run: what is longer is embedded data.
const LONGEST: usize = 400;
/// How many of a run's characters must be in pieces without order.
const DISORDERED: usize = 16;
/// A piece of fewer characters says nothing about chance.
const SHORTEST_PIECE: usize = 6;
/// The shortest line of wrapped data.
const WRAPPED: usize = 60;
/// How far back to look for the name of a run.
const CONTEXT: usize = 48;

/// What comes directly before hashes and data.
const BEFORE_HASHES: &str = "base64, h1: sha1: sha256: sha384: sha512: md5: blake3: nonce-";
/// How hashes in lock files begin.
const HASHES: &str = "sha1- sha224- sha256- sha384- sha512- sha256/";
/// How base64 of common data begins: images, fonts, archives, public keys, certificates.
const DATA: &str = "
    iVBORw0KGgo /9j/ R0lGOD UklGR PHN2Zy PD94bW d09GMg d09GRg AAEAAAA T1RUTw JVBERi0 H4sI UEsDB AGFzbQ AAABAA
    AAAAB3NzaC AAAAC3NzaC AAAAE2VjZ LS0tLS1CRUdJTiBDRVJU";
/// How ids of calls, messages and sessions begin.
const IDS: &str = "ses_ msg_ prt_ req_ run_ resp_ call_ toolu_ chatcmpl- event_";
/// The ends of names whose values are hashes, ids or public.
const NAMES_OF_HASHES: &str = "
    hash sha1 sha256 sha512 checksum digest integrity fingerprint etag id public_key publickey pubkey";

/// Finds runs without order.
pub(super) fn find(text: &str) -> Vec<Span> {
    let public = public(text);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut blocks = public.iter().peekable();
    let mut at = 0;
    while at < bytes.len() {
        let length = run(&bytes[at..], is_of_run);
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length;
        while blocks.peek().is_some_and(|block| block.end <= at) {
            blocks.next();
        }
        let start = at + escape_before(&bytes[..end], at);
        let padding = run(&bytes[end..], |byte| byte == b'=').min(2);
        let in_block = blocks.peek().is_some_and(|block| block.start <= at);
        if !in_block && is_secret(text, start, end) {
            found.push(start..end + padding);
        }
        at = end;
    }
    found
}

/// How many characters at the beginning of a run belong to an escape before it: the `n` of `\n`, the `0` of `%20`.
fn escape_before(bytes: &[u8], at: usize) -> usize {
    match (at.checked_sub(1).map(|before| bytes[before]), bytes[at]) {
        (Some(b'\\'), b'n' | b'r' | b't' | b'b' | b'f') => 1,
        (Some(b'\\'), b'u') => 5.min(bytes.len() - at),
        (Some(b'%'), _) => 2.min(bytes.len() - at),
        // A colour of a terminal, `[1;31m`.
        (Some(b'[' | b';'), _) => match run(&bytes[at..], |byte| byte.is_ascii_digit()) {
            digits if bytes.get(at + digits) == Some(&b'm') && (1..=3).contains(&digits) => digits + 1,
            _ => 0,
        },
        _ => 0,
    }
}

fn is_of_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

fn is_secret(text: &str, start: usize, end: usize) -> bool {
    let run = &text[start..end];
    if !(SHORTEST..=LONGEST).contains(&run.len()) {
        return false;
    }
    let kinds = Kinds::of(run);
    if !(kinds.upper && kinds.lower && kinds.digit) {
        return false;
    }
    let pieces = run.split(|sign: char| !sign.is_ascii_alphanumeric());
    let disordered: usize = pieces.clone().filter(|piece| is_disordered(piece)).map(str::len).sum();
    let ordered: usize = pieces.filter(|piece| is_ordered(piece)).map(str::len).sum();
    disordered >= DISORDERED && disordered > ordered && !is_hash_or_data(text, start, end)
}

/// Whether a piece is a word, several of them, or of one case. A short one says so only where little changes in it.
fn is_ordered(piece: &str) -> bool {
    let kinds = Kinds::of(piece);
    let one_case = !(kinds.upper && kinds.lower);
    (one_case && piece.len() >= SHORTEST_PIECE) || (is_wordlike(piece) && (piece.len() >= 12 || changes(piece) <= 1))
}

/// Whether a piece of letters and digits stands in no order: not of one case, no words, no alphabet.
fn is_disordered(piece: &str) -> bool {
    let kinds = Kinds::of(piece);
    piece.len() >= SHORTEST_PIECE
        && kinds.upper
        && kinds.lower
        && 10 * changes(piece) >= 3 * piece.len()
        && !is_ordered(piece)
}

fn is_hash_or_data(text: &str, start: usize, end: usize) -> bool {
    let run = &text[start..end];
    let before = &text.as_bytes()[start.saturating_sub(CONTEXT)..start];
    let follows =
        |sign: &str| before.len() >= sign.len() && before[before.len() - sign.len()..].eq_ignore_ascii_case(sign.as_bytes());
    [HASHES, IDS, DATA].iter().any(|list| list.split_whitespace().any(|begin| run.starts_with(begin)))
        || BEFORE_HASHES.split_whitespace().any(follows)
        || names_a_hash(before)
        || is_wrapped(text, start, end)
}

/// Whether the name before a value says that it is a hash: `"contentHash": "…"`.
fn names_a_hash(before: &[u8]) -> bool {
    let is_between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b':' | b'=' | b'\\');
    let between = before.iter().rev().take_while(|byte| is_between(byte)).count();
    let (name, between) = before.split_at(before.len() - between);
    let name = name.to_ascii_lowercase();
    between.iter().any(|byte| matches!(byte, b':' | b'='))
        && NAMES_OF_HASHES.split_whitespace().any(|end| name.ends_with(end.as_bytes()))
}

/// Whether a run is a line of data that was wrapped: nothing else is on its line, and the line before or after it is like
/// it. Keys that are wrapped like this stand between marks, and are found by those.
fn is_wrapped(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_margin =
        |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\'' | b',' | b'+' | b'-' | b'>' | b'|' | b'\\' | b'=');
    let head = bytes[..start].iter().rev().take(CONTEXT).take_while(|byte| is_margin(**byte)).count();
    let tail = run(&bytes[end..bytes.len().min(end + CONTEXT)], is_margin);
    let line_start = start - head;
    let line_end = end + tail;
    let begins_line = line_start == 0 || bytes[line_start - 1] == b'\n';
    let ends_line = line_end == bytes.len() || bytes[line_end] == b'\n';
    if end - start < SHORTEST || !begins_line || !ends_line {
        return false;
    }
    let is_like = |line: &[u8], least: usize| {
        let margin = run(line, is_margin);
        let length = run(&line[margin..], is_of_run);
        length >= least && line[margin + length..].iter().all(|byte| is_margin(*byte))
    };
    let near = |from: usize| bytes.len().min(from + LONGEST + 2 * CONTEXT);
    let after = bytes.get(line_end + 1..near(line_end + 1)).unwrap_or_default();
    let after = &after[..run(after, |byte| byte != b'\n')];
    let before = &bytes[line_start.saturating_sub(LONGEST + 2 * CONTEXT)..line_start.saturating_sub(1)];
    let before = &before[before.len() - before.iter().rev().take_while(|byte| **byte != b'\n').count()..];
    // The last line of data is as short as it happens to be, and no line is longer than the one before it.
    is_like(before, WRAPPED.max(end - start)) || (end - start >= WRAPPED && is_like(after, SHORTEST_PIECE))
}
