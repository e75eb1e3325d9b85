//! One tool in one case: a home of its own, a provider of its own, rebut's own seat, and a look at what is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rebut_core::debate::{Answer, Cause, Failure, SeatPlan, Shape, StepKey};
use rebut_engine::config::{Seconds, Settings};
use rebut_engine::providers::{
    FOLLOWS_LINKS, ModelChoice, Order, Progress, ProgressSink, Providers, READS_OUTSIDE, SeatSpec, Transport, acp, tool,
};
use rebut_fakes::provider::{ANSWER, Asked, Provider};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use crate::case::{ASKED, Asking, Case, Deed, Expected, INSTRUCTION, Provided};
use crate::settings;
use crate::table::Verdict;
use crate::tools::{self, Known, Subject};

/// How long a call may take that is to come to an end by itself.
const LIMIT: Duration = Duration::from_mins(3);

/// How long a tool may be silent where the provider is. The slowest takes some seconds to ask it at all.
const FIRST_OUTPUT: Seconds = Seconds::whole(45);
const STALL: Seconds = Seconds::whole(6);

/// How far into its answer a tool is cancelled.
const INTO_THE_ANSWER: Duration = Duration::from_millis(300);

/// What stands in the file outside the workspace.
const SECRET: &str = "SECRET-OF-THE-NEIGHBOUR";

/// What stands in the file inside it.
const INSIDE: &str = "WORDS-OF-THE-WORKSPACE";

/// How a tool is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over its command line.
    Cli,
    /// As an agent.
    Acp,
}

impl Way {
    pub(crate) const ALL: [Self; 2] = [Self::Cli, Self::Acp];

    /// Its name, here and in plans.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Acp => acp::NAME,
        }
    }
}

/// One tool in one case.
pub(crate) struct Cell {
    pub(crate) subject: &'static Subject,
    pub(crate) way: Way,
    pub(crate) case: &'static Case,
    pub(crate) places: Places,
}

/// The folders of a cell.
pub(crate) struct Places {
    pub(crate) home: PathBuf,
    pub(crate) temporary: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) outside: PathBuf,
}

impl Places {
    pub(crate) fn of(folder: &Path) -> Self {
        let at = |name: &str| folder.join(name);
        Self { home: at("home"), temporary: at("tmp"), workspace: at("workspace"), outside: at("outside") }
    }

    /// Makes empty folders of them.
    pub(crate) fn clear(&self) {
        for folder in [&self.home, &self.temporary, &self.workspace, &self.outside] {
            let _ = fs::remove_dir_all(folder);
            fs::create_dir_all(folder).expect("a folder of the cell");
        }
    }

    /// The variables that lead a program here.
    pub(crate) fn variables(&self) -> [(&'static str, String); 6] {
        let home = self.home.display().to_string();
        [
            ("TMPDIR", self.temporary.display().to_string()),
            ("XDG_CONFIG_HOME", format!("{home}/.config")),
            ("XDG_DATA_HOME", format!("{home}/.local/share")),
            ("XDG_STATE_HOME", format!("{home}/.local/state")),
            ("XDG_CACHE_HOME", format!("{home}/.cache")),
            ("HOME", home),
        ]
    }

    /// Makes all of it anew.
    fn lay(&self, case: &Case) {
        self.clear();
        fs::write(self.secret(), format!("{SECRET}\n")).expect("the secret");
        fs::write(self.inside(), format!("{INSIDE}\n")).expect("the file");
        std::os::unix::fs::symlink(self.secret(), self.link()).expect("the link");
        // A folder that is a repository of its own: else the one around it would count as the workspace.
        fs::create_dir_all(self.workspace.join(".git/objects")).expect("a repository");
        fs::create_dir_all(self.workspace.join(".git/refs")).expect("a repository");
        fs::write(self.workspace.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a repository");
        if case.expected == Expected::Answer(Asking::AmongInstructions) {
            for name in ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md", ".github/copilot-instructions.md"] {
                let file = self.workspace.join(name);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, format!("{INSTRUCTION}\n")).expect("instructions");
            }
        }
    }

    /// The file that must not be read.
    pub(crate) fn secret(&self) -> String {
        self.outside.join("outside-secret.txt").display().to_string()
    }

    /// A command by which something that must not be started is found out.
    pub(crate) fn spy(&self, name: &str) -> String {
        format!("touch {}", self.outside.join(format!("spy-{name}")).display())
    }

    /// What was started and must not have been.
    fn spies(&self) -> Vec<String> {
        let files = fs::read_dir(&self.outside).into_iter().flatten().flatten();
        let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter_map(|name| name.strip_prefix("spy-").map(str::to_owned)).collect()
    }

    /// The file that may be read.
    pub(crate) fn inside(&self) -> String {
        self.workspace.join("inside.txt").display().to_string()
    }

    /// A link to the file that must not be read.
    pub(crate) fn link(&self) -> String {
        self.workspace.join("link.txt").display().to_string()
    }

    /// The files of the home that hold these words.
    fn holding(&self, words: &str) -> Vec<String> {
        let mut folders = vec![self.home.clone()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(kind) if kind.is_file() => {
                        let content = fs::read(entry.path()).unwrap_or_default();
                        if content.windows(words.len()).any(|window| window == words.as_bytes()) {
                            found.push(entry.path().strip_prefix(&self.home).unwrap_or(&entry.path()).display().to_string());
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// What the tool left behind: processes, and files where temporary ones go.
    pub(crate) fn leftovers(&self) -> Option<String> {
        let sign = format!("HOME={}", self.home.display());
        let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
            let folder = entry.ok()?.path();
            let environment = fs::read(folder.join("environ")).ok()?;
            let ours = environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes());
            let marked = environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(b"REBUT_CHILD="));
            let command = fs::read(folder.join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            let status = fs::read_to_string(folder.join("stat")).unwrap_or_default();
            let state = status.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?');
            let mark = if marked { "with our mark" } else { "without our mark" };
            ours.then(|| format!("{} (state {state}, {mark})", short(command.trim())))
        });
        let left: Vec<String> = processes.collect();
        if !left.is_empty() {
            return Some(format!("still running: {}", left.join(", ")));
        }
        let files = fs::read_dir(&self.temporary).into_iter().flatten().flatten();
        let files: Vec<String> = files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        (!files.is_empty()).then(|| format!("left behind: {}", files.join(", ")))
    }

    /// The file that must not come to be.
    pub(crate) fn deed(&self) -> String {
        self.workspace.join("deed.txt").display().to_string()
    }

    /// A command that makes it.
    pub(crate) fn touch(&self) -> String {
        format!("touch {}", self.deed())
    }
}

/// What came of a cell, before it is judged.
struct Seen {
    result: Result<Answer, Failure>,
    told: String,
    expired: bool,
}

impl Cell {
    pub(crate) fn new(subject: &'static Subject, way: Way, case: &'static Case, work: &Path) -> Self {
        let folder = work.join("cells").join(way.name()).join(subject.name).join(case.name.replace(' ', "-"));
        Self { subject, way, case, places: Places::of(&folder) }
    }

    /// Lays the cell's folders and starts its provider; gives the variables that a tool is to be started with.
    pub(crate) fn prepare(&self) -> (Provider, Vec<(String, String)>) {
        self.places.lay(self.case);
        let provider = Provider::start();
        let base = match self.case.provider {
            Provided::Named(name) => provider.base(name),
            Provided::Deed(deed) => {
                provider.script("deed", (self.subject.calls)(deed, &self.places));
                provider.base("deed")
            }
        };
        let pointed = (self.subject.point)(&self.places, &base);
        match self.case.expected {
            Expected::Answer(Asking::AmongServers) => (self.subject.plant)(&self.places),
            Expected::Answer(Asking::AmongOwnInstructions) => {
                for file in self.subject.own_instructions {
                    settings::keep(&self.places.home.join(file), INSTRUCTION);
                }
            }
            // Whoever is to be held belongs to a person who allows everything elsewhere.
            Expected::Held => (self.subject.allow)(&self.places, self.way),
            _ => {}
        }
        let variables =
            self.places.variables().into_iter().chain(pointed).map(|(name, value)| (name.to_owned(), value)).collect();
        (provider, variables)
    }

    /// The model that the seat is asked for: by effort, except where the case names one.
    pub(crate) fn model(&self) -> ModelChoice {
        match (self.case.name, self.case.expected) {
            ("unknown model", _) => ModelChoice::Named(self.subject.unknown.to_owned()),
            (_, Expected::Answer(Asking::ModelAndEffort)) => ModelChoice::Named(self.subject.model.0.to_owned()),
            _ => ModelChoice::ByEffort,
        }
    }

    /// Whether the seat may read the workspace.
    pub(crate) fn may_read(&self) -> bool {
        self.case.provider != Provided::Deed(Deed::ReadForbidden)
    }

    /// Asks as rebut does and judges what came of it.
    pub(crate) async fn judge(&self) -> Verdict {
        let (provider, variables) = self.prepare();
        let providers = Providers::new(&self.settings()).with_variables(variables.clone());
        let spec = SeatSpec { tool: self.subject.tool.to_owned(), model: self.model() };
        // Planned without a greeting: whether the agent answers is what the cell itself shows.
        let seat = match providers.plan(&spec, self.case.effort(), Transport::Cli, &self.places.workspace) {
            Ok(seat) => SeatPlan { transport: self.way.name().to_owned(), ..seat },
            Err(error) => return Verdict::Short(error.to_string()),
        };
        let seen = self.ask(&providers, &seat, &provider).await;
        let verdict = match (self.judge_answer(&seen, &provider), self.places.leftovers()) {
            (Ok(()), None) => self.control(variables).await.map_or(Verdict::Ok, Verdict::Short),
            (Ok(()), Some(left)) => Verdict::Short(left),
            (Err(short), left) => Verdict::Short([Some(short), left].into_iter().flatten().collect::<Vec<_>>().join("; ")),
        };
        drop(provider);
        self.excused(verdict)
    }

    /// Limits of silence that a run can wait for, where silence is the case.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        if self.case.expected == Expected::Stalled {
            settings.limits.first_output_seconds = Some(FIRST_OUTPUT);
            settings.limits.stall_seconds = Some(STALL);
        }
        settings
    }

    /// The same tool, told the same by the same provider and allowed everything, must do it: else a deed that was not done
    /// would say nothing. What is short of that.
    async fn control(&self, variables: Vec<(String, String)>) -> Option<String> {
        if !matches!(self.case.provider, Provided::Deed(Deed::Write | Deed::Shell)) {
            return None;
        }
        let said = tools::run_freely(self.subject, &self.places, &self.case.prompt(), variables).await;
        let done = Path::new(&self.places.deed()).exists();
        (!done).then(|| format!("allowed to, it does not do it either: {}", short(&said)))
    }

    async fn ask(&self, providers: &Providers, seat: &SeatPlan, provider: &Provider) -> Seen {
        let seat = providers
            .open(seat, &self.places.workspace, self.may_read().then_some(&self.places.workspace))
            .expect("a seat that could be planned");
        let (order, progress, mut news) = self.order();
        let cancel = CancellationToken::new();
        let answer = seat.answer(&order, progress, cancel.clone());
        let ending = async {
            let waits = async {
                while self.case.expected != Expected::Cancelled || provider.asked().is_empty() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                // In the middle of the answer, its first words under way.
                tokio::time::sleep(INTO_THE_ANSWER).await;
            };
            let _ = tokio::time::timeout(LIMIT, waits).await;
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        let result = tokio::select! {
            result = answer => result,
            () = ending => unreachable!("it only cancels"),
        };
        seat.close().await;
        let mut told = String::new();
        while let Ok((_, piece)) = news.try_recv() {
            if let Progress::Text(text) = piece {
                told.push_str(&text);
            }
        }
        Seen { result, told, expired: cancel.is_cancelled() }
    }

    /// What the seat is asked, where it tells how it goes, and where that is heard.
    pub(crate) fn order(&self) -> (Order, ProgressSink, UnboundedReceiver<(StepKey, Progress)>) {
        let key = StepKey::new("round-1/proposer");
        let order = Order {
            key: key.clone(),
            setbacks: 0,
            thread: None,
            prompt: self.case.prompt(),
            shape: self.case.schema().map_or(Shape::Prose, |schema| Shape::Json { name: "verdict", schema }),
            output_tokens: 100,
            effort: self.case.effort(),
            seed: 1,
            limit: LIMIT,
        };
        let (sender, news) = tokio::sync::mpsc::unbounded_channel();
        (order, ProgressSink::new(key, sender), news)
    }

    fn judge_answer(&self, seen: &Seen, provider: &Provider) -> Result<(), String> {
        let spies = self.places.spies();
        if !spies.is_empty() {
            return Err(format!("{STARTED}{}", spies.join(", ")));
        }
        match (self.case.expected, &seen.result) {
            (Expected::Stalled | Expected::Cancelled, _) if provider.asked().is_empty() => {
                Err("the provider was never asked".to_owned())
            }
            (Expected::Cancelled, Err(failure)) if failure.cause == Cause::Cancelled => Ok(()),
            (Expected::Stalled, Err(failure)) if failure.cause == Cause::Stalled && !seen.expired => Ok(()),
            (_, Err(_)) if seen.expired => Err(format!("no end within {} s", LIMIT.as_secs())),
            (Expected::Failure(cause), Err(failure)) if failure.cause == cause => Ok(()),
            (Expected::NoAnswer, Err(failure)) if matches!(failure.cause, Cause::Refused | Cause::Empty) => Ok(()),
            (Expected::Failure(cause), Err(failure)) => Err(format!("{:?} instead of {cause:?}: {failure}", failure.cause)),
            (Expected::Answer(asking), Ok(answer)) => self.judge_words(asking, answer, &seen.told, provider),
            (Expected::Structured, Ok(answer)) if answer.text.trim() == STRUCTURED => Ok(()),
            (Expected::Structured, Ok(answer)) => Err(format!("another answer: {}", short(&answer.text))),
            (Expected::Done, Ok(answer)) if answer.text.contains(INSIDE) => Ok(()),
            (Expected::Done, Ok(answer)) => Err(format!("it could not: {}", short(&answer.text))),
            (Expected::Held, result) => self.judge_deed(result, provider),
            (_, Ok(answer)) => Err(format!("{ANSWERED}{}", short(&answer.text))),
            (_, Err(failure)) => Err(format!("{:?}: {failure}", failure.cause)),
        }
    }

    fn judge_words(&self, asking: Asking, answer: &Answer, told: &str, provider: &Provider) -> Result<(), String> {
        if answer.text != ANSWER {
            return Err(format!("another answer: {}", short(&answer.text)));
        }
        if told != ANSWER {
            return Err(format!("told while it arrived: {}", short(told)));
        }
        let asked = provider.asked();
        let user = self.case.prompt().user;
        // A tool may also ask for a title, with the same words.
        let main: Vec<_> = asked.iter().filter(|asked| asked.prompt.replace('\u{200b}', "").contains(&user)).collect();
        if main.is_empty() {
            return Err(CHANGED.to_owned());
        }
        if asked.iter().any(|asked| asked.prompt.contains(INSIDE)) {
            return Err("a path with @ before it was replaced by the file".to_owned());
        }
        if provider.requests().iter().any(|request| request.body.to_string().contains(INSTRUCTION)) {
            return Err(INSTRUCTED.to_owned());
        }
        let holding = self.places.holding(ASKED);
        if asking == Asking::Forgotten && !holding.is_empty() {
            return Err(format!("{REMEMBERED}{}", holding.join(", ")));
        }
        if asking == Asking::ModelAndEffort {
            let Subject { model, effort, .. } = self.subject;
            // An alias stands for the newest of its kind.
            let has_model = |asked: &Asked| asked.model.as_deref().is_some_and(|arrived| arrived.starts_with(model.1));
            let has_effort = |asked: &Asked| effort.is_none() || asked.effort.as_deref() == *effort;
            if !main.iter().any(|asked| has_model(asked) && has_effort(asked)) {
                let arrived = main.iter().map(|asked| format!("model {:?}, effort {:?}", asked.model, asked.effort));
                return Err(format!("arrived: {}", arrived.collect::<Vec<_>>().join("; ")));
            }
        }
        Ok(())
    }

    fn judge_deed(&self, result: &Result<Answer, Failure>, provider: &Provider) -> Result<(), String> {
        if Path::new(&self.places.deed()).exists() {
            return Err(DONE.to_owned());
        }
        let words = if self.may_read() { SECRET } else { INSIDE };
        if provider.requests().iter().any(|request| request.body.to_string().contains(words)) {
            return Err(READ.to_owned());
        }
        let told = provider.asked().iter().any(|asked| !asked.results.is_empty());
        match result {
            // The model called, and heard what came of it: the deed was tried, or there is nothing to do it with.
            Ok(_) if told => Ok(()),
            Ok(_) => Err("the call of the model came to nothing that the model was told".to_owned()),
            Err(failure) => Err(format!("{UNANSWERED}{failure}")),
        }
    }

    /// What rebut itself says that this tool can't be held to is no news.
    fn excused(&self, verdict: Verdict) -> Verdict {
        let tool = tool(self.subject.tool);
        let Verdict::Short(seen) = &verdict else { return verdict };
        // A limit that is known excuses only what it names: anything else seen in the case is news all the same.
        let quirks = tool.filter(|_| self.way == Way::Acp).map(|tool| tool.agent.quirks);
        let known = tool.and_then(|tool| match (self.case.provider, self.case.expected) {
            (Provided::Deed(deed), Expected::Held) => {
                let follows = Some(FOLLOWS_LINKS).filter(|limit| deed == Deed::ReadLink && tool.limits.contains(limit));
                let outside = [Deed::ReadOutside, Deed::ReadLink].contains(&deed);
                let outside = Some(READS_OUTSIDE).filter(|limit| outside && tool.limits.contains(limit));
                follows.or(outside).or(quirks.and_then(|quirks| quirks.drawback)).filter(|_| seen == READ)
            }
            (_, Expected::Answer(Asking::AmongInstructions)) => {
                quirks.and_then(|quirks| quirks.also_reads).filter(|_| seen == INSTRUCTED)
            }
            (_, Expected::Answer(Asking::AmongServers)) => {
                let refused = quirks.filter(|_| seen.contains(acp::STARTS));
                refused.map(|_| "it would start the repository's own, so it is not started there")
            }
            _ => None,
        });
        let here = |known: &&Known| (known.way, known.case) == (self.way, self.case.name) && seen.starts_with(known.seen);
        let silent = self.subject.known.iter().find(here).map(|known| known.words);
        known.or(silent).map_or(verdict.clone(), Verdict::Known)
    }
}

/// The answer that the model gives by a schema.
const STRUCTURED: &str = r#"{"winner":"proposer"}"#;

/// A prompt that arrived otherwise than it was sent.
pub(crate) const CHANGED: &str = "the prompt did not arrive whole";

/// What is seen where a known limit may be the reason.
const DONE: &str = "it was done";
const READ: &str = "what stands in the file reached the model";
const INSTRUCTED: &str = "the instructions reached the model";
const STARTED: &str = "started: ";
pub(crate) const REMEMBERED: &str = "remembered in: ";
pub(crate) const ANSWERED: &str = "it answered: ";
pub(crate) const UNANSWERED: &str = "not done, but there is no answer either: ";

pub(crate) fn short(text: &str) -> String {
    let line: String = text.chars().take(160).collect();
    line.replace('\n', " ")
}
