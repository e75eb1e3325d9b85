//! `rebut prune`

use clap::Args;
use jiff::Timestamp;
use rebut_engine::shelf::{ShelfError, Shelved};
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

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
        for shelved in desk.shelf.all()? {
            let Some(last) = last_sign_of_life(&shelved) else { continue };
            if now.saturating_sub(last) < limit || shelved.is_running() {
                continue;
            }
            if !self.dry_run {
                match desk.shelf.remove(&shelved) {
                    // It was taken up between the look and the removal.
                    Err(ShelfError::Running { .. }) => continue,
                    // One that cannot be removed does not keep the others.
                    Err(error) => {
                        failed += 1;
                        desk.screen.error_line("error", &format!("{} is not removed: {error}", shelved.id));
                        let error = error.to_string();
                        desk.screen.json(|| json!({ "not_removed": shelved.id, "error": error }));
                        continue;
                    }
                    Ok(()) => {}
                }
            }
            removed += 1;
            desk.screen.json(|| json!({ "removed": shelved.id, "dry_run": self.dry_run }));
            desk.screen.text(&format!("{} {}", if self.dry_run { "would remove" } else { "removed" }, shelved.id));
        }
        if removed + failed == 0 {
            desk.screen.note("nothing is that old");
        }
        Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
    }
}

/// When something last happened, in milliseconds: the last event, else the time that the id names. `None` where nobody can
/// tell, and then nothing is removed.
fn last_sign_of_life(shelved: &Shelved) -> Option<i64> {
    if let Ok(debate) = shelved.read() {
        return Some(debate.last_at().as_millisecond());
    }
    let began = shelved.id.as_str().get(7..23)?;
    let iso = format!(
        "{}-{}-{}T{}:{}:{}Z",
        &began[..4],
        &began[4..6],
        &began[6..8],
        &began[9..11],
        &began[11..13],
        &began[13..15]
    );
    iso.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
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
