//! Reads answers of a user at the terminal from standard input.
//!
//! Decides nothing about the question; the caller shows it.

use std::io::{self, BufRead as _, IsTerminal as _};

/// Whether a user may type: standard input is a terminal.
pub fn is_attended() -> bool {
    io::stdin().is_terminal()
}

/// Reads an answer; only "yes" or "y" is a yes, and an end of input is a no.
pub fn says_yes() -> bool {
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expect) in
            [("y\n", true), ("Yes\r\n", true), ("", false), ("\n", false), ("no\n", false), ("yeah", false)]
        {
            assert_eq!(is_yes(answer), expect, "{answer:?}");
        }
    }
}
