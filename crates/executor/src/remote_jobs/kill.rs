//! Ends the jobs of a killed action on their cluster, after the launcher itself was stopped.

use std::path::Path;
use std::time::Duration;

use super::ids;
use crate::note::note;
use crate::remote_jobs::cluster::{Elsewhere, SparkCluster};
use howdah_host::brief_command;
use howdah_host::command::CommandLine;

/// Time limit of one command: it starts a JVM and queries a server.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// Most jobs that are ended; a launcher has one at a time, or a few.
const MOST: usize = 20;
/// How much of a command's output is kept, in bytes.
const MOST_OUTPUT: u64 = 2000;

/// Ends the jobs, the latest first: earlier ones are often over. The results are written to the attempt's standard
/// error.
pub(super) fn all(elsewhere: &Elsewhere, jobs: &[String], launcher: &CommandLine, folder: &Path) {
    for id in jobs.iter().rev().take(MOST) {
        let Some((program, arguments)) = command(elsewhere, id) else { continue };
        let shown = format!("{program} {}", arguments.join(" "));
        let line = CommandLine { program, arguments, ..launcher.clone() };
        let done = match brief_command::ask(&line, COMMAND_TIMEOUT, MOST_OUTPUT) {
            Ok(answer) => match answer.failure(COMMAND_TIMEOUT) {
                Some(why) => format!("{id} may still run: it {why}"),
                None => "done".to_owned(),
            },
            Err(error) => format!("{id} may still run: it cannot be started: {error}"),
        };
        note(folder, &format!("{shown}: {done}"));
    }
}

/// Returns the command that ends a job; none for one that ended with its launcher.
fn command(elsewhere: &Elsewhere, id: &str) -> Option<(String, Vec<String>)> {
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if let Some(application) = ids::application(id) {
        return Some((elsewhere.yarn.clone(), texts(&["application", "-kill", &application])));
    }
    let SparkCluster { submit, master, rest } = elsewhere.spark.as_ref().filter(|_| id.starts_with("driver-"))?;
    let arguments = if let Some(rest) = rest {
        texts(&["--master", &format!("spark://{rest}"), "--kill", id])
    } else {
        // Without a REST server, the class that submitted the driver uses the master's own protocol.
        let client = "org.apache.spark.deploy.Client";
        texts(&["--master", "local", "--class", client, "spark-internal", "kill", master, id])
    };
    Some((submit.clone(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_jobs::cluster::FinalState;

    fn check(rest: Option<&str>, id: &str, expect: Option<&str>) {
        let spark = SparkCluster {
            submit: "spark-submit".to_owned(),
            master: "spark://m:7077".to_owned(),
            rest: rest.map(str::to_owned),
        };
        let elsewhere = Elsewhere { yarn: "yarn".to_owned(), spark: Some(spark), end: FinalState::Driver };
        let command = command(&elsewhere, id).map(|(program, arguments)| format!("{program} {}", arguments.join(" ")));
        assert_eq!(command.as_deref(), expect, "{id}");
    }

    #[test]
    fn each_job_is_ended_where_it_runs() {
        check(None, "job_1_2", Some("yarn application -kill application_1_2"));
        check(None, "application_1_2", Some("yarn application -kill application_1_2"));
        check(None, "job_local1_2", None);
        check(Some("m:6066"), "driver-1", Some("spark-submit --master spark://m:6066 --kill driver-1"));
        let client = "spark-submit --master local --class org.apache.spark.deploy.Client spark-internal";
        check(None, "driver-1", Some(&format!("{client} kill spark://m:7077 driver-1")));
    }
}
