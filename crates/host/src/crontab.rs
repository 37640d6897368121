//! The crontab of this user, read and written by the `crontab` program.

use std::collections::BTreeMap;
use std::time::Duration;

use super::call::{Call, CallLine};
use super::{clock, variables};

/// How long the program may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Between two checks of the program.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the crontab as it is, byte for byte; empty when the user has none.
///
/// # Errors
/// What `crontab -l` says, or why it cannot be started.
pub fn read() -> Result<Vec<u8>, String> {
    match run(&["-l"], Vec::new()) {
        Err(message) if says_there_is_none(&message) => Ok(Vec::new()),
        answer => answer,
    }
}

/// Whether the whole message says that the user has no crontab: `no crontab for ann`, also with the program's name.
fn says_there_is_none(message: &str) -> bool {
    let text = message.strip_prefix("crontab: ").unwrap_or(message);
    text.strip_prefix("no crontab for ").is_some_and(|user| !user.is_empty() && !user.contains(char::is_whitespace))
}

/// Replaces the crontab.
///
/// # Errors
/// What `crontab -` says, or why it cannot be started.
pub fn write(content: Vec<u8>) -> Result<(), String> {
    run(&["-"], content).map(drop)
}

fn run(arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
    let passed = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR"];
    let environment: BTreeMap<String, String> =
        passed.iter().filter_map(|name| Some(((*name).to_owned(), variables::get(name)?))).collect();
    let line = CallLine {
        program: "crontab".to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        environment,
        input,
        user: None,
    };
    let mut call = Call::start(&line, TIMEOUT).map_err(|error| format!("cannot start `crontab`: {error}"))?;
    loop {
        match call.poll_bytes() {
            Some(answer) => return answer,
            None => clock::pause(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_message_says_that_there_is_none() {
        for (message, expect) in [
            ("no crontab for ann", true),
            ("crontab: no crontab for ann", true),
            ("no crontab for root: cannot read spool", false),
            ("no crontab for ", false),
            ("cannot tell: no crontab for ann", false),
        ] {
            assert_eq!(says_there_is_none(message), expect, "{message}");
        }
    }
}
