//! `rebut prune`

use clap::Args;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rebut_engine::store::{Listed, State};
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// Remove debates in which nothing has happened for a time; running ones are kept
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut prune --older-than 30d\n  rebut prune --older-than 12h --dry-run")]
pub(crate) struct Prune {
    /// How long nothing has happened: 30d, 12h, 90m
    #[arg(long, value_name = "TIME", value_parser = age)]
    older_than: u64,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl Prune {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let now = Timestamp::now().as_millisecond();
        let limit = i64::try_from(self.older_than).unwrap_or(i64::MAX);
        let (mut removed, mut failed) = (0_u32, 0_u32);
        let (sessions, runtime) = (desk.sessions()?, runtime()?);
        for debate in runtime.block_on(sessions.list())? {
            let Some(last) = last_change(&debate) else { continue };
            if now.saturating_sub(last) < limit || debate.state == State::Running {
                continue;
            }
            let id = debate.id;
            if !self.dry_run
                && let Err(error) = runtime.block_on(sessions.remove(&id))
            {
                // It was taken up between the look and the removal.
                if runtime.block_on(sessions.is_running(&id)).unwrap_or(false) {
                    continue;
                }
                // One that cannot be removed does not keep the others.
                failed += 1;
                desk.screen.error_line("error", &format!("{id} is not removed: {error}"));
                let error = error.to_string();
                desk.screen.json(|| json!({ "not_removed": id, "error": error }));
                continue;
            }
            removed += 1;
            desk.screen.json(|| json!({ "removed": id, "dry_run": self.dry_run }));
            desk.screen.text(&format!("{} {id}", if self.dry_run { "would remove" } else { "removed" }));
        }
        if removed + failed == 0 {
            desk.screen.note("nothing is that old");
        }
        Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
    }
}

/// When something last happened, in milliseconds: the last event, else the time in the id.
fn last_change(debate: &Listed) -> Option<i64> {
    if let Some(summary) = &debate.summary {
        return Some(summary.updated.as_millisecond());
    }
    let began = DateTime::strptime("%Y%m%d%H%M%S", debate.id.second()).ok()?;
    began.to_zoned(TimeZone::UTC).ok().map(|began| began.timestamp().as_millisecond())
}

/// Reads `30d`, `12h`, `90m` or `45s` as milliseconds.
fn age(text: &str) -> Result<u64, String> {
    let allowed = "use a number with s, m, h or d, such as 30d";
    let unit = text.chars().last().ok_or(allowed)?;
    let ms: u64 = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return Err(allowed.to_owned()),
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| allowed.to_owned())?;
    number.checked_mul(ms).ok_or_else(|| allowed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_are_numbers_with_a_unit() {
        assert_eq!(age("90m"), Ok(5_400_000));
        assert_eq!(age("30d"), Ok(2_592_000_000));
        for text in ["", "d", "30", "-1d", "1w", "99999999999999999999d", "3ä"] {
            assert!(age(text).is_err(), "{text}");
        }
    }
}
