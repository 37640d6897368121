//! Reads answers of a user at the terminal from standard input, and waits for keys.
//!
//! Decides nothing about the question; the caller shows it.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::session::Session;

/// Whether a user may type: standard input is a terminal.
pub fn is_attended() -> bool {
    Session::current().is_of_process() && io::stdin().is_terminal()
}

/// Reads an answer; only "yes" or "y" is a yes, and an end of input is a no.
pub fn says_yes() -> bool {
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && is_yes(&answer)
}

/// Waits until a key is typed, a signal arrives, or this time is over. Returns whether the terminal is still there: a
/// read from one that has gone returns at once, with nothing.
pub fn await_key(longest: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let longest =
        Timespec { tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: longest.subsec_nanos().into() };
    match poll(&mut polled, Some(&longest)) {
        Ok(_) => Ok(!polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
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
