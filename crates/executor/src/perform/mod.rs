//! Does the work of an attempt, in its shim.
//!
//! Order for a command: prepare, working folder with its files and links, then the command itself; before each step the
//! shim checks whether the attempt was killed. After a command was killed, the shim runs the commands that end its work
//! on other machines.

use std::path::Path;

use crate::command_work::{CommandWork, FileWork};
use crate::email::{self, FindMailer};
use crate::note::note;
use crate::report::Report;
use crate::stage::stage;
use crate::tidy::Staged;
use crate::work::{Task, Work};
use crate::{Place, blocked, file_operations, git, remote_jobs, streaming, termination};
use howdah_host::attempt::{self, Performed, ShimResult};
use howdah_host::command::{self, WorkOutcome};
use howdah_host::fork_server::Reader;
use howdah_host::mail::Mailer;
use howdah_host::variables;
use howdah_words::error::Error;

/// The main function of `howdah attempt DIR`: does the work of the attempt in `folder`, unless another process has
/// claimed it.
///
/// `reader` is the process that waits for the outcome, if there is one. `find_mailer` is called only for mails,
/// and before a shim of root becomes the user of the job: that user may not be allowed to read the settings.
///
/// # Errors
/// H0110, H0111 when the order cannot be read or the claim or the outcome cannot be written.
pub fn run_attempt(folder: &Path, reader: Option<&Reader>, find_mailer: FindMailer<'_>) -> Result<(), Error> {
    let mut done = None;
    let ended = &mut done;
    let start = move |work: Work| {
        let mailer = matches!(work.task, Task::Mail(_)).then(find_mailer);
        let staged = Staged::of(&work.task);
        move |folder: &Path| {
            let performed = perform(work, mailer, folder);
            *ended = (performed.outcome == WorkOutcome::Exited(0)).then_some(staged);
            performed
        }
    };
    // Only after the outcome is written: until then these files show what happened.
    if attempt::run(folder, reader, start)? == ShimResult::Finished
        && let Some(staged) = done
    {
        staged.remove(folder);
    }
    Ok(())
}

/// An order as short as an order can be, to read before there is one.
const SHORTEST_ORDER: &str = r#"{"token":"","work":{"body":"","place":"here","task":{"command":{
    "prepare":{"operations":[],"limits":{"mounts":[],"home":"/","glob_max":1}},
    "links":{},"archives":{},"files":{"a":"b"},"joined":{},
    "line":{"program":"a","arguments":["b"],"environment":{"A":"b"},"directory":"/"},
    "shipped_programs":[],"advice":null,"on_kill":[],"elsewhere":null,
    "ending":{"failure":{"always_one":{"main":"a"}},"capture":null}}}}}"#;

/// Uses the memory that [`run_attempt`] uses for most orders, so that a process that waits for its order need not wait
/// for these pages then. Touches no file.
pub fn get_ready() {
    attempt::get_ready::<Work>(SHORTEST_ORDER);
}

/// Does the work of an attempt in its folder, and returns the outcome. Mails go through `mailer`.
pub fn perform(work: Work, mailer: Option<Result<Mailer, String>>, folder: &Path) -> Performed {
    let place = work.place;
    // Only work on a cluster is ended through its shim.
    let requests = (place != Place::Here).then(|| termination::watch_signals(folder));
    let performed = perform_task(work.task, &place, mailer, folder);
    match requests {
        Some(requests) => Performed { outcome: requests.outcome(performed.outcome), ..performed },
        None => performed,
    }
}

pub(crate) fn perform_task(
    task: Task,
    place: &Place,
    mailer: Option<Result<Mailer, String>>,
    folder: &Path,
) -> Performed {
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
        // Its claim is there, so no shim comes here unless the folder was changed.
        Task::Over(_) => Performed { outcome: command::failed("the attempt is over"), files_done: 0 },
        Task::Command(mut work) => {
            add_cluster_variables(&mut work, place);
            prepared(&work, folder, || run(&work, folder))
        }
        Task::Streaming(mut work) => {
            add_cluster_variables(&mut work.command, place);
            prepared(&work.command, folder, || streaming::perform(&work, folder))
        }
    }
}

/// Adds the variables that a cluster sets for the jobs on its nodes.
pub(crate) fn add_cluster_variables(work: &mut CommandWork, place: &Place) {
    if *place != Place::Here {
        work.line.environment.extend(variables::of_cluster_job());
    }
}

/// Prepares a command, then runs it.
pub fn prepared(work: &CommandWork, folder: &Path, command: impl FnOnce() -> WorkOutcome) -> Performed {
    let (files_done, outcome) = prepare(&work.prepare, folder);
    let outcome = match outcome {
        WorkOutcome::Exited(0) => stage(work, folder).map_or_else(|failed| failed, |()| command()),
        other => other,
    };
    Performed { outcome, files_done }
}

/// Runs the command, stores its report of jobs and counters, and after a kill ends what it has started on other
/// machines.
pub fn run(work: &CommandWork, folder: &Path) -> WorkOutcome {
    let start = || with_help(attempt::run_command(&work.line, folder), work.advice.as_deref());
    if let Some(elsewhere) = &work.elsewhere {
        return remote_jobs::run(elsewhere, &work.line, folder, start);
    }
    let outcome = start();
    let outcome = match keep_report(work, folder) {
        Err(failed) if outcome == WorkOutcome::Exited(0) => failed,
        _ => outcome,
    };
    for failure in attempt::run_after_kill(&work.on_kill, folder) {
        note(folder, &format!("it may still run elsewhere: the command that ends it there {failure}"));
    }
    outcome
}

/// Stores the command's report of jobs and counters. JA018 when it is too large or cannot be written.
pub(crate) fn keep_report(work: &CommandWork, folder: &Path) -> Result<(), WorkOutcome> {
    let written = attempt::until_known(folder, || Report::written(folder, work.ending.most_ids()));
    let written = written
        .map_err(|error| command::failed(error.message()))?
        .map_err(|failure| WorkOutcome::Failed { code: failure.code, message: failure.message })?;
    let kept = written.map_or(Ok(()), |report| report.write(folder));
    kept.map_err(|error| command::failed(&error.to_string()))
}

/// Adds help to a failure to start the program.
pub(crate) fn with_help(outcome: WorkOutcome, advice: Option<&str>) -> WorkOutcome {
    match (outcome, advice) {
        (WorkOutcome::Failed { code, message }, Some(advice)) => {
            WorkOutcome::Failed { code, message: format!("{message}; {advice}") }
        }
        (outcome, _) => outcome,
    }
}

/// Checks all paths, then does the operations.
pub fn operate(work: &FileWork, folder: &Path) -> (usize, WorkOutcome) {
    let (done, result) =
        file_operations::execute(&work.operations, &work.limits, folder, &mut |text| note(folder, text));
    (done, blocked::outcome(result))
}

/// Does the operations of `prepare`, one by one without a check before.
pub fn prepare(work: &FileWork, folder: &Path) -> (usize, WorkOutcome) {
    let (done, result) =
        file_operations::in_order(&work.operations, &work.limits, folder, &mut |text| note(folder, text));
    let outcome = match result {
        Err(failure) => {
            command::failed(&format!("Prepare execution in the Launcher AM has failed, {}", failure.message))
        }
        done => blocked::outcome(done),
    };
    (done, outcome)
}

#[cfg(test)]
mod tests;
