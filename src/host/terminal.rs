//! Asking the person at the terminal.
//!
//! The question goes to standard error, so that standard output stays the answer. Decides nothing about what is asked.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

/// Whether somebody is there to be asked: standard input and standard error are a terminal.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question whose answer is no unless somebody says yes; an end of input is a no.
pub(crate) fn confirm(question: &str) -> bool {
    let mut answer = String::new();
    let asked = write!(io::stderr().lock(), "{question} [y/N] ").and_then(|()| io::stderr().flush());
    asked.and_then(|()| io::stdin().lock().read_line(&mut answer)).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expect) in [("y\n", true), ("Yes\r\n", true), ("", false), ("\n", false), ("no\n", false), ("yeah", false)] {
            assert_eq!(is_yes(answer), expect, "{answer:?}");
        }
    }
}
