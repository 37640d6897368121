//! What a shim has to do, and doing it.
//!
//! Written as JSON into the attempt's folder when the attempt is started, read and performed by the shim.
//! Order for a command: prepare, working folder with its files and links, then the command itself; before each step the
//! shim looks whether the attempt was killed. A command that was killed is followed by those that end it elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::email::{self, FindMailer, MailWork};
use super::ending::Ending;
use super::file_operation::{self, FileOperation, Limits, Progress};
use super::git::{self, CloneWork};
use super::report::Report;
use super::stage::stage;
use super::streaming::{self, StreamingWork};
use super::termination;
use super::{Failure, NodeResult, Place};
use crate::error::Error;
use crate::executor::remote_jobs::{self, Elsewhere};
use crate::host::attempt::{self, Performed};
use crate::host::command::{self, CommandLine, WorkOutcome};
use crate::host::found::Unknown;
use crate::host::located::Located;
use crate::host::mail::Mailer;
use crate::host::processes::Signal;
use crate::host::{environment, files};

/// The work of one attempt, as the shim reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The action's element with its expressions evaluated, for whoever looks into the attempt's folder.
    pub(super) body: String,
    /// Where it is done.
    #[serde(default)]
    pub(super) place: Place,
    pub(super) task: Task,
}

/// Where the attempt in `folder` is worked on. An order that is not there, or cannot be believed, is this machine's.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(crate) fn place_of(folder: &Path) -> Result<Place, Error> {
    Ok(attempt::read_work::<Work>(folder)?.map(|work| work.place).unwrap_or_default())
}

/// The element of the action that the attempt in `folder` works on, evaluated; `None` where there is no order to
/// believe.
///
/// # Errors
/// H0110 when the machine cannot say.
pub(crate) fn body_of(folder: &Path) -> Result<Option<String>, Error> {
    Ok(attempt::read_work::<Work>(folder)?.map(|work| work.body).ok())
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// A command line under supervision.
    Command(Box<CommandWork>),
    /// File operations, in order.
    Files(FileWork),
    /// A letter to be sent.
    Mail(Box<MailWork>),
    /// A repository to be cloned.
    Clone(Box<CloneWork>),
    /// A streaming job on this machine.
    Streaming(Box<StreamingWork>),
}

/// File operations with their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileWork {
    pub(super) operations: Vec<FileOperation>,
    pub(super) limits: Limits,
}

/// A command with what must be there before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommandWork {
    /// Deletions and new folders before the command.
    pub(super) prepare: FileWork,
    /// Links in the working folder: name to target.
    pub(super) links: BTreeMap<String, Located>,
    /// Folders of the working folder that an archive is unpacked into: name to archive.
    pub(super) archives: BTreeMap<String, Located>,
    /// Files written into the working folder: name, or path in it, to content.
    pub(super) files: BTreeMap<String, String>,
    /// Files of the working folder that others are joined to, in their order: name to files.
    #[serde(default)]
    pub(super) joined: BTreeMap<String, Vec<Located>>,
    /// The command.
    pub(super) line: CommandLine,
    /// The links that are programs, made executable if they are not.
    pub(super) shipped_programs: BTreeSet<String>,
    /// What to do when the program cannot be started, for the message.
    pub(super) advice: Option<String>,
    /// What the shim runs after the command was killed, to end what it has started on other machines.
    pub(super) on_kill: Vec<CommandLine>,
    /// Where the jobs run that it starts; `None` when it does its work itself.
    #[serde(default)]
    pub(super) elsewhere: Option<Elsewhere>,
    /// What its end means.
    pub(super) ending: Ending,
}

impl Work {
    /// Where it is done.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

impl Task {
    /// What the end of the work means for its node.
    ///
    /// # Errors
    /// Fails when the machine does not let what the work has left be read.
    pub(super) fn result(&self, outcome: &WorkOutcome, folder: &Path) -> Result<NodeResult, Unknown> {
        match self {
            Self::Command(work) => work.ending.result(outcome, folder),
            Self::Clone(work) => work.command.ending.result(outcome, folder),
            Self::Streaming(work) => work.command.ending.result(outcome, folder),
            Self::Files(_) | Self::Mail(_) => Ok(plain_result(outcome)),
        }
    }
}

/// The result of work that is done in the shim itself: it went well or has a failure with a code.
fn plain_result(outcome: &WorkOutcome) -> NodeResult {
    match outcome {
        WorkOutcome::Exited(0) => NodeResult::Ok { data: None },
        WorkOutcome::Failed { code, message } => NodeResult::Failed(Failure::of_code(code, message)),
        WorkOutcome::Exited(_) | WorkOutcome::Signaled(_) => {
            NodeResult::Failed(Failure::error("1", "it was ended by a signal"))
        }
    }
}

/// The main of `howdah attempt DIR`: does the work of the attempt in `folder`, unless somebody else has claimed it.
///
/// `find_mailer` is asked for letters only, and before a shim of root's becomes the user of the job: what it reads may
/// be closed to that user.
///
/// # Errors
/// H0110, H0111 when the order cannot be read or the claim or the outcome cannot be written.
pub(crate) fn run_attempt(folder: &Path, find_mailer: FindMailer<'_>) -> Result<(), Error> {
    let begin = |work: Work| {
        let mailer = matches!(work.task, Task::Mail(_)).then(find_mailer);
        |folder: &Path| perform(work, mailer, folder)
    };
    attempt::run(folder, begin).map(drop)
}

fn perform(work: Work, mailer: Option<Result<Mailer, String>>, folder: &Path) -> Performed {
    tell(folder, "body.xml", work.body.as_bytes());
    let place = work.place;
    // Only what a cluster works on is ended through its shim.
    let requests = (place != Place::Here).then(|| termination::heed(folder));
    let performed = perform_task(work.task, &place, mailer, folder);
    match requests {
        Some(requests) => Performed { outcome: requests.outcome(performed.outcome), ..performed },
        None => performed,
    }
}

fn perform_task(task: Task, place: &Place, mailer: Option<Result<Mailer, String>>, folder: &Path) -> Performed {
    match task {
        Task::Mail(work) => {
            let mailer = mailer.unwrap_or_else(|| Err("the mailer is missing".to_owned()));
            Performed { outcome: email::perform(*work, mailer, folder), files_done: 0 }
        }
        Task::Files(work) => {
            let (files_done, outcome) = operate(&work, folder);
            Performed { outcome, files_done }
        }
        Task::Clone(work) => git::perform(&work, folder, |command| prepared(command, folder, || run(command, folder))),
        Task::Command(mut work) => {
            lend(&mut work, place);
            prepared(&work, folder, || run(&work, folder))
        }
        Task::Streaming(mut work) => {
            lend(&mut work.command, place);
            prepared(&work.command, folder, || streaming::perform(&work, folder))
        }
    }
}

/// Adds what a cluster tells the jobs on its nodes.
fn lend(work: &mut CommandWork, place: &Place) {
    if *place != Place::Here {
        work.line.environment.extend(environment::of_cluster_job());
    }
}

/// Does what comes before a command, then the command.
fn prepared(work: &CommandWork, folder: &Path, command: impl FnOnce() -> WorkOutcome) -> Performed {
    let line = serde_json::to_vec_pretty(&work.line).expect("a command line becomes JSON");
    tell(folder, "command.json", &line);
    let (files_done, outcome) = prepare(&work.prepare, folder);
    let outcome = match outcome {
        WorkOutcome::Exited(0) => stage(work, folder).map_or_else(|failed| failed, |()| command()),
        other => other,
    };
    Performed { outcome, files_done }
}

/// Runs the command, keeps what it tells of jobs and counters, and when it was killed ends what it has started
/// elsewhere.
fn run(work: &CommandWork, folder: &Path) -> WorkOutcome {
    let start = || advised(attempt::run_command(&work.line, folder), work.advice.as_deref());
    if let Some(elsewhere) = &work.elsewhere {
        return remote_jobs::run(elsewhere, &work.line, folder, start);
    }
    let outcome = start();
    let outcome = match keep_report(work, folder) {
        Err(failed) if outcome == WorkOutcome::Exited(0) => failed,
        _ => outcome,
    };
    for failure in attempt::run_after_kill(&work.on_kill, folder) {
        note(folder, &format!("it may go on elsewhere: the command that ends it there {failure}"));
    }
    outcome
}

/// Keeps what the command tells of jobs and counters. JA018 when that is too much or cannot be written.
fn keep_report(work: &CommandWork, folder: &Path) -> Result<(), WorkOutcome> {
    let written = attempt::until_known(folder, || Report::written(folder, work.ending.most_ids()));
    let written = written
        .map_err(|error| command::failed(error.message()))?
        .map_err(|failure| WorkOutcome::Failed { code: failure.code, message: failure.message })?;
    let kept = written.map_or(Ok(()), |report| report.write(folder));
    kept.map_err(|error| command::failed(&error.to_string()))
}

/// Adds what to do about it to a failure to start the program.
fn advised(outcome: WorkOutcome, advice: Option<&str>) -> WorkOutcome {
    match (outcome, advice) {
        (WorkOutcome::Failed { code, message }, Some(advice)) => {
            WorkOutcome::Failed { code, message: format!("{message}; {advice}") }
        }
        (outcome, _) => outcome,
    }
}

/// Checks all paths, then does the operations.
fn operate(work: &FileWork, folder: &Path) -> (usize, WorkOutcome) {
    let done = file_operation::execute(&work.operations, &work.limits, folder, &mut |text| note(folder, text));
    outcome_of(done, |failure| WorkOutcome::Failed { code: failure.code, message: failure.message })
}

fn outcome_of(
    (done, result): (usize, Result<Progress, Failure>),
    failed: impl FnOnce(Failure) -> WorkOutcome,
) -> (usize, WorkOutcome) {
    let outcome = match result {
        Ok(Progress::ToTheEnd) => WorkOutcome::Exited(0),
        Ok(Progress::Stopped) => WorkOutcome::Signaled(Signal::Terminate.number()),
        Err(failure) => failed(failure),
    };
    (done, outcome)
}

/// The operations of `prepare`, one by one without a look ahead.
fn prepare(work: &FileWork, folder: &Path) -> (usize, WorkOutcome) {
    let done = file_operation::in_order(&work.operations, &work.limits, folder, &mut |text| note(folder, text));
    outcome_of(done, |failure| {
        command::failed(&format!("Prepare execution in the Launcher AM has failed, {}", failure.message))
    })
}

/// Writes a file that only people read; without it the work is done all the same.
fn tell(folder: &Path, name: &str, content: &[u8]) {
    let _ = files::write(&folder.join(name), content);
}

/// Adds a line to the action's log; a log that cannot be written stops no work.
pub(super) fn note(folder: &Path, text: &str) {
    let [_, stderr] = attempt::output_files(folder);
    if let Ok(mut file) = files::open_to_append(&stderr) {
        let _ = writeln!(file, "howdah: {text}");
    }
}

#[cfg(test)]
mod tests;
