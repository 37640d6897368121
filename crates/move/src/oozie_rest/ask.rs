//! The requests whose answers are read, and the names of the files in which a folder has the same answers.

use howdah_words::model::id::JobKind;

/// How many jobs or actions one request asks for.
pub const PAGE: u32 = 1000;

/// The statuses of jobs that are not over, as Oozie's filters name them.
const LIVE: [&str; 9] = [
    "PREP",
    "PREPPAUSED",
    "PREPSUSPENDED",
    "RUNNING",
    "RUNNINGWITHERROR",
    "SUSPENDED",
    "SUSPENDEDWITHERROR",
    "PAUSED",
    "PAUSEDWITHERROR",
];

/// A request to Oozie's web services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// A page of the jobs of a kind: those that are not over; all workflow jobs, the newest first.
    Jobs(JobKind, u32),
    /// A job, with a page of its actions; the number is that of the first one on the page, from 1.
    Job(&'a str, u32),
    /// The definition of a job as it was submitted.
    Definition(&'a str),
}

impl Ask<'_> {
    /// Returns the path of the request below the address of the web services.
    pub fn path(&self) -> String {
        match self {
            Self::Jobs(kind, offset) => {
                let filter = live_filter(*kind);
                let word = word(*kind);
                format!("v1/jobs?jobtype={word}&offset={offset}&len={PAGE}&timezone=GMT{filter}")
            }
            Self::Job(id, offset) => format!("v1/job/{id}?show=info&offset={offset}&len={PAGE}&timezone=GMT"),
            Self::Definition(id) => format!("v1/job/{id}?show=definition"),
        }
    }

    /// Returns the name of the file with the answer.
    pub fn file_name(&self) -> String {
        match self {
            Self::Jobs(kind, offset) => format!("jobs-{}-{offset}.json", word(*kind)),
            Self::Job(id, offset) => format!("job-{id}-{offset}.json"),
            Self::Definition(id) => format!("definition-{id}.xml"),
        }
    }
}

/// Returns the word of a kind of jobs in requests and in names of files.
pub(super) fn word(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Coordinator => "coord",
        JobKind::Workflow => "wf",
        JobKind::Bundle => "bundle",
    }
}

/// Returns the parameter that leaves jobs out that are over; no parameter for workflow jobs, whose times are needed.
pub(super) fn live_filter(kind: JobKind) -> String {
    if kind == JobKind::Workflow {
        return String::new();
    }
    format!("&filter={}", LIVE.map(|status| format!("status%3D{status}")).join("%3B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_files_are_named() {
        let check = |ask: Ask<'_>, path: &str, file: &str| {
            assert!(ask.path().starts_with(path), "{}", ask.path());
            assert_eq!(ask.file_name(), file);
        };
        check(
            Ask::Jobs(JobKind::Coordinator, 1001),
            "v1/jobs?jobtype=coord&offset=1001&len=1000&timezone=GMT&filter=status%3DPREP%3Bstatus%3D",
            "jobs-coord-1001.json",
        );
        check(Ask::Jobs(JobKind::Workflow, 1), "v1/jobs?jobtype=wf&offset=1&len=1000&timezone=GMT", "jobs-wf-1.json");
        check(Ask::Job("1-C", 1), "v1/job/1-C?show=info&offset=1&len=1000&timezone=GMT", "job-1-C-1.json");
        check(Ask::Definition("1-C"), "v1/job/1-C?show=definition", "definition-1-C.xml");
    }
}
