//! Turns the end of a command into the end of its node: the code of a failure, and the captured data.
//!
//! The rule is stored with the command, so the reader of the outcome does not depend on the type of the action. Follows
//! the result mapping of Oozie's launcher. Decides no retry and no transition.

use std::path::Path;

use super::report::Report;
use super::{git, jvm, ssh};
use crate::end_rule::{Capture, CaptureSource, Ending, FailureRule};
use crate::failure::{Failure, NodeResult};
use howdah_host::attempt;
use howdah_host::command::WorkOutcome;
use howdah_host::found::Unknown;
use howdah_oozie::configuration::parse_properties;
use howdah_words::error::SourceText;
use howdah_words::model::Properties;

/// Bytes at the end of standard error that are searched for the reason of a failure.
const ERROR_TAIL: usize = 8 << 10;

/// The code of remote output above its limit.
const TOO_LONG: &str = "ERR_OUTPUT_EXCEED_MAX_LEN";
/// Shells and JVMs add this to the number of a signal to get an exit status.
const SIGNALED: i32 = 128;

impl Ending {
    /// Returns the result of a command that ran in the attempt `folder`.
    ///
    /// # Errors
    /// Fails when the machine cannot read what the command wrote.
    pub(super) fn result(&self, outcome: &WorkOutcome, folder: &Path) -> Result<NodeResult, Unknown> {
        let (status, detail) = match outcome {
            WorkOutcome::Exited(0) => return self.success(folder),
            WorkOutcome::Exited(status) => (*status, format!("exit status {status}")),
            WorkOutcome::Signaled(signal) => (SIGNALED + signal, format!("killed by signal {signal}")),
            WorkOutcome::Failed { code, message } => {
                return Ok(NodeResult::Failed(Failure::of_code(code, message)));
            }
        };
        let failure = match &self.failure {
            FailureRule::AlwaysOne { main } => Failure::error("1", format!("Main Class [{main}], exit code [1]")),
            FailureRule::RemoteCommand { log } => ssh::failure(outcome, folder, log)?,
            FailureRule::Clone => {
                let message =
                    attempt::read_end_of(folder, attempt::STANDARD_ERROR, ERROR_TAIL).known()?.unwrap_or_default();
                git::failure(&String::from_utf8_lossy(&message))
            }
            FailureRule::Java { main } => jvm::failure(main, outcome, folder)?,
            FailureRule::Exception { words } => Failure::error("JA018", words.replace("{status}", &status.to_string())),
        };
        Ok(NodeResult::Failed(failure.with_detail(detail)))
    }

    /// Returns the most bytes of remote job ids that the command may write: the limit of captured output, if any is
    /// captured.
    pub(super) fn most_ids(&self) -> usize {
        self.capture.as_ref().map_or(usize::MAX, |capture| capture.limit)
    }

    fn success(&self, folder: &Path) -> Result<NodeResult, Unknown> {
        let captured = match &self.capture {
            Some(capture) => match capture.read(folder)? {
                Ok(data) => capture.is_kept().then_some(data),
                Err(failure) => return Ok(NodeResult::Failed(failure)),
            },
            None => None,
        };
        // The ids of remote jobs replace captured output, as in Oozie.
        Ok(NodeResult::Ok { data: Report::read(folder)?.jobs_as_data(self.most_ids()).or(captured) })
    }
}

impl Capture {
    fn is_kept(&self) -> bool {
        !matches!(self.from, CaptureSource::File { kept: false, .. })
    }

    fn read(&self, folder: &Path) -> Result<Result<Properties, Failure>, Unknown> {
        let name = match &self.from {
            CaptureSource::StandardOutput | CaptureSource::RemoteOutput => attempt::STANDARD_OUTPUT,
            CaptureSource::File { name, .. } => name,
        };
        // One byte more than allowed shows that there is too much; a character has at most four bytes.
        let most = self.limit.saturating_mul(if self.from == CaptureSource::RemoteOutput { 4 } else { 1 });
        let bytes = attempt::read_start_of(folder, name, (most as u64).saturating_add(1)).known()?.unwrap_or_default();
        Ok(self.data(&bytes))
    }

    fn data(&self, bytes: &[u8]) -> Result<Properties, Failure> {
        let text = String::from_utf8_lossy(bytes);
        self.check(bytes, &text)?;
        if !self.is_kept() {
            return Ok(Properties::new());
        }
        let source = SourceText::new("captured output", text);
        let parsed = parse_properties(&source);
        // W26: the node fails, not the job; the work itself ended well.
        parsed.map(|parsed| parsed.values).map_err(|error| Failure {
            external_status: Some("SUCCEEDED"),
            ..Failure::error("IllegalArgumentException", error.message())
        })
    }

    /// Refuses output above the limit.
    fn check(&self, bytes: &[u8], text: &str) -> Result<(), Failure> {
        match self.from {
            CaptureSource::RemoteOutput if text.chars().count() > self.limit => {
                let message = format!("{TOO_LONG}: the captured output has more than {} characters", self.limit);
                Err(Failure::failed(TOO_LONG, message))
            }
            CaptureSource::StandardOutput | CaptureSource::File { .. } if bytes.len() > self.limit => {
                let message = format!("output.properties data exceeds its limit [{}]", self.limit);
                Err(Failure::error("JA018", message))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    fn check(outcome: &WorkOutcome, captured: Option<(usize, &str)>, expect: &str) {
        let sandbox = Sandbox::new();
        let ending = Ending {
            failure: FailureRule::AlwaysOne { main: "Main".to_owned() },
            capture: captured.map(|(limit, _)| Capture { from: CaptureSource::StandardOutput, limit }),
        };
        sandbox.write("attempt/stdout", captured.map_or("", |(_, text)| text));
        let got = match ending.result(outcome, &sandbox.attempt).unwrap() {
            NodeResult::Ok { data } => format!("OK {data:?}"),
            NodeResult::Failed(failure) => format!("{:?} {} {}", failure.kind, failure.code, failure.message),
        };
        assert!(if expect.ends_with(' ') { got.starts_with(expect) } else { got == expect }, "{got}");
    }

    #[test]
    fn maps_ends_to_codes() {
        let main = "Error 1 Main Class [Main], exit code [1]";
        check(&WorkOutcome::Exited(0), None, "OK None");
        check(&WorkOutcome::Exited(0), Some((3, "a=b")), r#"OK Some({"a": "b"})"#);
        check(&WorkOutcome::Exited(0), Some((19, "# c\nk : v=w")), r#"OK Some({"k": "v=w"})"#);
        check(&WorkOutcome::Exited(0), Some((9, "")), "OK Some({})");
        check(&WorkOutcome::Exited(0), Some((19, r"a=\u00")), "Error IllegalArgumentException ");
        check(&WorkOutcome::Exited(0), Some((2, "a=b")), "Error JA018 output.properties data exceeds its limit [2]");
        check(&WorkOutcome::Exited(7), Some((2, "a=b")), main);
        check(&WorkOutcome::Signaled(9), None, main);
        let failed = WorkOutcome::Failed { code: "FS006".to_owned(), message: "FS006: gone".to_owned() };
        check(&failed, None, "Error FS006 FS006: gone");
    }
}
