//! A workflow of one action, run with the settings of a site.

use crate::application::{action, workflow};
use crate::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// Submits a workflow whose only action, `work`, has this body; returns its id. `site` is the text of a properties
/// file.
pub fn begin(sandbox: &Sandbox, site: &str, body: &str) -> String {
    workflow(sandbox, "app", "work", &[action("work", body, "end", "")]);
    let site = sandbox.write("site.properties", site);
    let submit = sandbox.howdah(["submit", "--site"]).with(site).at(NOW);
    let submit = submit.define("oozie.wf.application.path", &sandbox.text("app"));
    submit.define("sandbox", &sandbox.text("")).succeed().job()
}

/// As [`begin`], waits until nothing runs, and returns `job status, node status, code: message`.
pub fn run(sandbox: &Sandbox, site: &str, body: &str) -> String {
    let job = begin(sandbox, site, body);
    sandbox.await_quiet();
    outcome(sandbox, &job)
}

/// Kills a job, waits until nothing runs, and returns as [`run`].
pub fn kill(sandbox: &Sandbox, job: &str) -> String {
    let site = sandbox.text("site.properties");
    sandbox.howdah(["kill", job, "--site", &site]).at(NOW).succeed();
    sandbox.await_quiet();
    outcome(sandbox, job)
}

/// Returns `job status, node status, code: message`.
pub fn outcome(sandbox: &Sandbox, job: &str) -> String {
    let database = sandbox.database();
    database.check();
    database.value(&format!(
        "SELECT w.status || ', ' || n.status || coalesce(', ' || n.error_code || ': ' || n.error_message, '')
         FROM workflow_job w JOIN workflow_node n USING (job) WHERE id = '{job}' AND n.name = 'work'"
    ))
}

/// The folder of the only attempt, below the sandbox.
pub fn attempt(sandbox: &Sandbox) -> String {
    let directory = sandbox.database().value("SELECT directory FROM attempt ORDER BY attempt DESC LIMIT 1");
    directory.strip_prefix(&format!("{}/", sandbox.text(""))).expect("below the sandbox").to_owned()
}
