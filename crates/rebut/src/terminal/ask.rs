//! Questions to the user, and the choices that a debate leaves to them.

use std::io::{self, BufRead, IsTerminal};

use futures_util::future::BoxFuture;
use rebut_core::debate::Choice;
use rebut_engine::runner::User;
use tokio::sync::oneshot;

use super::Screen;

pub(crate) fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for one line without a terminal too, so that answers can be piped in. Nothing waits for the thread that reads, so
/// that a line that never comes doesn't keep a cancelled debate from ending.
pub(crate) async fn question(screen: &Screen, question: &str, help: &str) -> Option<String> {
    let (send, answer) = oneshot::channel();
    let (screen, question, help) = (screen.clone(), question.to_owned(), help.to_owned());
    std::thread::spawn(move || drop(send.send(prompt(&screen, &question, &help))));
    answer.await.ok().flatten()
}

fn prompt(screen: &Screen, question: &str, help: &str) -> Option<String> {
    loop {
        screen.prompt(question);
        let mut line = String::new();
        let bytes = io::stdin().lock().read_line(&mut line).ok()?;
        match line.trim() {
            "?" => screen.error_text(help),
            answer => return (bytes > 0).then(|| answer.to_owned()),
        }
    }
}

/// Asks for one of the options by number or name; an empty line takes `default`, or the first where that is no option.
pub(crate) fn pick(screen: &Screen, question: &str, options: &[String], default: &str, help: &str) -> Option<String> {
    let default = options.iter().position(|option| option == default).unwrap_or(0);
    screen.error_text(question);
    for (number, option) in (1..).zip(options) {
        screen.error_text(&format!("  {number}  {option}"));
    }
    loop {
        let answer = screen.ask(&format!("[1-{}, default {}, ? for help]", options.len(), default + 1), help)?;
        if answer.is_empty() {
            return options.get(default).cloned();
        }
        let by_number = answer.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        if let Some(option) = by_number.or_else(|| options.iter().find(|option| **option == answer)) {
            return Some(option.clone());
        }
        screen.error_text(&format!("`{answer}` is not an option."));
    }
}

impl User for Screen {
    fn choose<'a>(&'a self, choice: &'a Choice) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            self.error_text(&choice.question);
            self.options(choice, Self::error_text);
            let names: Vec<&str> = choice.options.iter().map(|(name, _)| name.as_str()).collect();
            let help = format!(
                "Type {}. An empty line takes the recommendation; Ctrl-C stops, and `rebut resume` asks again.",
                names.join(", ")
            );
            loop {
                let Some(typed) = question(self, &format!("Your choice [{}]:", choice.recommended), &help).await else {
                    self.error_text(&format!("\nThe input has ended; continuing with {}.", choice.recommended));
                    return None;
                };
                match names.iter().find(|name| name.eq_ignore_ascii_case(&typed)) {
                    Some(name) => return Some((*name).to_owned()),
                    None if typed.is_empty() => return None,
                    None => self.error_text(&format!("`{typed}` is not an option.")),
                }
            }
        })
    }
}

impl Screen {
    /// Asks for one line; `?` shows the help and asks again. `None` if the user can't be asked or the input has ended.
    pub(crate) fn ask(&self, question: &str, help: &str) -> Option<String> {
        if self.can_ask() { prompt(self, question, help) } else { None }
    }

    pub(crate) fn options(&self, choice: &Choice, print: fn(&Self, &str)) {
        for (name, meaning) in &choice.options {
            let mark = if *name == choice.recommended { "  (recommended)" } else { "" };
            print(self, &format!("  {name}  {meaning}{mark}"));
        }
    }
}
