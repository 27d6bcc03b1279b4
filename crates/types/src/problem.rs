//! What is wrong with a line of a file.

use std::fmt;

/// Something wrong with a file, or with one line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub reason: String,
}

impl Problem {
    /// A problem of a line, counted from 1.
    pub fn at(line: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { line, reason }
    }

    /// A problem of the whole file.
    pub fn whole(reason: impl Into<String>) -> Self {
        Self::at(0, reason)
    }

    /// The first 20 problems in one line, separated by `; `, and the number of the others.
    pub fn list(problems: &[Self]) -> String {
        const SHOWN: usize = 20;
        let mut out: Vec<String> = problems.iter().take(SHOWN).map(Self::to_string).collect();
        if problems.len() > SHOWN {
            out.push(format!("and {} more", problems.len() - SHOWN));
        }
        out.join("; ")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}
