//! Agents of the user's own, `acp:NAME`: named in their config, seated over ACP, told of by the plan and by doctor.

use std::fs;

use rebut_engine::providers::session_variables;
use rebut_fakes::acp_agent::PROGRAM;
use rebut_fakes::stand_in::Turns;
use rebut_fakes::{Script, TOPIC, TestEnv};
use serde_json::{Value, json};

use crate::{machine, machine_with};

/// A machine whose user has three agents, one of which is not there.
fn crew() -> (TestEnv, Turns) {
    let (env, turns) = machine_with(&[PROGRAM], &[]);
    let config = format!(
        "[agents.mycrew]\ncommand = [\"{PROGRAM}\", \"answers\"]\nfamily = \"anthropic\"\nenv = [\"STAND_IN_LOG\"]\n\n\
         [agents.gone]\ncommand = [\"/no/such/agent\"]\n\n\
         [agents.two]\ncommand = [\"{PROGRAM}\", \"answers\"]\nenv = [\"STAND_IN_LOG\"]\n\n\
         [agents.kiro]\ncommand = [\"kiro-cli\", \"acp\"]\nenv = [\"STAND_IN_LOG\", \"KIRO_REGION\"]\n"
    );
    env.user_config(config);
    let log = env.root().join("told.jsonl");
    (env.with(&Script::duel(1)).set("STAND_IN_LOG", log), turns)
}

/// What the agents were told, in order.
fn told(env: &TestEnv, method: &str) -> Vec<Value> {
    let text = fs::read_to_string(env.root().join("told.jsonl")).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["told"].take());
    lines.filter(|told| told["method"] == method).collect()
}

fn duel(proposer: &str, more: &[&'static str]) -> Vec<String> {
    let seats = ["--proposer", proposer, "--challenger", "acp:two", "--judge", "script:debate.toml#judge"];
    let arguments = [&["duel", TOPIC, "--rounds", "1"], &seats[..], more].concat();
    arguments.into_iter().map(str::to_owned).collect()
}

#[test]
fn an_agent_of_the_users_own_argues_a_debate_out() {
    let (env, turns) = crew();
    let _ = env.rebut(duel("acp:mycrew:large", &[])).exits(0);
    let debate = env.debate();
    let state = debate.state();
    assert_eq!((&state["proposer"]["tool"], &state["challenger"]["tool"]), (&json!("acp:mycrew"), &json!("acp:two")));
    assert!(state["exchanges"].to_string().contains("answer 1"), "{state}");
    let journal = String::from_utf8(debate.bytes()).unwrap();
    assert!(journal.contains("\"transport\":\"acp\"") && journal.contains("\"session\":\"session-"), "{journal}");
    let model = &told(&env, "session/set_config_option")[0]["params"];
    assert_eq!((&model["configId"], &model["value"]), (&json!("m"), &json!("large")));
    assert_eq!(told(&env, "session/prompt").len(), 2);
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn the_plan_says_who_gets_the_data_and_what_was_not_tried() {
    let (env, _) = crew();
    let run = env.rebut(duel("acp:mycrew", &["--dry-run"])).exits(0);
    let run = run.shows("  proposer    acp:mycrew\n").shows(" → the service that the agent mycrew uses (proposer)\n");
    let run = run.shows("acp:mycrew: an agent of your own: whether it keeps to reading the workspace has not been tried");
    assert!(!run.stdout.contains("speaks only ACP"), "{run}");
    let run = env.rebut(duel("acp:mycrew", &["--dry-run", "--json"])).exits(0);
    let plan = run.json_lines().into_iter().find(|line| line["type"] == "plan").unwrap();
    let seats = &plan["plan"]["seats"];
    assert_eq!((&seats["proposer"]["family"], &seats["challenger"]["family"]), (&json!("anthropic"), &json!("two")));
    assert_eq!(told(&env, "session/new"), Vec::<Value>::new(), "an agent is greeted and not asked");
}

#[test]
fn an_agent_that_is_not_there_is_refused_with_those_that_are() {
    let (env, _) = crew();
    let _ = env
        .rebut(duel("acp:crew", &[]))
        .exits(2)
        .says("there is no agent `crew`; your config.toml has gone, kiro, mycrew, two");
    let _ = env.rebut(duel("mycrew", &[])).exits(2).says("unknown tool `mycrew`; did you mean `acp:mycrew`?");
    let _ = env.rebut(duel("acp", &[])).exits(2).says("`acp` names no agent of yours; write `acp:NAME`");
    let gone = "can't talk to acp:gone over ACP: there is no program /no/such/agent; correct `agents.gone.command`";
    let _ = env.rebut(duel("acp:gone", &[])).exits(2).says(gone);
    let _ = machine().rebut(duel("acp:crew", &[])).exits(2).says("name its command in your config.toml: [agents.crew]");
}

#[test]
fn doctor_tells_of_them_and_asks_them() {
    let (env, turns) = crew();
    let run = env.rebut(["doctor"]).shows("acp:mycrew an agent of your own\n  program     ");
    let run = run.shows("acp:gone  there is no program /no/such/agent; correct `agents.gone.command` in your config.toml\n");
    let _ = run.shows("  limits      an agent of your own: whether it keeps to reading the workspace has not been tried\n");
    let lines = env.rebut(["doctor", "--probe", "--json"]).json_lines();
    let of = |name: &str| lines.iter().find(|line| line["name"] == name).cloned().unwrap();
    assert!(of("acp:mycrew")["probe"]["ms"].is_u64() && of("acp:mycrew")["probe"]["cause"].is_null(), "{lines:?}");
    assert_eq!((&of("acp:mycrew")["transports"], &of("acp:gone")["can_be_seated"]), (&json!(["acp"]), &json!(false)));
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn an_agent_sees_what_it_needs_and_neither_other_keys_nor_that_it_runs_within_another() {
    let (env, _) = crew();
    let (agent, seen) = (env.root().join("bin").join(PROGRAM), env.root().join("seen"));
    env.install_script("kiro-cli", &format!("env > '{}'\nexec '{}' answers\n", seen.display(), agent.display()));
    let env = session_variables().fold(env, |env, name| env.set(name, "1")).set("KIRO_REGION", "here");
    let env = env.set("ANTHROPIC_API_KEY", "not-for-kiro");
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin").display());
    let env = env.set("PATH", path);
    let _ = env.rebut(["doctor", "--probe"]);
    let seen = fs::read_to_string(seen).unwrap();
    let has = |name: &str| seen.lines().any(|line| line.split('=').next() == Some(name));
    let left: Vec<_> = session_variables().filter(|name| has(name)).collect();
    assert_eq!(left, Vec::<&str>::new(), "{seen}");
    assert!(has("KIRO_REGION") && has("HOME"), "what it needs stays");
    assert!(!has("ANTHROPIC_API_KEY"), "another vendor's key does not reach it");
}

#[test]
fn an_agent_is_told_of_no_folder_and_no_repository_but_its_copy() {
    let (env, _) = crew();
    let (agent, seen) = (env.root().join("bin").join(PROGRAM), env.root().join("seen"));
    // A shell would mend the variable before it hands it on.
    let script = format!("tr '\\0' '\\n' < /proc/$$/environ > '{}'\nexec '{}' answers\n", seen.display(), agent.display());
    env.install_script("kiro-cli", &script);
    let live = env.workspace();
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin").display());
    let env = env.set("PATH", path).set("PWD", &live).set("OLDPWD", &live).set("GIT_DIR", live.join(".git"));
    let _ = env.rebut(duel("acp:kiro", &[])).exits(0);
    let seen = fs::read_to_string(seen).unwrap();
    let of = |name: &str| seen.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    assert!(of("PWD").is_some_and(|folder| folder.contains("rebut-copy-")), "{seen}");
    assert_eq!((of("OLDPWD"), of("GIT_DIR")), (None, None));
    let session = &told(&env, "session/new")[0]["params"]["cwd"];
    assert_eq!(of("PWD"), session.as_str());
}

#[test]
fn an_agent_that_is_written_wrong_is_told_where_it_stands() {
    const COMMAND: &str = "a list: the program (its name or absolute path) and its arguments";
    let of_b = |line: &str| format!("[agents.ok]\ncommand = [\"x\"]\n[agents.b]\n{line}\n");
    for (text, wrong, place, takes) in [
        (of_b("command = []"), "[] for `agents.b.command`", ":4:11", COMMAND),
        (of_b("command = [\"./x\"]"), "[\"./x\"] for `agents.b.command`", ":4:11", COMMAND),
        (of_b("command = [\"~/x\"]"), "[\"~/x\"] for `agents.b.command`", ":4:11", COMMAND),
        (of_b("family = \"x\""), "[agents.b] for `agents.b`", ":3:1", "a table with `command`, a list"),
        ("[agents.\"a b\"]\ncommand = [\"x\"]\n".to_owned(), "\"a b\" for `agents`", ":1:9", "names of lowercase letters"),
        ("agents = 3\n".to_owned(), "3 for `agents`", ":1:10", "a table"),
    ] {
        let env = machine();
        env.user_config(text);
        let run = env.rebut(["config", "show"]).exits(2).says(&format!("invalid value {wrong} in "));
        let _ = run.says(&format!("config.toml{place}: expected {takes}"));
    }
    let env = machine();
    env.user_config("[agents]\nb = { command = [\"x\"], modle = \"y\" }\n");
    let _ = env
        .rebut(["config", "show"])
        .exits(2)
        .says("unknown setting `agents.b.modle` in ")
        .says("config.toml:2:24; did you mean `agents.NAME.");
}
