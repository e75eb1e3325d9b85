//! Whether a tool is signed in: a key in the environment, or a file that it keeps its credentials in; where neither is
//! found, what the tool itself says. No model is asked. Files are looked for and never shown.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rebut_core::debate::Cause;
use tokio_util::sync::CancellationToken;

use super::acp::{self, AcpCommand, Trial};
use super::cli::reading::last_object;
use super::cli::{Own, Variables};
use super::transport::cli_tool;
use super::{Providers, Tool, variables};
use crate::process::{self, End, Heard, Launch, Patience, TempFolder};

/// What speaks for a tool's being signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignIn {
    /// This variable holds a key.
    Key(&'static str),
    /// This file of the tool holds credentials.
    File(PathBuf),
    /// The tool says that it is.
    Told,
    /// It is not, and this is what to do.
    No(&'static str),
    /// Nothing; it may be signed in all the same.
    Unknown,
}

/// How a tool is asked whether it is signed in.
#[derive(Clone, Copy)]
enum Asking {
    /// By a command of its own, and what that comes to: standard output, and the exit code.
    Command(&'static [&'static str], fn(&str, i32) -> Option<bool>),
    /// By opening a session over ACP, which one that is not refuses.
    Session,
    /// Not itself: by its settings, with the variables that it would see.
    Settings(fn(&Own, &Variables<'_>, &[String]) -> Option<bool>),
}

/// Where a tool keeps what it needs to be let in.
struct Signs {
    tool: &'static str,
    /// Variables that hold a key.
    keys: &'static [&'static str],
    files: &'static [Sign],
    /// How it is asked where there is neither; the first that tells counts.
    asking: &'static [Asking],
}

/// A file that is there once somebody has signed in.
struct Sign {
    /// The variable that names the tool's folder.
    variable: &'static str,
    /// The folder below the home folder where the variable is not set.
    folder: &'static str,
    file: &'static str,
    /// What the file must hold where it is there in any case.
    holds: &'static str,
}

/// One entry a tool.
const SIGNS: [Signs; 6] = [
    Signs {
        tool: "claude",
        keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        files: &[
            sign("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json", ""),
            sign("CLAUDE_CONFIG_DIR", "", ".claude.json", "\"oauthAccount\""),
        ],
        asking: &[Asking::Command(&["auth", "status"], |said, _| last_object(said)?["loggedIn"].as_bool())],
    },
    Signs {
        tool: "codex",
        keys: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        files: &[sign("CODEX_HOME", ".codex", "auth.json", "")],
        asking: &[Asking::Command(&["login", "status"], |_, code| match code {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        })],
    },
    Signs {
        tool: "gemini",
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        files: &[
            sign("GEMINI_CLI_HOME", "", ".gemini/oauth_creds.json", ""),
            sign("GEMINI_CLI_HOME", "", ".gemini/gemini-credentials.json", ""),
            // With a key as the way in, the key itself is in the environment or nowhere that we look.
            sign("GEMINI_CLI_HOME", "", ".gemini/settings.json", "oauth-personal"),
        ],
        asking: &[Asking::Settings(gemini_has_way), Asking::Session],
    },
    Signs {
        tool: "opencode",
        keys: &["OPENCODE_API_KEY"],
        files: &[sign("XDG_DATA_HOME", ".local/share", "opencode/auth.json", "\"type\"")],
        asking: &[Asking::Settings(opencode_has_provider)],
    },
    Signs {
        tool: "copilot",
        keys: &["COPILOT_PROVIDER_API_KEY", "COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        // Its token is in the system's keychain, or in this file too.
        files: &[
            sign("COPILOT_HOME", ".copilot", "config.json", "\"loggedInUsers\""),
            sign("COPILOT_HOME", ".copilot", "config.json", "logged_in_users"),
        ],
        asking: &[Asking::Session],
    },
    Signs { tool: "kiro", keys: &["KIRO_API_KEY"], files: &[], asking: &[] },
];

/// The most of a file that is looked through.
const MOST_BYTES: u64 = 4 << 20;

const fn sign(variable: &'static str, folder: &'static str, file: &'static str, holds: &'static str) -> Sign {
    Sign { variable, folder, file, holds }
}

/// Looks for a sign that the tool of this name is signed in.
pub(super) fn look(tool: &str, home: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> SignIn {
    let Some(signs) = SIGNS.iter().find(|signs| signs.tool == tool) else { return SignIn::Unknown };
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(key) = signs.keys.iter().find(|key| set(key).is_some()) {
        return SignIn::Key(key);
    }
    let place = |sign: &Sign| {
        let named = set(sign.variable).map(PathBuf::from);
        Some(named.or_else(|| home.map(|home| home.join(sign.folder)))?.join(sign.file))
    };
    let found = signs.files.iter().find_map(|sign| place(sign).filter(|file| holds(file, sign.holds)));
    found.map_or(SignIn::Unknown, SignIn::File)
}

impl Providers {
    /// Asks a tool whether it is signed in, where nothing else tells.
    pub(super) async fn ask_signed_in(
        &self,
        tool: &'static Tool,
        program: &Path,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> SignIn {
        let variable = |name: &str| self.variable(name);
        let signs = SIGNS.iter().find(|signs| signs.tool == tool.name);
        let (Some(signs), Some(spoken)) = (signs, cli_tool(tool)) else { return SignIn::Unknown };
        let Ok(own) = (spoken.own)(&variable) else { return SignIn::Unknown };
        let keys = (spoken.keys)(&own, None, &variable);
        let mut is_signed_in = None;
        for asking in signs.asking {
            is_signed_in = match asking {
                // An account says nothing about a provider of the person's own.
                Asking::Command(..) if has_own_provider(&own) => None,
                Asking::Command(arguments, read) => {
                    let variables = process::inherited(&keys).into_iter().chain(self.given()).collect();
                    let asked = ask(program, arguments, variables, limit, cancel).await;
                    asked.and_then(|(said, code)| read(&said, code))
                }
                Asking::Session => match acp::agent(tool.name) {
                    Some(agent) => {
                        let command = AcpCommand { variables: self.given(), ..agent.command(program.to_owned()) };
                        opens_session(&command, limit, cancel).await
                    }
                    None => None,
                },
                Asking::Settings(tell) => tell(&own, &variable, &keys),
            };
            if is_signed_in.is_some() {
                break;
            }
        }
        match is_signed_in {
            Some(true) => SignIn::Told,
            Some(false) => SignIn::No(acp::agent(tool.name).map_or("", |agent| agent.manners.sign_in)),
            None => SignIn::Unknown,
        }
    }
}

/// gemini starts only where a way to sign in is chosen, in its settings or by a variable, which may stand in a file.
fn gemini_has_way(own: &Own, variable: &Variables<'_>, _keys: &[String]) -> Option<bool> {
    let switches = ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GEMINI_CLI_USE_COMPUTE_ADC", "CLOUD_SHELL"];
    let is_chosen = !own.settings["security"]["auth"]["selectedType"].is_null()
        || switches.iter().any(|name| variable(name).is_some())
        || own.lent.iter().any(|(place, _)| Path::new(place).ends_with(".env"));
    (!is_chosen).then_some(false)
}

/// opencode's own models need no account, and it says nothing of providers that stand in its settings.
fn opencode_has_provider(own: &Own, _variable: &Variables<'_>, keys: &[String]) -> Option<bool> {
    let is_own = own.model.as_deref().is_some_and(|model| model.starts_with("opencode/"));
    let has_key = || keys.iter().any(|name| !name.starts_with("OPENCODE") && variables::is_set(name));
    (own.settings["provider"].is_null() && !is_own).then(has_key)
}

/// Whether the person's settings lead to a provider that the tool's own account says nothing about.
fn has_own_provider(own: &Own) -> bool {
    let codex = own.settings.as_str().and_then(|text| text.parse::<toml::Table>().ok());
    codex.is_some_and(|settings| settings.contains_key("model_provider") || settings.contains_key("profile"))
}

/// What a command of a tool says and its exit code, where it ends in time.
async fn ask(
    program: &Path,
    arguments: &[&str],
    variables: Vec<(OsString, OsString)>,
    limit: Duration,
    cancel: &CancellationToken,
) -> Option<(String, i32)> {
    // Not in the workspace, whose settings some tools read first.
    let scratch = TempFolder::for_tool(None).ok()?;
    let launch = Launch {
        program: program.to_owned(),
        arguments: arguments.iter().map(OsString::from).collect(),
        folder: scratch.path().to_owned(),
        variables: variables.into_iter().chain(scratch.variables()).collect(),
        input: Vec::new(),
    };
    let cancel = cancel.child_token();
    let patience = Patience { most_bytes: 64 * 1024, ..Patience::default() };
    let mut listen = |_: &str| Heard::More;
    let run = process::run(&launch, &patience, &mut listen, &cancel);
    let output = super::checkup::within(limit, &cancel, run).await.0.ok()?;
    match output.end {
        End::Exited(status) => Some((String::from_utf8_lossy(&output.stdout).into_owned(), status.code()?)),
        _ => None,
    }
}

/// Whether a tool opens a session over ACP; `None` where it says neither yes nor that it is not signed in.
async fn opens_session(command: &AcpCommand, limit: Duration, cancel: &CancellationToken) -> Option<bool> {
    let cancel = cancel.child_token();
    let greet = acp::greet(command, Trial::Session, limit, &cancel);
    match super::checkup::within(limit, &cancel, greet).await.0 {
        Ok(_) => Some(true),
        Err(failure) if failure.cause == Cause::Auth => Some(false),
        Err(_) => None,
    }
}

fn holds(file: &Path, text: &str) -> bool {
    let readable = file.metadata().is_ok_and(|there| there.is_file() && (1..=MOST_BYTES).contains(&there.len()));
    readable && (text.is_empty() || std::fs::read_to_string(file).is_ok_and(|content| content.contains(text)))
}

/// What is said of a tool that cannot have a home of its own.
const STAYS_HOME: &str =
    "it signs in with the system's keychain, so that your own instructions, hooks and trusted folders for it count";

/// What is said of a tool that could use the keys of many vendors, and gets none because its provider is not known.
const NO_PROVIDER: &str = "no provider is set up, so it gets no vendor's key; name its model (opencode:PROVIDER/MODEL) to pass \
                           that provider's key on";

/// What a person should know of a tool that is left in their own home, whose settings there cannot be read, or that
/// will not find a key.
pub(super) fn at_home(tool: &Tool, model: Option<&str>, variable: &Variables<'_>) -> Option<String> {
    let own = match (cli_tool(tool)?.own)(variable) {
        Ok(own) => own,
        Err(unreadable) => return Some(unreadable.to_string()),
    };
    let is_signed_in = own.lent.iter().any(|(place, _)| place.ends_with("auth.json"));
    if tool.name == "opencode" && !is_signed_in && model.or(own.model.as_deref()).is_none() {
        return Some(NO_PROVIDER.to_owned());
    }
    own.stays_home.then(|| STAYS_HOME.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::TOOLS;
    use super::*;

    fn nothing_set(_: &str) -> Option<OsString> {
        None
    }

    #[test]
    fn every_tool_has_its_signs_and_its_own_key_is_among_them() {
        assert_eq!(SIGNS.map(|signs| signs.tool), TOOLS.map(|tool| tool.name));
        for (signs, tool) in SIGNS.iter().zip(TOOLS) {
            assert!(signs.keys.contains(&tool.key), "{}", tool.name);
        }
    }

    #[test]
    fn a_key_that_is_set_speaks_for_it_and_an_empty_one_does_not() {
        let set = |value: &'static str| move |name: &str| (name == "CODEX_API_KEY").then(|| value.into());
        assert_eq!(look("codex", None, &set("k")), SignIn::Key("CODEX_API_KEY"));
        assert_eq!(look("codex", None, &set("")), SignIn::Unknown);
        assert_eq!(look("claude", None, &set("k")), SignIn::Unknown);
    }

    #[test]
    fn a_file_with_credentials_speaks_for_it() {
        let home = tempfile::tempdir().unwrap();
        for (tool, file, content) in [
            ("claude", ".claude.json", "{\"oauthAccount\":{}}"),
            ("claude", ".claude/.credentials.json", "{}"),
            ("codex", ".codex/auth.json", "{}"),
            ("gemini", ".gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":\"oauth-personal\"}}}"),
            ("gemini", ".gemini/oauth_creds.json", "{}"),
            ("opencode", ".local/share/opencode/auth.json", "{\"anthropic\":{\"type\":\"api\"}}"),
            ("copilot", ".copilot/config.json", "{\"loggedInUsers\":[{\"login\":\"ada\"}]}"),
        ] {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            assert_ne!(look(tool, Some(home.path()), &nothing_set), SignIn::File(path.clone()), "an empty {file}");
            fs::write(&path, content).unwrap();
            assert_eq!(look(tool, Some(home.path()), &nothing_set), SignIn::File(path), "{file}");
        }
    }

    #[test]
    fn a_tool_that_was_only_started_once_is_not_taken_for_signed_in() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".claude.json"), "{\"numStartups\":1}").unwrap();
        assert_eq!(look("claude", Some(home.path()), &nothing_set), SignIn::Unknown);
    }

    #[test]
    fn the_folder_that_a_variable_names_counts_instead() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = other.path().join("auth.json");
        fs::write(&file, "{}").unwrap();
        let variable = |name: &str| (name == "CODEX_HOME").then(|| other.path().into());
        assert_eq!(look("codex", Some(home.path()), &variable), SignIn::File(file));
    }
}
