//! Reads the end of the ssh client: the status of the remote command, or a failure of the client.
//!
//! Follows `SshActionExecutor`'s table of texts. The client has 255 for all of its own failures, and a command may end
//! with 255 too; only the client writes into its log, so the log shows which of the two it was. The log is untrusted.

use std::path::Path;

use crate::failure::Failure;
use howdah_host::attempt;
use howdah_host::command::WorkOutcome;
use howdah_host::found::Unknown;

/// The client's status when it failed itself.
const CLIENT_FAILED: i32 = 255;
/// Bytes at the end of the log that are read.
const LOG_TAIL: usize = 8 << 10;
const NOT_CONNECTED: &str = "COULD_NOT_CONNECT";
const NOT_RESOLVED: &str = "COULD_NOT_RESOLVE_HOST";
const NOT_AUTHENTICATED: &str = "AUTH_FAILED";
/// For all that has no code of its own.
pub(super) const UNKNOWN: &str = "UNKNOWN_ERROR";
/// Prefixes of the client's messages about a lost connection; the command may still run.
const LOST: [&str; 5] =
    ["Connection to ", "Timeout, server ", "client_loop: ", "Read from remote host ", "packet_write_wait: "];

/// Returns the failure of a command that did not end with 0, or of a client with its messages in the file `log` of the
/// attempt's folder.
///
/// # Errors
/// Fails when the machine cannot read the log.
pub(in super::super) fn failure(outcome: &WorkOutcome, folder: &Path, log: &str) -> Result<Failure, Unknown> {
    Ok(match outcome {
        WorkOutcome::Exited(CLIENT_FAILED) => {
            let bytes = attempt::read_end_of(folder, log, LOG_TAIL).known()?.unwrap_or_default();
            let message = last_message(&String::from_utf8_lossy(&bytes));
            message.map_or_else(|| ended(CLIENT_FAILED), |message| client_failure(&message))
        }
        WorkOutcome::Exited(status) => ended(*status),
        // The status that a shell reports for a command that a signal ended.
        WorkOutcome::Signaled(signal) => ended(128 + signal),
        WorkOutcome::Failed { code, message } => Failure::of_code(code, message),
    })
}

fn ended(status: i32) -> Failure {
    Failure::error("E1111", format!("Exit code:{status}"))
}

/// Returns the last line that is more than a notice.
fn last_message(log: &str) -> Option<String> {
    let is_notice = |line: &str| line.is_empty() || line.starts_with("Warning: ");
    log.lines().map(str::trim).rfind(|line| !is_notice(line)).map(str::to_owned)
}

fn client_failure(message: &str) -> Failure {
    let with_code = |code: &str, advice: &str| format!("{code}: {message}{advice}");
    let says = |words: &str| message.contains(words);
    if LOST.iter().any(|begin| message.starts_with(begin)) {
        let advice = "; the command may still be running there: check this before you run the node again";
        Failure::failed(NOT_CONNECTED, with_code(NOT_CONNECTED, advice))
    } else if says("Could not resolve hostname") {
        Failure::transient(NOT_RESOLVED, with_code(NOT_RESOLVED, ""))
    } else if says("timed out") {
        Failure::transient(NOT_CONNECTED, with_code(NOT_CONNECTED, ""))
    } else if says("Permission denied") {
        let advice = "; the job's user needs a key that this account accepts without a password (howdah.ssh.options \
                      can name it)";
        Failure::non_transient(NOT_AUTHENTICATED, with_code(NOT_AUTHENTICATED, advice))
    } else {
        Failure::error(UNKNOWN, with_code(UNKNOWN, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Sandbox;
    use super::*;
    use crate::failure::FailureKind;

    fn check(outcome: &WorkOutcome, log: &str, expect: (FailureKind, &str, &str)) {
        let sandbox = Sandbox::new();
        sandbox.write("attempt/ssh.log", log);
        let found = failure(outcome, &sandbox.attempt, "ssh.log").unwrap();
        assert_eq!((found.kind, found.code.as_str()), (expect.0, expect.1), "{log}");
        let message = found.message.strip_prefix(&format!("{}: ", expect.1)).unwrap_or(&found.message);
        assert!(message.starts_with(expect.2), "{log}: {message}");
    }

    #[test]
    fn the_log_separates_failures_of_the_client_and_the_command() {
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
