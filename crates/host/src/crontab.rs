//! The crontab of this user, read and written by the `crontab` program.

use std::collections::BTreeMap;
use std::time::Duration;

use super::call::{Answer, Call, CallLine};
use super::{clock, variables};

/// How long the program may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Between two checks of the program.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the text of the crontab; empty when the user has none.
///
/// # Errors
/// What `crontab -l` says, or why it cannot be started.
pub fn read() -> Answer {
    match run(&["-l"], String::new()) {
        Err(message) if message.contains("no crontab for") => Ok(String::new()),
        answer => answer,
    }
}

/// Replaces the crontab.
///
/// # Errors
/// What `crontab -` says, or why it cannot be started.
pub fn write(text: String) -> Result<(), String> {
    run(&["-"], text).map(drop)
}

fn run(arguments: &[&str], input: String) -> Answer {
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
