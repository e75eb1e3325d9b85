//! What a user sees of a run by default, in terminals of 60, 80 and 200 columns.

use rebut_fakes::panel::PanelScript;
use rebut_fakes::{Run, ScriptLine, Terminal, TestEnv, filters};

use crate::{cross, machine, panel, review};

const WIDTHS: [u16; 3] = [60, 80, 200];

/// A machine and what is typed on it.
type Screen = (TestEnv, Vec<String>);

/// A duel about the example service, with answers in place of those that are prepared.
fn duel(more: &[&str], instead: &[(&str, &str)]) -> Screen {
    let env = machine();
    for (name, text) in [
        ("bench/latency.md", include_str!("../../../../examples/pool/bench/latency.md")),
        ("config/database.toml", include_str!("../../../../examples/pool/config/database.toml")),
        ("src/pool.rs", include_str!("../../../../examples/pool/src/pool.rs")),
    ] {
        env.write(name, text);
    }
    let mut script: toml::Table = include_str!("../../../../examples/pool.toml").parse().unwrap();
    for call in script["call"].as_array_mut().unwrap() {
        let call = call.as_table_mut().unwrap();
        call.remove("delay_ms");
        let Some((_, turn)) = instead.iter().find(|(key, _)| call["key"].as_str() == Some(key)) else { continue };
        call.retain(|field, _| field == "key");
        call.extend(turn.parse::<toml::Table>().unwrap());
    }
    env.write("pool.toml", script.to_string());
    let seats = ["--tools", "script:pool.toml#north,script:pool.toml#south", "--judge", "script:pool.toml#bench"];
    let words = ["Should we raise the pool size from 10 to 50?"].iter().chain(&seats).chain(more);
    (env, words.map(|word| (*word).to_owned()).collect())
}

fn owned(words: Vec<&str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_screen_fits_its_terminal() {
    let screens: [(&str, &dyn Fn() -> Screen); 11] = [
        ("plan", &|| duel(&["--dry-run"], &[])),
        ("duel", &|| duel(&[], &[])),
        ("quiet", &|| duel(&["--quiet"], &[])),
        ("ask", &|| (cross::machine_with_script(&cross::script(3, 0)), owned(cross::arguments("ask", &cross::THREE, &[])))),
        ("cross", &|| {
            let more = ["--rounds", "2"];
            (cross::machine_with_script(&cross::script(2, 2)), owned(cross::arguments("cross", &cross::TWO, &more)))
        }),
        ("review", &|| {
            let words = [&["review", "--intensity", "quick"][..], &review::SEATS].concat();
            let script = review::early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(review::PATCH));
            (review::repository(&script), owned(words))
        }),
        ("panel", &|| {
            let script = PanelScript { debaters: 2, rounds: 1 };
            (panel::machine_with_script(script, &script.script()), panel::arguments(script, &[]))
        }),
        ("partial", &|| {
            duel(&["--rigor", "quick"], &[("verdict/judge/1", "fail = 'refused'\ndetail = 'I would rather not judge'")])
        }),
        ("uncontested", &|| duel(&[], &[("round-1/challenger", "fail = 'auth'\ndetail = 'no key'")])),
        ("failed", &|| duel(&[], &[("round-1/proposer", "fail = 'auth'\ndetail = 'no key'")])),
        ("cancelled", &|| duel(&[], &[("round-2/proposer", "hang = true")])),
    ];
    for (name, screen) in screens {
        let mut filters = Vec::new();
        let seen: Vec<String> = WIDTHS.iter().map(|columns| seen(*columns, name, screen(), &mut filters)).collect();
        let filters: Vec<(&str, &str)> = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect();
        insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("screen_{name}"), seen.join("\n\n"));
        });
    }
}

/// What the terminal shows, and how the program ended. Nothing moves in a terminal that can't move its cursor.
fn seen(columns: u16, name: &str, (env, words): Screen, differing: &mut Vec<(String, &'static str)>) -> String {
    let env = env.set("REBUT_OUTPUT_STATEMENTS", "false").set("TERM", "dumb");
    let terminal = Terminal::open().columns(columns);
    let mut command = env.command(&words);
    let run: Run = match name {
        "cancelled" => terminal.until(&["round 1 · challenger"]).show(&mut command),
        _ => terminal.show(&mut command),
    };
    let text = run.stderr.replace("\r\n", "\n");
    // A command that can be copied is not broken.
    let longest = text
        .lines()
        .filter(|line| !line.starts_with("Cancelled. Resume with: "))
        .max_by_key(|line| line.chars().count())
        .unwrap_or_default();
    assert!(longest.chars().count() <= columns.into(), "{name} at {columns}: {longest}\n\n{text}");
    differing.extend(filters(&env));
    format!("===== {columns} columns, exit {} =====\n{}", run.code.unwrap_or(-1), text.trim_end())
}
