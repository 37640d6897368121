//! The ids of jobs in what launchers print, and the states of Spark's drivers.
//!
//! The phrases are those of Hadoop's client, Hive, Pig, Sqoop and Spark; only an id that follows one of them counts, so
//! an id in data is not read as a job.

/// The texts before the id of a job that the launcher started.
const PHRASES: [&str; 13] = [
    "Submitted application ",
    "Running with YARN Application = ",
    "Submitting tokens for job: ",
    "Running job: ",
    "Created job ",
    "Starting Job = ",
    "Ended Job = ",
    "HadoopJobId: ",
    "Job complete: ",
    "Driver successfully submitted as ",
    "Submission successfully created as ",
    "\"submissionId\" : \"",
    // "Job job_1_1 has completed successfully"; the other phrases with this end are above.
    "Job ",
];
/// Prefixes of ids: of YARN, of `MapReduce`, of a standalone cluster of Spark.
const PREFIXES: [&str; 3] = ["application_", "job_", "driver-"];
/// Longest id.
const LONGEST: usize = 100;

/// Returns the id of a job in a line of a launcher's output.
pub(super) fn job(line: &str) -> Option<&str> {
    PHRASES.iter().find_map(|phrase| line.match_indices(phrase).find_map(|(at, _)| id(&line[at + phrase.len()..])))
}

/// Returns the driver and its state in a line of `spark-submit`: `State of driver-1 is FAILED`.
pub(super) fn driver_state(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("State of ")?;
    let rest = rest.strip_prefix("driver ").unwrap_or(rest);
    let driver = id(rest)?;
    let state = rest[driver.len()..].strip_prefix(" is ")?;
    Some((driver, state.split(|letter: char| !letter.is_ascii_uppercase()).next().unwrap_or_default()))
}

/// Returns the YARN application of a job: `job_1_2` is the job of `application_1_2`; none for a job inside the
/// launcher.
pub(super) fn application(id: &str) -> Option<String> {
    let number = id.strip_prefix("application_").or_else(|| id.strip_prefix("job_"))?;
    number.starts_with(|first: char| first.is_ascii_digit()).then(|| format!("application_{number}"))
}

/// Returns the id at the beginning of a text.
fn id(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')));
    let id = &text[..end.unwrap_or(text.len())];
    (id.len() <= LONGEST && PREFIXES.iter().any(|start| id.starts_with(start) && id.len() > start.len())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<&str>) {
        assert_eq!(job(line), expect, "{line}");
    }

    #[test]
    fn ids_are_found_where_launchers_print_them() {
        check("21/01/01 INFO impl.YarnClientImpl: Submitted application application_1_2", Some("application_1_2"));
        check("INFO mapreduce.Job: Running job: job_local280750554_0001", Some("job_local280750554_0001"));
        check("Starting Job = job_1_2, Tracking URL = http://rm/proxy/application_1_2/", Some("job_1_2"));
        check("Job job_1_2 has completed successfully", Some("job_1_2"));
        check(
            "INFO ClientEndpoint: Driver successfully submitted as driver-20260101-0000",
            Some("driver-20260101-0000"),
        );
        check("  \"submissionId\" : \"driver-20260101-0000\",", Some("driver-20260101-0000"));
        check("HadoopJobId: job_1_2", Some("job_1_2"));
        check("Running with YARN Application = application_1_2", Some("application_1_2"));
        check("Running job: job_", None);
        check("job_1_2 is an id in somebody's data", None);
        check("Job done: job_1_2", None);
        check(&format!("Running job: job_{}", "1".repeat(200)), None);
        check("Running job: ä", None);
        check("", None);
    }

    #[test]
    fn states_of_drivers_are_read() {
        let check = |line: &str, expect: Option<(&str, &str)>| assert_eq!(driver_state(line), expect, "{line}");
        check("INFO ClientEndpoint: State of driver-1-2 is RUNNING", Some(("driver-1-2", "RUNNING")));
        check("State of driver driver-1-2 is FAILED, exiting spark-submit JVM.", Some(("driver-1-2", "FAILED")));
        check("State of the art is RUNNING", None);
        check("State of driver-1-2 was good", None);
    }

    #[test]
    fn jobs_have_applications() {
        for (id, expect) in [
            ("application_1_2", Some("application_1_2")),
            ("job_1_2", Some("application_1_2")),
            ("job_local1_2", None),
            ("driver-1", None),
        ] {
            assert_eq!(application(id).as_deref(), expect, "{id}");
        }
    }
}
