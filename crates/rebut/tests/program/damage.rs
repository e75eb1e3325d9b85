//! A journal that a crash tore is mended; one that somebody changed is reported and never written to.

use std::fmt::Write as _;
use std::fs;

use futures_util::FutureExt;
use rebut_core::debate::{DebateId, SeatName, SeatPlan};
use rebut_engine::checks::{Allowed, OpenSnapshot};
use rebut_engine::clock::Clock;
use rebut_engine::providers::Providers;
use rebut_engine::runner::{Chooser, Limits, Runner, Seats, Stop};
use rebut_engine::store::{Earlier, FileStore, Store};
use rebut_fakes::{DebateFolder, Script, ScriptLine, TestEnv};

use crate::machine_for;

/// A duel of one round with an answer and a topic's worth of text that is too long for a line.
fn with_long_texts() -> Script {
    let long = format!("It is long. {}", "All of it matters. ".repeat(1_200));
    Script::duel(1).instead("round-1/challenger", [ScriptLine::text(long)])
}

fn meaning(env: &TestEnv) -> String {
    env.rebut(["show", "--verify", "--json"]).exits(0).json()["meaning"].as_str().unwrap().to_owned()
}

/// A debate that was killed just after its second statement, and the meaning it has when nobody kills it.
fn cut_in_the_middle() -> (TestEnv, DebateFolder, String) {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::text("No: see b.rs:2.")]));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let expected = meaning(&env);
    env.clear();
    env.duel_with_fault("kill-after:5", &["--rounds", "1"]).was_killed();
    let debate = env.debate();
    assert_eq!(debate.story().last().unwrap(), "answered round-1/challenger");
    (env, debate, expected)
}

/// Where the last line begins.
fn start_of_last_line(bytes: &[u8]) -> usize {
    bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1
}

/// Resumes in this process, which is a hundred times faster than starting one, and gives the meaning.
fn resume_in_process(env: &TestEnv, debate: &DebateFolder) -> (String, Option<String>) {
    let (store, id) = (FileStore::at(env.state()), DebateId::parse(&debate.id).unwrap());
    let mut claimed = store.claim(&id, Earlier::Dropped).now_or_never().unwrap().unwrap();
    let note = claimed.note.take();
    let runner = Runner::open(claimed, Clock::start()).unwrap();
    let providers = Providers::default();
    let open = |(name, seat): (&SeatName, &SeatPlan)| (name.clone(), providers.open(seat, &env.workspace(), None).unwrap());
    let seats: Seats = runner.debate().plan().seats.iter().map(open).collect();
    let (plan, began) = (runner.debate().plan(), runner.debate().began_at());
    let opened = OpenSnapshot::of(plan, began, runner.claim().blobs(), u64::MAX, Allowed::default()).unwrap();
    let mut runner = runner.with_examiner(opened.examiner(None));
    runner.resume(rebut_core::debate::Amendment::default(), &mut ()).now_or_never().unwrap().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (limits, stop) = (Limits::new(None, &[]), Stop::default());
    let format = runner.debate().format();
    let (chooser, observer) = (Chooser::Recommendation, &mut ());
    let ended = runtime.block_on(runner.run(format, seats, &limits, chooser, &stop, observer)).unwrap();
    (ended.meaning(), note)
}

#[test]
fn a_last_line_that_is_torn_at_any_byte_is_cut_and_the_debate_goes_on() {
    let (env, debate, expected) = cut_in_the_middle();
    let whole = debate.bytes();
    let start = start_of_last_line(&whole);
    for length in start..=whole.len() {
        fs::write(debate.journal_file(), &whole[..length]).unwrap();
        let (meaning, note) = resume_in_process(&env, &debate);
        assert_eq!(meaning, expected, "torn after {} bytes", length - start);
        assert!(debate.bytes().starts_with(&whole[..start]), "torn after {} bytes", length - start);
        assert!(debate.answers().values().all(|times| *times == 1), "torn after {} bytes", length - start);
        // A line that lacks only its newline is whole, and nothing is taken from it.
        assert_eq!(note.is_some(), (start + 1..whole.len() - 1).contains(&length), "torn after {} bytes", length - start);
    }
}

#[test]
fn the_person_is_told_that_a_torn_line_was_cut() {
    let (env, debate, expected) = cut_in_the_middle();
    let whole = debate.bytes();
    let start = start_of_last_line(&whole);
    fs::write(debate.journal_file(), &whole[..start + 17]).unwrap();
    let verified = env.rebut(["show", "--verify"]).exits(0).shows("journal intact: 5 events");
    let _ = verified.says("the last line is incomplete (17 bytes); `rebut resume` removes it");
    let resumed = env.rebut(["resume"]).exits(0);
    let _ = resumed.says("the last line of the journal was cut off in the middle (17 bytes) and has been removed");
    assert_eq!(meaning(&env), expected);
}

/// Changes the journal's lines, and expects that this line is named and that nobody writes behind it.
#[track_caller]
fn refused(change: impl Fn(&DebateFolder, &mut Vec<String>), line: usize, what: &str) {
    let env = machine_for(&with_long_texts());
    env.duel_with_fault("kill-after:5", &["--rounds", "1"]).was_killed();
    let debate = env.debate();
    let mut lines: Vec<String> = debate.lines().into_iter().map(|line| line.raw).collect();
    change(&debate, &mut lines);
    fs::write(debate.journal_file(), lines.into_iter().map(|line| line + "\n").collect::<String>()).unwrap();
    let before = debate.bytes();
    let named = format!("line {line} of {} {what}", debate.journal_file().display());
    let verified = env.rebut(["show", "--verify"]).exits(1).shows(&named);
    let _ = verified.shows(&format!("{} events before that are intact", line - 1));
    let as_json = env.rebut(["show", "--verify", "--json"]).exits(1).json_lines().remove(0);
    assert!(as_json["problems"][0].as_str().unwrap().starts_with(&named), "{as_json}");
    let resumed = env.rebut(["resume", "last"]).exits(1).says(&named);
    let _ = resumed.says("the journal was changed by something other than rebut");
    for command in ["show", "replay", "export", "cancel"] {
        let _ = env.rebut([command, "last"]).exits(1).says(&named);
    }
    for more in ["--failures", "--claims"] {
        let _ = env.rebut(["show", "last", more]).exits(1).says(&named);
    }
    let _ = env.rebut(["list"]).exits(0).shows("damaged");
    assert_eq!(debate.bytes(), before);
}

#[test]
fn a_changed_line_is_named_and_resume_refuses() {
    refused(|_, lines| lines[2] = lines[2].replace("Argument", "Argumend"), 3, "does not have the hash that it names");
}

#[test]
fn a_line_that_was_changed_and_hashed_anew_is_named_by_the_one_after_it() {
    let forge = |_: &DebateFolder, lines: &mut Vec<String>| {
        let changed = lines[2].replace("Argument", "Argumend");
        let (content, _) = changed.rsplit_once(",\"hash\":").unwrap();
        lines[2] = format!("{content},\"hash\":\"{}\"}}", blake3::hash(content.as_bytes()));
    };
    refused(forge, 4, "does not follow the line before it");
}

#[test]
fn removed_swapped_and_added_lines_are_named() {
    let what = "does not follow the line before it";
    refused(|_, lines| drop(lines.remove(2)), 3, what);
    refused(|_, lines| lines.swap(2, 3), 3, what);
    refused(|_, lines| lines.insert(2, lines[1].clone()), 3, what);
}

#[test]
fn a_line_that_is_no_event_is_named() {
    refused(|_, lines| lines[1] = "hello".to_owned(), 2, "has no hash");
}

#[test]
fn a_journal_that_was_emptied_is_no_debate_that_never_began() {
    refused(|_, lines| lines.clear(), 1, "is missing: the journal had");
}

fn only_blob(debate: &DebateFolder) -> std::path::PathBuf {
    let mut blobs: Vec<_> = fs::read_dir(debate.path.join("blobs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    blobs.retain(|path| !path.ends_with(debate.pack().unwrap()));
    blobs.sort_by_key(|path| fs::metadata(path).unwrap().len());
    blobs.pop().unwrap()
}

/// The sixth line is the long answer.
#[test]
fn a_long_text_that_was_edited_is_named_with_the_line_that_refers_to_it() {
    let edit = |debate: &DebateFolder, _: &mut Vec<String>| {
        let blob = only_blob(debate);
        let text = fs::read_to_string(&blob).unwrap();
        fs::write(&blob, text.replacen("matters", "mutters", 1)).unwrap();
    };
    refused(edit, 6, "refers to ");
}

#[test]
fn a_long_text_that_is_missing_is_named_with_the_line_that_refers_to_it() {
    refused(|debate, _| fs::remove_file(only_blob(debate)).unwrap(), 6, "refers to ");
}

#[test]
fn a_long_text_that_a_crash_tore_is_written_anew() {
    let env = machine_for(&with_long_texts());
    // The answer's text is written before the line that refers to it.
    env.duel_with_fault("kill-before:5", &["--rounds", "1"]).was_killed();
    let blob = only_blob(&env.debate());
    let text = fs::read(&blob).unwrap();
    fs::write(&blob, &text[..text.len() / 2]).unwrap();
    let _ = env.rebut(["resume"]).exits(0);
    assert_eq!(fs::read(&blob).unwrap(), text);
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
}

#[test]
fn long_texts_lie_beside_the_journal_and_read_as_if_they_stood_in_it() {
    let env = machine_for(&with_long_texts());
    let long_topic = "Is this long? ".repeat(1_500);
    let seats = ["--tools", "script:debate.toml#a,script:debate.toml#b", "--rounds", "1"];
    let _ = env.rebut_reading(long_topic.as_bytes(), ["duel", "-"].iter().chain(&seats)).exits(0);
    let debate = env.debate();
    assert!(debate.bytes().len() < 20_000, "no long text stands in the journal");
    assert_eq!(debate.state()["topic"], long_topic.trim());
    let said = debate.state()["exchanges"][1]["response"].as_str().unwrap().to_owned();
    assert!(said.starts_with("It is long.") && said.len() > 20_000);
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
}

#[test]
fn a_debate_of_another_version_is_refused_with_a_word_on_what_to_do() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let debate = env.debate();
    // Its lines check out, and hold what this version does not know.
    let (mut journal, mut prev) = (String::new(), "0".repeat(64));
    for line in debate.lines() {
        let mut event: serde_json::Value = serde_json::from_str(&line.raw).unwrap();
        let mut event = event["event"].take();
        if event["happening"]["kind"] == "planned" {
            event["happening"]["plan"]["version"] = 3.into();
            event["happening"]["plan"]["setup"] = "of that time".into();
        }
        let content = format!("{{\"seq\":{},\"prev\":\"{prev}\",\"event\":{event}", journal.lines().count());
        prev = blake3::hash(content.as_bytes()).to_hex().to_string();
        writeln!(journal, "{content},\"hash\":\"{prev}\"}}").unwrap();
    }
    fs::write(debate.journal_file(), &journal).unwrap();
    let told = "the journal has version 3, written by another rebut, and this one reads version 4: ";
    for command in [&["show"][..], &["show", "--verify"], &["replay"], &["export"], &["resume"], &["cancel"]] {
        let run = env.rebut([&[command[0], "last"], &command[1..]].concat()).exits(1).says(told);
        let _ = run.says("read it with the version of rebut that wrote it, or start the debate again");
    }
    let _ = env.rebut(["list"]).exits(0).shows(&format!("{}\tunreadable\t", debate.id)).shows(told);
    assert_eq!(fs::read_to_string(debate.journal_file()).unwrap(), journal);
    let _ = env.rebut(["rm", &debate.id]).exits(0);
    assert!(env.debates().is_empty());
}

#[test]
fn lines_that_were_taken_from_the_end_are_missed() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let file = env.debate().journal_file();
    let journal = fs::read_to_string(&file).unwrap();
    let shorter: String = journal.split_inclusive('\n').take(5).collect();
    fs::write(&file, shorter).unwrap();
    let run = env.rebut(["show", "--verify"]).exits(1);
    let _ = run.shows("the journal ends after 5 events, but debate.json was rendered from 12: lines are missing");
}

#[test]
fn a_journal_of_another_debate_is_not_taken_for_this_one() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let [first, second] = &env.debates()[..] else { panic!("two debates") };
    fs::copy(first.journal_file(), second.journal_file()).unwrap();
    let _ = env.rebut(["show", &first.id, "--verify"]).exits(0);
    let expected = format!("this is the journal of {}, not of {}", first.id, second.id);
    let _ = env.rebut(["show", &second.id, "--verify"]).exits(1).shows(&expected);
}
