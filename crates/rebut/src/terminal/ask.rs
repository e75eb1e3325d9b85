//! Questions to the person. Nothing is ever asked without a terminal on both sides.

use std::io::{self, BufRead, IsTerminal};

use super::Screen;

/// Whether there is a terminal on both sides.
pub(crate) fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for one line; `?` shows the help and asks again. `None` where the user can't be asked or the input has ended.
pub(crate) fn ask_line(screen: &Screen, question: &str, help: &str) -> Option<String> {
    if !screen.can_ask() {
        return None;
    }
    loop {
        screen.prompt(question);
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).ok()?;
        match line.trim() {
            "?" => screen.error_text(help),
            answer => return (read > 0).then(|| answer.to_owned()),
        }
    }
}

/// Asks which of these it shall be, by number; an empty line takes the one at `default`.
pub(crate) fn pick(screen: &Screen, question: &str, options: &[String], default: usize, help: &str) -> Option<String> {
    screen.error_text(question);
    for (number, option) in (1..).zip(options) {
        screen.error_text(&format!("  {number}  {option}"));
    }
    loop {
        let answer = ask_line(screen, &format!("[1-{}, default {}, ? for help]", options.len(), default + 1), help)?;
        if answer.is_empty() {
            return options.get(default).cloned();
        }
        let by_number = answer.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        if let Some(option) = by_number.or_else(|| options.iter().find(|option| **option == answer)) {
            return Some(option.clone());
        }
        screen.error_text(&format!("`{answer}` is none of these."));
    }
}
