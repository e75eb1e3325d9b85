//! Texts that nobody would write: no panic, no span outside, and work in proportion to the text.

use rebut_fakes::noise::{Noise, fuzz};

use super::super::Statement;
use super::*;

/// How many texts a test draws.
const ROUNDS: u64 = 1_000;

#[rustfmt::skip]
const PIECES: [&str; 127] = [
    "src/pool.rs", "pool.rs", "README.md", "Makefile", "src\\pool.rs", "C:\\a\\b.rs", "/etc/passwd", "../../x.rs", "~/x.sh",
    "docs/my notes.md", "src/größe.rs", "[id]/page.tsx", ".env", "a/b", "Node.js", "std::fs", "x.y", "web/", "file://", "ロック",
    "设计.md", ":12", ":12-20", ":0", ":99999999999", "#L3", "#L3-L9", "#limits", "@28", "(12,5)", "::name", ":name", " line 20",
    " lines 3 to 9", "line 4 of ", "第16行", "の16行目", ": 40-49", " [40-49]", "`", "``", "```", "```rust src/a.rs:3\n", "~~~\n", "[", "]",
    "](", ")", "(", "<", ">", "<code>", "</code>", "\"", "'", "“", "”", "„", "«", "»", "「", "」", "‘", "’", "*", "**", "_", "~~",
    " ", "  ", "\n", "\n\n", "\r\n", "\t", ".", ". ", ", ", "; ", "…", "—", "- ", "> ", "| ", "# ", "1. ", "commit ", "abc1234", "and ",
    "https://example.com/a", "http://localhost:80", "reads ", "should ", "no ", "drop(guard);", "\u{0}", "\u{202e}",
    "my dir/file name.txt", "team docs/road map.md", "../../etc/passwd", "../other/a.rs", "/api/v1/users.json", "/dev/null", "~/.ssh/id_rsa",
    "C:\\Program Files\\gate.ini", ":99999999999999999999", ":3-340282366920938463463374607431768211456", "#L99999999999", "‹", "›", "‚",
    "[1]", "[1]: ", "\n[1]: https://e.org/x 43 %\n", "[^n]", "\n[^n]: ", "src/a.rs:3,", "src/a.rs:3|", "see:", "•", "‑9", "43 percent", "abc1234:",
    "imports ", "./a.rs", "ftp://e.org/x", "\u{a0}", "\u{3000}",
];

fn draw(noise: &mut Noise) -> String {
    noise.text(&PIECES, 60)
}

#[test]
fn whatever_is_written_citations_stand_inside_the_text() {
    fuzz(ROUNDS, draw, |text| {
        let mut before = 0;
        for citation in find(text) {
            let Range { start, end } = citation.span.clone();
            assert!(start <= end && text.get(start..end).is_some(), "{citation:?}");
            assert!(before <= start, "citations stand in the order of the text: {citation:?}");
            before = start;
            for quote in citation.quotes.iter().flat_map(|quote| quote.lines()) {
                assert!(text.contains(quote), "{quote:?}");
            }
            for symbol in &citation.symbols {
                assert!(text.contains(symbol), "{symbol:?}");
            }
        }
    });
}

#[test]
fn what_was_found_is_found_again_when_it_is_written_plainly() {
    fuzz(ROUNDS, draw, |text| {
        for citation in find(text) {
            // A code span is read up to 600 bytes.
            let short = citation.target.to_string().len() < 600;
            if let Target::File { lines: Some(_), .. } = &citation.target
                && short
            {
                // In backticks many words before a path are a command with its argument; in quotation marks they are none.
                let folder = citation.target.to_string();
                let folder = folder.split(['/', '\\']).next().unwrap_or_default();
                let mark = if folder.split(' ').count() > 2 { '"' } else { '`' };
                let again = find(&format!("{mark}{}{mark}", citation.target));
                let again: Vec<&Target> = again.iter().map(|found| &found.target).collect();
                assert_eq!(again, [&citation.target], "found in {:?}", &text[citation.span.clone()]);
            }
        }
    });
}

#[test]
fn the_work_grows_with_the_text_and_not_faster() {
    let worst = |text: &str| {
        let (read, _) = work::of(|| find(text));
        read
    };
    // What a mark without its partner costs at most is looked up again at every character.
    for piece in
        PIECES.iter().copied().chain(["- ", ", ", "a)", "[[", "a.rs ", "`a.rs:1` ", "\"a\" ", "`a` ", "x. ", "a.rs:1, "])
    {
        let [small, large] = [1_000, 4_000].map(|times| worst(&piece.repeat(times)));
        assert!(large <= 5 * small + 400_000, "{piece:?}: {small} bytes are read, then {large}");
    }
    // A row of labels that goes on as code.
    let [small, large] = [500, 2_000].map(|times| worst(&format!("[1]: src/a.rs:3\n\nx{}(2)\n", "[1]".repeat(times))));
    assert!(large <= 5 * small + 400_000, "{small} bytes are read, then {large}");
    fuzz(
        30,
        |noise| noise.text(&PIECES, 400),
        |text| {
            let read = worst(text);
            assert!(read <= 1_000 * text.len() + 10_000, "{read} bytes are read for {}", text.len());
        },
    );
    // Two pieces in turns, and a long beginning before many ends.
    fuzz(
        25,
        |noise| {
            let (one, other) = (noise.pick(&PIECES), noise.pick(&PIECES));
            format!("{one}{other}")
        },
        |pair| {
            let [small, large] = [600, 2_400].map(|times| worst(&pair.repeat(times)));
            assert!(large <= 5 * small + 400_000, "{small} bytes are read, then {large}");
            let [small, large] =
                [600, 2_400].map(|times| worst(&format!("{} src/a.rs:1 {}", "word ".repeat(times), pair.repeat(times))));
            assert!(large <= 5 * small + 400_000, "{small} bytes are read, then {large}");
        },
    );
}

#[test]
fn a_statement_is_read_whatever_its_list_of_claims_says() {
    #[rustfmt::skip]
    const TAIL: [&str; 28] = [
        "--- claims\n", "claim: ", "evidence: ", "concede: ", "attacks: ", "\n", "- ", "**", "\"", "C1.2", "P1.3 ", "none", "grep ", "run test",
        "\"x\" in src = 3", "src/a.rs:3 \"q\"", "commit abc1234 a.rs", "I concede that it is so.", "```", "https://e.org/x", "“", "”", "é", " ",
        "ftp://e.org/x", "../../etc/passwd", "my dir/file name.txt:9", ":99999999999999999999",
    ];
    fuzz(
        ROUNDS,
        |noise| {
            let prose = noise.text(&PIECES, 20);
            format!("{prose}\n--- claims\n{}", noise.text(&TAIL, 40))
        },
        |text| {
            let statement = Statement::read(text);
            assert!(statement.body.lines().all(|line| text.contains(line)));
            for citation in statement.citations() {
                assert!(statement.body.get(citation.span.clone()).is_some(), "{citation:?}");
                let most = u32::try_from(statement.claims.len()).unwrap();
                assert!(citation.claims.iter().all(|claim| (1..=most).contains(claim)), "{citation:?}");
            }
            for concession in &statement.concessions {
                assert!(super::super::stands_in(concession, &statement.body) || concession.len() < 16, "{concession:?}");
            }
        },
    );
}
