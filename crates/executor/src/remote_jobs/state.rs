//! How a job on a cluster ended. The launcher's exit status shows it only when the launcher waits for the job;
//! otherwise the cluster is queried.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::ids;
use super::watch::Watch;
use crate::note::note;
use crate::remote_jobs::cluster::{Elsewhere, FinalState, SparkCluster};
use howdah_host::command::{self, CommandLine, WorkOutcome};
use howdah_host::http::HttpClient;
use howdah_host::{attempt, brief_command, clock};

/// Time between two queries.
const PAUSE: Duration = Duration::from_secs(2);
/// Time limit of one query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit of a query to a REST server.
const REST_TIMEOUT: Duration = Duration::from_secs(5);
/// How many queries in a row may fail.
const MOST_FAILURES: usize = 5;
/// Longest answer, in bytes.
const MOST_OUTPUT: u64 = 64 * 1024;

/// The state of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Open,
    Good,
    /// With the state that the cluster reports.
    Bad(String),
    /// The query program is not installed: the launcher's exit status counts.
    NotQueried,
}

/// Whether jobs of a launcher may still run after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jobs {
    Over,
    MayRun,
}

/// The result of a launcher's work.
#[derive(Debug)]
pub(super) struct Settled {
    pub outcome: WorkOutcome,
    pub jobs: Jobs,
}

impl Settled {
    /// Uses the state that the cluster reported.
    fn known(outcome: WorkOutcome) -> Self {
        Self { outcome, jobs: Jobs::Over }
    }

    /// Uses only the launcher's exit status: a successful launcher has waited for its jobs, a failed one may have left
    /// them running.
    fn from_launcher(outcome: WorkOutcome) -> Self {
        let jobs = if outcome == WorkOutcome::Exited(0) { Jobs::Over } else { Jobs::MayRun };
        Self { outcome, jobs }
    }
}

/// A launcher, and the folder of its attempt.
#[derive(Clone, Copy)]
pub(crate) struct Launcher<'a> {
    pub line: &'a CommandLine,
    pub folder: &'a Path,
}

/// Returns the outcome of a launcher that has ended with `outcome`: the outcome of its job. Waits for the job and
/// stores its counters. Without the id of a job, the launcher's own outcome counts.
pub(super) fn settle(
    elsewhere: &Elsewhere,
    outcome: WorkOutcome,
    watch: &mut Watch,
    launcher: Launcher<'_>,
) -> Settled {
    let mut jobs = watch.report.jobs.iter().rev();
    match (&elsewhere.end, &elsewhere.spark) {
        (FinalState::Driver, Some(cluster)) => match jobs.find(|id| id.starts_with("driver-")).cloned() {
            Some(id) => settle_driver(cluster, &id, outcome, (watch, launcher.folder)),
            None if outcome == WorkOutcome::Exited(0) => Settled::from_launcher(command::failed(
                "spark-submit ended without naming a driver; see its standard error",
            )),
            None => Settled::from_launcher(outcome),
        },
        (FinalState::Application, _) => match jobs.find_map(|id| ids::application(id)) {
            Some(id) => wait(&id, outcome, launcher.folder, || {
                query_program(&elsewhere.yarn, ["application", "-status", &id], launcher, application_state)
            }),
            None => Settled::from_launcher(outcome),
        },
        (FinalState::Job { mapred }, _) => match jobs.find(|id| id.starts_with("job_")).cloned() {
            Some(id) => wait(&id, outcome, launcher.folder, || {
                query_program(mapred, ["job", "-status", &id], launcher, |report| {
                    watch.read_counters(report);
                    job_state(report)
                })
            }),
            None => Settled::from_launcher(outcome),
        },
        (FinalState::Launcher | FinalState::Driver, _) => Settled::from_launcher(outcome),
    }
}

/// Returns the driver's end as the launcher reports it, if it has waited for it, else as the master reports it.
fn settle_driver(cluster: &SparkCluster, id: &str, outcome: WorkOutcome, (watch, folder): (&Watch, &Path)) -> Settled {
    let reported = watch.driver.as_ref().filter(|(reported, _)| reported == id).map(|(_, word)| driver_state(word));
    if let Some(Ok(state @ (State::Good | State::Bad(_)))) = reported {
        return ended(id, state, outcome);
    }
    if let Some(rest) = &cluster.rest {
        return wait(id, outcome, folder, || query_master(rest, id));
    }
    let advice = "set howdah.spark.rest in the site file to the host:port of the master's REST server";
    Settled::from_launcher(command::failed(&format!(
        "the final state of {id} is not known, it may still run: spark-submit ended before it; {advice}"
    )))
}

/// Queries the state until the job is over or the attempt is to end.
fn wait(id: &str, outcome: WorkOutcome, folder: &Path, mut query: impl FnMut() -> Result<State, String>) -> Settled {
    let mut failures = 0;
    while !attempt::is_kill_requested(folder) {
        match query() {
            Ok(State::Open) => failures = 0,
            Ok(state) => return ended(id, state, outcome),
            Err(why) => {
                failures += 1;
                note(folder, &format!("the state of {id} cannot be read: {why}"));
                if failures >= MOST_FAILURES {
                    let message = format!("the final state of {id} is not known, it may still run: {why}");
                    return Settled::from_launcher(command::failed(&message));
                }
            }
        }
        clock::pause(PAUSE);
    }
    Settled { outcome, jobs: Jobs::MayRun }
}

fn ended(id: &str, state: State, outcome: WorkOutcome) -> Settled {
    match state {
        State::Good => Settled::known(WorkOutcome::Exited(0)),
        State::Bad(words) => {
            Settled::known(command::failed(&format!("{id} ended as {words}; see its log on the cluster")))
        }
        State::Open | State::NotQueried => Settled::from_launcher(outcome),
    }
}

/// Returns the state in a word of Spark's; UNKNOWN is its own word for a driver whose master is being recovered.
fn driver_state(word: &str) -> Result<State, String> {
    match word {
        "FINISHED" => Ok(State::Good),
        "FAILED" | "KILLED" | "ERROR" => Ok(State::Bad(word.to_owned())),
        "SUBMITTED" | "RUNNING" | "RELAUNCHING" | "UNKNOWN" => Ok(State::Open),
        _ => Err(unknown_state("driverState", word)),
    }
}

/// Returns the message for an answer without a known state.
fn unknown_state(name: &str, word: &str) -> String {
    format!("the answer has [{name}: {word}], which is no state of a job that howdah knows")
}

/// Queries the master of a standalone cluster over REST.
fn query_master(rest: &str, id: &str) -> Result<State, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Status {
        driver_state: Option<String>,
        message: Option<String>,
    }
    let url = format!("http://{rest}/v1/submissions/status/{id}");
    let text = HttpClient::new(REST_TIMEOUT, None).text(&url, MOST_OUTPUT)?;
    let status: Status = serde_json::from_str(&text).map_err(|error| format!("{url}: {error}"))?;
    let word = status.driver_state.ok_or_else(|| format!("{url}: {}", status.message.unwrap_or_default()))?;
    driver_state(&word)
}

/// Queries a program of Hadoop; without it, the launcher's exit status counts.
fn query_program(
    program: &str,
    query: [&str; 3],
    launcher: Launcher<'_>,
    read: impl FnOnce(&str) -> Result<State, String>,
) -> Result<State, String> {
    let line = CommandLine {
        program: program.to_owned(),
        arguments: query.map(str::to_owned).into(),
        ..launcher.line.clone()
    };
    match brief_command::ask(&line, QUERY_TIMEOUT, MOST_OUTPUT) {
        Ok(answer) if answer.status.is_some_and(|status| status.success()) => read(&answer.output),
        Ok(answer) => Err(format!("{program} {}: {}", query.join(" "), answer.output.trim())),
        Err(error) => {
            note(
                launcher.folder,
                &format!("{program} cannot be run ({error}): the exit status of the launcher counts"),
            );
            Ok(State::NotQueried)
        }
    }
}

/// Returns the state in a report of `mapred job -status`.
fn job_state(report: &str) -> Result<State, String> {
    match value(report, "Job state") {
        "SUCCEEDED" => Ok(State::Good),
        state @ ("FAILED" | "KILLED") => Ok(State::Bad(state.to_owned())),
        "PREP" | "RUNNING" => Ok(State::Open),
        other => Err(unknown_state("Job state", other)),
    }
}

/// Returns the value of a line `name : value`.
fn value<'a>(report: &'a str, name: &str) -> &'a str {
    let line = report.lines().find_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix(':'));
    line.map(str::trim).unwrap_or_default()
}

/// Returns the state in a report of `yarn application -status`.
fn application_state(report: &str) -> Result<State, String> {
    match (value(report, "State"), value(report, "Final-State")) {
        ("FINISHED", "SUCCEEDED") => Ok(State::Good),
        ("FINISHED", last @ ("FAILED" | "KILLED")) => Ok(State::Bad(last.to_owned())),
        (state @ ("FAILED" | "KILLED"), _) => Ok(State::Bad(state.to_owned())),
        ("NEW" | "NEW_SAVING" | "SUBMITTED" | "ACCEPTED" | "RUNNING", _) => Ok(State::Open),
        ("FINISHED", last) => Err(unknown_state("Final-State", last)),
        (state, _) => Err(unknown_state("State", state)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRANGE: &str = "unknown_state";

    fn check(got: &Result<State, String>, expect: &Result<State, &str>) {
        assert_eq!(got.as_ref().map_err(|_| STRANGE), expect.as_ref().map_err(|unknown_state| *unknown_state));
    }

    #[test]
    fn reads_the_report_of_an_application() {
        let check = |state: &str, last: &str, expect: &Result<State, &str>| {
            let report = format!(
                "Application Report : \n\tApplication-Id : application_1_2\n\tState : {state}\n\tFinal-State : {last}\n\
                 \tTracking-URL : http://x:1/State : KILLED\n"
            );
            check(&application_state(&report), expect);
        };
        check("FINISHED", "SUCCEEDED", &Ok(State::Good));
        check("FINISHED", "FAILED", &Ok(State::Bad("FAILED".to_owned())));
        check("KILLED", "KILLED", &Ok(State::Bad("KILLED".to_owned())));
        check("RUNNING", "UNDEFINED", &Ok(State::Open));
        check("FINISHED", "UNDEFINED", &Err(STRANGE));
        check("LOST", "UNDEFINED", &Err(STRANGE));
    }

    #[test]
    fn reads_the_status_of_a_job() {
        let check = |state: &str, expect: &Result<State, &str>| {
            let report = format!("\nJob: job_1_2\nreduce() completion: 1.0\nJob state: {state}\nretired: false\n");
            check(&job_state(&report), expect);
        };
        check("SUCCEEDED", &Ok(State::Good));
        check("KILLED", &Ok(State::Bad("KILLED".to_owned())));
        check("PREP", &Ok(State::Open));
        check("HELD", &Err(STRANGE));
    }

    #[test]
    fn a_text_without_a_job_is_an_error() {
        for got in [application_state(""), job_state(""), driver_state("")] {
            check(&got, &Err(STRANGE));
        }
        check(&driver_state("RELAUNCHING"), &Ok(State::Open));
        check(&driver_state("ERROR"), &Ok(State::Bad("ERROR".to_owned())));
        check(&driver_state("SLEEPING"), &Err(STRANGE));
    }
}
