//! The crontab of this user, read and written by the `crontab` program.

use std::collections::BTreeMap;
use std::time::Duration;

use super::call::{Answer, Call, CallLine};
use super::{clock, environment, variables};

/// How long the program may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Between two checks of the program.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the bytes of the crontab; none when the user has no crontab.
///
/// # Errors
/// What `crontab -l` says, or why it cannot be started.
pub fn read() -> Answer {
    let name = environment::user_name().map_err(|error| error.to_string())?;
    match run(&["-l"], Vec::new()) {
        Err(message) if says_none(&message, &name) => Ok(Vec::new()),
        answer => answer,
    }
}

/// Replaces the crontab.
///
/// # Errors
/// What `crontab -` says, or why it cannot be started.
pub fn write(table: Vec<u8>) -> Result<(), String> {
    run(&["-"], table).map(drop)
}

/// Whether the whole message of `crontab -l` is that the user has no crontab. A message that only begins in this way
/// reports a failure.
fn says_none(message: &str, user: &str) -> bool {
    message.strip_prefix("crontab: ").unwrap_or(message).strip_prefix("no crontab for ") == Some(user)
}

fn run(arguments: &[&str], input: Vec<u8>) -> Answer {
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
        match call.poll() {
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
            ("no crontab for ann: cannot read spool", false),
            ("no crontab for anna", false),
            ("no crontab for", false),
            ("warning: no crontab for ann", false),
        ] {
            assert_eq!(says_none(message, "ann"), expect, "{message}");
        }
    }
}
