//! The rows that the lists and sums over all coordinators show, as statements for the `sqlite3` command: each is found
//! by its key or by an index, and nothing is done with it.

/// What `jobs` shows of the newest 50 jobs.
pub(crate) fn page(jobs: u32) -> String {
    let newest = format!("job.job > {}", jobs.saturating_sub(50));
    [rows(&newest), counts(&newest), last_actions(&newest), oldest_open(&newest), delays(&newest), successes(&newest)]
        .concat()
}

/// What `jobs --sort attention` reads to choose the jobs, and what it shows of them.
pub(crate) fn attention(jobs: u32) -> String {
    [rows(ALL), oldest_open(ALL), delays(ALL), FAILURES.to_owned(), page(jobs)].concat()
}

/// What `status` shows.
pub(crate) fn status() -> String {
    [rows(ALL), oldest_open(ALL), delays(ALL), FAILURES.to_owned(), SUMS.to_owned()].concat()
}

/// What `metrics` shows.
pub(crate) fn metrics() -> String {
    [rows(ALL), counts(ALL), oldest_open(ALL), successes(ALL), SUMS.to_owned()].concat()
}

/// What `actions` shows: the latest changed ones.
pub(crate) const ACTIONS: &str = "SELECT * FROM coordinator_action INDEXED BY coordinator_action_successful
    WHERE status IN ('SUCCEEDED', 'IGNORED') ORDER BY modified_at DESC, job DESC, number DESC LIMIT 50;";

/// What `actions --late 1h` shows.
pub(crate) const LATE_ACTIONS: &str = "SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
    WHERE status = 'WAITING' ORDER BY modified_at DESC, job DESC, number DESC LIMIT 50;";

const ALL: &str = "job.status = 'RUNNING'";

const FAILURES: &str = "SELECT job, max(modified_at) FROM coordinator_action
    INDEXED BY coordinator_action_unsuccessful
    WHERE (status = 'KILLED' OR status = 'FAILED' OR status = 'TIMEDOUT') AND modified_at >= unixepoch() - 86400
    GROUP BY job;";

const SUMS: &str = "SELECT status, count(*) FROM coordinator_job GROUP BY status;
    SELECT status, sum(count) FROM coordinator_count GROUP BY status;";

fn rows(jobs: &str) -> String {
    format!("SELECT * FROM coordinator_job AS job WHERE {jobs} ORDER BY job DESC;")
}

fn counts(jobs: &str) -> String {
    format!(
        "SELECT count.* FROM coordinator_job AS job CROSS JOIN coordinator_count AS count USING (job) WHERE {jobs};"
    )
}

fn last_actions(jobs: &str) -> String {
    format!(
        "SELECT action.* FROM coordinator_job AS job CROSS JOIN coordinator_action AS action
            ON action.job = job.job AND action.number = job.last_action_number WHERE {jobs};"
    )
}

/// The oldest action of each job that has not ended.
fn oldest_open(jobs: &str) -> String {
    let oldest = |index: &str, statuses: &[&str]| {
        let statuses: Vec<String> = statuses.iter().map(|status| format!("action.status = '{status}'")).collect();
        format!(
            "(SELECT min(nominal_at) FROM coordinator_action AS action INDEXED BY {index}
                WHERE action.job = job.job AND ({}))",
            statuses.join(" OR ")
        )
    };
    let waiting = oldest("coordinator_action_waiting", &["WAITING"]);
    let active = oldest("coordinator_action_active", &["READY", "SUBMITTED", "RUNNING", "SUSPENDED"]);
    format!("SELECT job, {waiting}, {active} FROM coordinator_job AS job WHERE {jobs};")
}

/// How long the 20 actions before the last one took, which tells whether a job is late.
fn delays(jobs: &str) -> String {
    format!(
        "SELECT action.modified_at - action.nominal_at
            FROM coordinator_job AS job CROSS JOIN coordinator_action AS action ON action.job = job.job
                AND action.number BETWEEN job.last_action_number - 20 AND job.last_action_number - 1
            WHERE {jobs} AND action.status = 'SUCCEEDED';"
    )
}

/// The last success of each job.
fn successes(jobs: &str) -> String {
    format!(
        "SELECT job, (SELECT modified_at FROM coordinator_action AS action
            WHERE action.job = job.job AND action.number <= job.last_action_number AND action.status = 'SUCCEEDED'
            ORDER BY action.number DESC LIMIT 1) FROM coordinator_job AS job WHERE {jobs};"
    )
}
