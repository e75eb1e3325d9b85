//! A diff written back: headers as they stood, counts from the lines.

use std::fmt;

use super::{Diff, FileDiff, Hunk, HunkLine};

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.preamble)?;
        self.files.iter().try_for_each(|file| file.fmt(f))
    }
}

impl fmt::Display for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.header)?;
        self.hunks.iter().try_for_each(|hunk| hunk.fmt(f))?;
        f.write_str(&self.trailer)
    }
}

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |f: &mut fmt::Formatter<'_>, start, count| match count {
            1 => write!(f, "{start}"),
            count => write!(f, "{start},{count}"),
        };
        if self.old_start == 0 && self.new_start == 0 {
            writeln!(f, "@@{}", self.section)?;
            return self.lines.iter().try_for_each(|line| writeln!(f, "{line}"));
        }
        f.write_str("@@ -")?;
        range(f, self.old_start, self.old_count())?;
        f.write_str(" +")?;
        range(f, self.new_start, self.new_count())?;
        writeln!(f, " @@{}", self.section)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for HunkLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.mark(), self.text())
    }
}

impl HunkLine {
    pub fn mark(&self) -> char {
        match self {
            Self::Context(_) => ' ',
            Self::Added(_) => '+',
            Self::Removed(_) => '-',
            Self::NoNewline(_) => '\\',
        }
    }

    /// The line after the mark.
    pub fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Added(text) | Self::Removed(text) | Self::NoNewline(text) => text,
        }
    }
}
