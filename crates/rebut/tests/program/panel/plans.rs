//! What is planned before anything is paid for: settings in levels, seats, rounds, what is allowed.

use rebut_fakes::panel::PanelScript;
use serde_json::json;

use super::{TOPIC, hold, machine_with_script};
use crate::{machine, machine_with};

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

#[test]
fn a_dry_run_shows_the_plan_and_begins_nothing() {
    let env = machine_with_script(TWO, &TWO.script());
    let run = hold(&env, TWO, &["--dry-run", "--web"]).exits(0);
    let run = run.shows("anna, ben; at least 1 round, no new round after 30 minutes").shows("/papers");
    let run = run.shows("chair       script:seats.toml#chair").shows("  fetches     cited web pages");
    let _ = run.shows("seats may search the web with their own tools (--web)").shows("--web has no effect for script");
    assert!(env.debates().is_empty() && !env.workspace().join("papers").exists());
    let plan = hold(&env, TWO, &["--dry-run", "--json"]).exits(0).json();
    let keys: Vec<&str> = plan["calls"].as_array().unwrap().iter().filter_map(|call| call["key"].as_str()).collect();
    assert_eq!(keys[..3], ["ready/anna", "ready/ben", "ready/chair"]);
    assert!(keys.contains(&"round-1/ben/verification") && keys.last() == Some(&"assessor/report"), "{keys:?}");
}

#[test]
fn one_roles_model_is_overridden_and_the_others_stay() {
    let env = machine_with_script(TWO, &TWO.script());
    let seat = |name: &str| format!("script:seats.toml#{name}");
    let all = ["chair", "verifier", "audience", "reporter", "assessor"].map(|role| format!("{role} = \"{}\"\n", seat(role)));
    env.user_config(format!("[panel]\nmin_rounds = 2\nmax_rounds = 4\n[panel.models]\n{}", all.concat()));
    env.write(".rebut/config.toml", "[panel]\nmax_rounds = 6\n");
    let env = env.set("REBUT_PANEL_MODELS_CHAIR", seat("anna")).set("REBUT_PANEL_MODELS_ASSESSOR", seat("ben"));
    let arguments = ["panel", TOPIC, "--debaters", "lineup.toml", "--dry-run", "--json"];
    let plan = env.rebut(arguments).exits(0).json()["plan"].clone();
    let model = |role: &str| plan["seats"][role]["model"].as_str().unwrap().to_owned();
    assert_eq!(["chair", "verifier", "assessor"].map(model), ["seats.toml#anna", "seats.toml#verifier", "seats.toml#ben"]);
    assert_eq!((&plan["setup"]["min_rounds"], &plan["setup"]["max_rounds"]), (&json!(2), &json!(6)));
    let flags = [&arguments[..], &["--chair", "script:seats.toml#chair", "--time-budget", "5"]].concat();
    let plan = env.rebut(flags).exits(0).json()["plan"].clone();
    assert_eq!(plan["seats"]["chair"]["model"], "seats.toml#chair");
    assert_eq!(plan["setup"]["time_budget_minutes"], 5);
}

#[test]
fn what_cannot_be_held_is_refused_before_anything_begins() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &["--max-rounds", "21"]).exits(2).says("a whole number from 1 to 20");
    let three = PanelScript { rounds: 3, ..TWO };
    let _ = hold(&env, three, &["--max-rounds", "2"]).exits(2).says("min_rounds (3) is more than max_rounds (2)");
    let fewer = ["panel", TOPIC, "--debaters", "lineup.toml", "--max-rounds", "2", "--dry-run"].map(str::to_owned);
    let fewer = fewer.into_iter().chain(rebut_fakes::panel::offices("seats.toml"));
    let _ = env.rebut(fewer).exits(0).shows("at least 2 rounds");
    env.write(".rebut/config.toml", "[panel]\nmin_rounds = 5\nmax_rounds = 4\n");
    let _ = env.rebut(["panel", TOPIC, "--dry-run"]).exits(2).says("min_rounds (5) is more than").says(".rebut/config.toml");
    env.write(".rebut/config.toml", "");
    let _ = env.rebut(["panel"]).exits(2).says("no topic given");
    let _ = hold(&env, TWO, &["--max-tokens", "100"]).exits(2).says("the budget of 100 tokens is too small");
    let _ = machine().rebut(["panel", TOPIC, "--chair", "nobody"]).exits(2).says("chair: ");
    assert!(env.debates().is_empty());
}

#[test]
fn offices_that_nobody_was_named_for_go_to_other_families_than_the_debaters() {
    let (env, _) = machine_with(&["claude", "codex", "gemini"], &[]);
    let plan = env.rebut(["panel", TOPIC, "--dry-run", "--json"]).exits(0).json();
    let tool = |role: &str| plan["plan"]["seats"][role]["tool"].as_str().unwrap().to_owned();
    let seats = ["reporter", "chair", "verifier", "audience", "assessor"].map(tool);
    assert_eq!(seats, ["claude", "codex", "gemini", "codex", "gemini"]);
    let _ = env.rebut(["panel", TOPIC, "--dry-run"]).exits(0).shows("the chair proposes the debaters");
    let env = machine_with_script(TWO, &TWO.script());
    let run = env.rebut(["panel", TOPIC, "--chair", "script:seats.toml#chair", "--dry-run"]).exits(0);
    let chosen = ["reporter", "verifier", "audience", "assessor"].map(|office| format!("{office} script:seats.toml#chair"));
    let _ = run.shows(&format!("Auto-selected: {}\n", chosen.join(", ")));
}

#[test]
fn debaters_without_a_model_are_played_by_different_vendors_unless_a_reporter_is_named() {
    let (env, _) = machine_with(&["claude", "codex", "gemini"], &[]);
    let debaters = ["anna", "ben", "carl"].map(|name| {
        format!("[[debaters]]\nname = \"{name}\"\npersona = \"p\"\nstarting_position = \"s\"\nincentives = \"i\"\n")
    });
    env.write("lineup.toml", debaters.concat());
    let seats = |more: &[&str]| {
        let arguments = ["panel", TOPIC, "--debaters", "lineup.toml", "--dry-run", "--json"];
        let plan = env.rebut([&arguments, more].concat()).exits(0).json();
        ["anna", "ben", "carl", "chair"].map(|seat| plan["plan"]["seats"][seat]["tool"].as_str().unwrap().to_owned())
    };
    assert_eq!(seats(&[]), ["claude", "gemini", "claude", "codex"]);
    assert_eq!(seats(&["--reporter", "gemini"]), ["gemini", "gemini", "gemini", "claude"]);
    let proposed = env.rebut(["panel", TOPIC, "--dry-run"]).exits(0);
    let _ = proposed.shows("  debaters    claude:opus, gemini:pro (in turn)\n").shows("debaters)\n");
}

#[test]
fn cited_pages_are_fetched_unless_the_user_says_no() {
    let env = machine_with_script(TWO, &TWO.script());
    let fetches = |more: &[&str]| {
        let plan = hold(&env, TWO, &[&["--dry-run", "--json"], more].concat()).exits(0).json();
        plan["plan"]["evidence"]["fetch_sources"].as_bool().unwrap_or(false)
    };
    assert!(fetches(&[]));
    assert!(!fetches(&["--no-fetch-sources"]));
    let _ = hold(&env, TWO, &["--no-fetch-sources", "--fetch-sources"]).exits(2).says("cannot be used with");
    env.user_config("[evidence]\nfetch_sources = false\n");
    assert!(!fetches(&[]) && fetches(&["--fetch-sources"]));
}

#[test]
fn a_lineup_is_a_json_array_with_bare_model_ids() {
    let (env, _) = machine_with(&["claude", "codex", "gemini"], &[]);
    let debater = |name: &str, model: &str| json!({"name": name, "persona": "p", "starting_position": "s", "incentives": "i", "model": model});
    env.write("lineup.json", json!([debater("anna", "claude-sonnet-4-6"), debater("ben", "gemini-3-pro")]).to_string());
    let arguments = ["panel", TOPIC, "--debaters", "lineup.json", "--dry-run"];
    let run = env.rebut(arguments).exits(0).shows("  anna        claude:claude-sonnet-4-6\n");
    let _ = run.shows("  ben         gemini:gemini-3-pro\n");
    env.write("lineup.json", json!([debater("anna", "claude-code"), debater("ben", "opus")]).to_string());
    let _ = env.rebut(arguments).exits(2).says("anna: unknown tool `claude-code`");
}

#[test]
fn the_settings_of_ai_debate_json_hold_at_their_level_and_are_named_in_the_plan() {
    let (env, _) = machine_with(&["claude", "codex", "gemini"], &[]);
    let template = json!({"min_rounds": 2, "max_rounds": 8, "time_budget_minutes": 30, "models": {
        "chair": "claude-opus-4-6", "reporter": "claude-sonnet-4-6", "verifier": "claude-sonnet-4-6",
        "audience": "claude-sonnet-4-6", "assessor": "claude-sonnet-4-6"}});
    env.write(".claude/ai-debate.json", template.to_string());
    env.write(".claude/ai-debate.local.json", r#"{"topic": "never read", "models": {"verifier": "gemini"}}"#);
    env.write(".rebut/config.toml", "[panel]\nmax_rounds = 6\n");
    let run = env.rebut(["panel", TOPIC, "--dry-run"]).exits(0);
    let run = run.shows("  chair       claude:claude-opus-4-6\n").shows("  verifier    gemini:pro\n");
    let run = run.shows("  rounds      at most 6, ").shows("at least 2 rounds");
    let run =
        run.shows(".claude/ai-debate.json): panel.min_rounds = 2, panel.time_budget_minutes = 30, panel.models.chair = ");
    let _ = run.shows(".claude/ai-debate.local.json): panel.models.verifier = \"gemini\", topic (not read)\n");
    env.write(".claude/ai-debate.json", r#"{"models": {"chair": "script:seats.toml"}}"#);
    let _ = env.rebut(["panel", TOPIC, "--dry-run"]).exits(2).says("script:seats.toml").says(".claude/ai-debate.json:1:");
    env.write(".claude/ai-debate.json", "{\n  \"max_rounds\": 99\n}\n");
    let run = env.rebut(["panel", TOPIC, "--dry-run"]).exits(2).says("invalid value 99 for `panel.max_rounds` in ");
    let _ = run.says(".claude/ai-debate.json:2:17");
    // The user's own counts less than the project's.
    env.write("../home/.claude/ai-debate.json", r#"{"min_rounds": 3, "max_rounds": 5}"#);
    env.write(".claude/ai-debate.json", r#"{"max_rounds": 4}"#);
    env.write(".rebut/config.toml", "");
    let run =
        env.rebut(["panel", TOPIC, "--dry-run"]).exits(0).shows("  rounds      at most 4, ").shows("at least 3 rounds");
    let _ = run.shows("home/.claude/ai-debate.json): panel.min_rounds = 3\n");
}
