//! The person, where a debate leaves a choice to one.

use std::io::BufRead;

use futures_util::future::BoxFuture;
use rebut_core::debate::Choice;
use rebut_engine::runner::Person;
use tokio::sync::oneshot;

use super::Screen;

/// Asks on standard error and reads a line from standard input, which need not be a terminal: answers can be piped in.
pub(crate) struct AtTheTerminal {
    screen: Screen,
}

impl AtTheTerminal {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone() }
    }
}

impl Person for AtTheTerminal {
    fn choose<'a>(&'a self, choice: &'a Choice) -> BoxFuture<'a, Option<String>> {
        self.screen.error_text(&choice.question);
        for (name, meaning) in &choice.options {
            let mark = if *name == choice.recommended { "  (recommended)" } else { "" };
            self.screen.error_text(&format!("  {name}  {meaning}{mark}"));
        }
        self.screen.error_text(&format!("Your choice, or nothing for {}:", choice.recommended));
        Box::pin(async move {
            let mut line = line().await;
            while line.as_deref().map(str::trim) == Some("?") {
                let names: Vec<&str> = choice.options.iter().map(|(name, _)| name.as_str()).collect();
                self.screen.error_text(&format!(
                    "Type {}. An empty line takes the recommendation; Ctrl-C stops, and `rebut resume` asks again.",
                    names.join(", ")
                ));
                line = self::line().await;
            }
            let typed = line.as_deref().map(str::trim).unwrap_or_default();
            let chosen = choice.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(typed));
            if chosen.is_none() {
                let why = if line.is_none() {
                    "the input has ended".to_owned()
                } else if typed.is_empty() {
                    "nothing was typed".to_owned()
                } else {
                    format!("`{typed}` is none of these")
                };
                self.screen.error_text(&format!("{why}: {} is taken", choice.recommended));
            }
            chosen.map(|(name, _)| name.clone())
        })
    }
}

/// Asks on standard error for one line; `?` shows the help and asks again. None where the input has ended. It can be given
/// up while it waits.
pub(crate) async fn question(screen: &Screen, text: &str, help: &str) -> Option<String> {
    loop {
        screen.prompt(text);
        match line().await?.trim() {
            "?" => screen.error_text(help),
            answer => return Some(answer.to_owned()),
        }
    }
}

/// A line of standard input; none where it has ended. It is read on a thread of its own, which nobody waits for: a line
/// that never comes must not keep a stopped debate from ending.
async fn line() -> Option<String> {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        // Where nobody waits any more, nobody has to be told.
        let _ = tell.send(read.ok().filter(|bytes| *bytes > 0).map(|_| line));
    });
    told.await.ok().flatten()
}
