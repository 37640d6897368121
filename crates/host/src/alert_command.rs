//! Runs a program that gets an alert, with a time limit.
//!
//! Its exit status decides; its output is kept, up to a limit, to explain a failure.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use super::brief_command;
use howdah_words::model::delivery::AlertCommand;

/// The most bytes of the output that are kept.
const MOST_OUTPUT: u64 = 2000;

/// Runs a program in an environment, to which the alert adds its variables; returns a message when it did not end with
/// 0 within `timeout`. A program that takes longer is killed with its process group.
pub fn run(alert: &AlertCommand, environment: &BTreeMap<String, String>, timeout: Duration) -> Result<(), String> {
    let Some((program, arguments)) = alert.command.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(environment).envs(&alert.environment);
    // The courier may have been started anywhere: the folder must not depend on that.
    command.current_dir("/").process_group(0);
    let answer = brief_command::run(command, alert.input.clone().into_bytes(), timeout, MOST_OUTPUT);
    let answer = answer.map_err(|error| format!("the command [{program}] cannot be run: {error}"))?;
    answer.failure(timeout).map_or(Ok(()), |why| Err(format!("the command [{program}] {why}")))
}

#[cfg(test)]
mod tests {
    use super::super::command_environment::CommandVariables;
    use super::*;
    use howdah_tier::PATIENCE;

    fn run(alert: &AlertCommand, timeout: Duration) -> Result<(), String> {
        super::run(alert, &CommandVariables::default().of_user(None).unwrap(), timeout)
    }

    fn shell(script: &str, input: &str) -> AlertCommand {
        AlertCommand {
            command: ["sh", "-c", script].map(str::to_owned).into(),
            environment: [("ALERT".to_owned(), "END_MISS".to_owned())].into(),
            input: input.to_owned(),
        }
    }

    #[test]
    fn the_exit_status_decides_and_the_output_says_why() {
        let long = "x".repeat(1_000_000);
        let check = |script: &str, expect: &str| {
            let message = run(&shell(script, &long), PATIENCE).err().unwrap_or_default();
            assert_eq!(message, expect, "{script}");
        };
        check("exit 0", "");
        check("cat >/dev/null; test \"$ALERT\" = END_MISS", "");
        check("test $(wc -c) = 1000000", "");
        check("echo no pager >&2; exit 3", "the command [sh] failed: exit status: 3; it says: no pager");
        check("sleep 600 & exit 1", "the command [sh] failed: exit status: 1");
        let long = run(&shell("yes | head -c 100000; exit 1", ""), PATIENCE).unwrap_err();
        assert!(long.len() < 2100, "{} bytes", long.len());
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_children() {
        let message = run(&shell("sleep 600 & sleep 600", ""), Duration::from_millis(100)).unwrap_err();
        assert_eq!(message, "the command [sh] did not end within 0 s");
        let none = AlertCommand { command: Vec::new(), ..shell("", "") };
        assert_eq!(run(&none, Duration::ZERO).unwrap_err(), "the command is empty");
        let unknown = AlertCommand { command: vec!["/nonexistent".to_owned()], ..shell("", "") };
        assert!(run(&unknown, Duration::ZERO).unwrap_err().contains("cannot be run"));
    }
}
