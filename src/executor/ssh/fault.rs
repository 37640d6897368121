//! What the end of the ssh client means: the status of the command there, or that there was none.
//!
//! Follows `SshActionExecutor`'s table of texts. The client has 255 for all of its own failures, and a command may end
//! with 255 too; only the client writes into its log, so the log tells them apart. The log is read as the word of a
//! stranger.

use std::path::Path;

use crate::executor::failure::Failure;
use crate::host::attempt;
use crate::host::command::WorkOutcome;
use crate::host::found::Unknown;

/// The client's status when it failed itself.
const CLIENT_FAILED: i32 = 255;
/// Bytes at the end of the log that are read.
const LAST_WORDS: usize = 8 << 10;
const NOT_CONNECTED: &str = "COULD_NOT_CONNECT";
const NOT_RESOLVED: &str = "COULD_NOT_RESOLVE_HOST";
const NOT_LET_IN: &str = "AUTH_FAILED";
/// For all that has no code of its own.
pub(super) const UNKNOWN: &str = "UNKNOWN_ERROR";
/// How the client begins when it loses a connection over which the command may run.
const LOST: [&str; 5] =
    ["Connection to ", "Timeout, server ", "client_loop: ", "Read from remote host ", "packet_write_wait: "];

/// The failure of a command that did not end with 0, or of a client whose words are in the file `log` of the attempt's
/// folder.
///
/// # Errors
/// Fails when the machine does not let the log be read.
pub(in super::super) fn failure(outcome: &WorkOutcome, folder: &Path, log: &str) -> Result<Failure, Unknown> {
    Ok(match outcome {
        WorkOutcome::Exited(CLIENT_FAILED) => {
            let bytes = attempt::read_end_of(folder, log, LAST_WORDS).known()?.unwrap_or_default();
            let said = last_words(&String::from_utf8_lossy(&bytes));
            said.map_or_else(|| ended(CLIENT_FAILED), |said| client_failure(&said))
        }
        WorkOutcome::Exited(status) => ended(*status),
        // As a shell tells that a signal ended a command.
        WorkOutcome::Signaled(signal) => ended(128 + signal),
        WorkOutcome::Failed { code, message } => Failure::of_code(code, message),
    })
}

fn ended(status: i32) -> Failure {
    Failure::error("E1111", format!("Exit code:{status}"))
}

/// The last line that is more than a notice.
fn last_words(log: &str) -> Option<String> {
    let is_notice = |line: &str| line.is_empty() || line.starts_with("Warning: ");
    log.lines().map(str::trim).rfind(|line| !is_notice(line)).map(str::to_owned)
}

fn client_failure(said: &str) -> Failure {
    let with_code = |code: &str, advice: &str| format!("{code}: {said}{advice}");
    let says = |words: &str| said.contains(words);
    if LOST.iter().any(|begin| said.starts_with(begin)) {
        let advice = "; the command may still be running there: see to it before the node is run again";
        Failure::failed(NOT_CONNECTED, with_code(NOT_CONNECTED, advice))
    } else if says("Could not resolve hostname") {
        Failure::transient(NOT_RESOLVED, with_code(NOT_RESOLVED, ""))
    } else if says("timed out") {
        Failure::transient(NOT_CONNECTED, with_code(NOT_CONNECTED, ""))
    } else if says("Permission denied") {
        let advice = "; the job's user needs a key that this account accepts without a password (howdah.ssh.options \
                      can name it)";
        Failure::non_transient(NOT_LET_IN, with_code(NOT_LET_IN, advice))
    } else {
        Failure::error(UNKNOWN, with_code(UNKNOWN, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Sandbox;
    use super::*;
    use crate::executor::failure::FailureKind;

    fn check(outcome: &WorkOutcome, log: &str, expect: (FailureKind, &str, &str)) {
        let sandbox = Sandbox::new();
        sandbox.write("attempt/ssh.log", log);
        let found = failure(outcome, &sandbox.attempt, "ssh.log").unwrap();
        assert_eq!((found.kind, found.code.as_str()), (expect.0, expect.1), "{log}");
        let said = found.message.strip_prefix(&format!("{}: ", expect.1)).unwrap_or(&found.message);
        assert!(said.starts_with(expect.2), "{log}: {said}");
    }

    #[test]
    fn the_clients_words_tell_its_failures_from_the_commands() {
        use FailureKind::{Error, Failed, NonTransient, Transient};
        check(&WorkOutcome::Exited(3), "ssh: whatever", (Error, "E1111", "Exit code:3"));
        check(&WorkOutcome::Signaled(15), "", (Error, "E1111", "Exit code:143"));
        for (log, expect) in [
            ("", (Error, "E1111", "Exit code:255")),
            ("Warning: Permanently added 'h' (ED25519) to the list.\r\n", (Error, "E1111", "Exit code:255")),
            (
                "ssh: Could not resolve hostname h: Name or service not known\r\n",
                (Transient, "COULD_NOT_RESOLVE_HOST", "ssh: Could not resolve hostname h: Name"),
            ),
            (
                "ssh: connect to host h port 22: Connection timed out\r\n",
                (Transient, "COULD_NOT_CONNECT", "ssh: connect"),
            ),
            (
                "Warning: x\nann@h: Permission denied (publickey).\r\n\n",
                (NonTransient, "AUTH_FAILED", "ann@h: Permission"),
            ),
            (
                "ssh: connect to host h port 22: Connection refused\r\n",
                (Error, "UNKNOWN_ERROR", "ssh: connect to host h"),
            ),
            ("Connection to h closed by remote host.\r\n", (Failed, "COULD_NOT_CONNECT", "Connection to h closed")),
            ("client_loop: send disconnect: Connection timed out", (Failed, "COULD_NOT_CONNECT", "client_loop")),
        ] {
            check(&WorkOutcome::Exited(255), log, expect);
        }
    }
}
