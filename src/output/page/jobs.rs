//! The lists of jobs.

use crate::output::page::frame::{encoded, escaped, link, page, status, table};
use crate::output::table_zone::TableZone;
use howdah_answers::query::bundle::BundleJobsView;
use howdah_answers::query::coordinator::CoordinatorJobsView;
use howdah_answers::query::workflow::WorkflowJobsView;

/// Where the parts of a list before and behind this one are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// The word for the type of the jobs in a URL.
    pub(crate) kind: &'static str,
    pub(crate) filter: String,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    pub(crate) total: u32,
}

impl Links {
    fn url(&self, offset: u32) -> String {
        let filter = encoded(&self.filter);
        escaped(&format!("/?type={}&filter={filter}&offset={offset}", self.kind))
    }

    /// Returns the form of the filter, and the links to the other parts.
    fn around(&self, table: &str) -> String {
        let form = format!(
            "<form><input type=\"hidden\" name=\"type\" value=\"{}\"><label>Filter <input name=\"filter\" size=\"40\" \
             value=\"{}\" placeholder=\"status=RUNNING;name=load\"></label> <button>Show</button></form>\n",
            self.kind,
            escaped(&self.filter)
        );
        let last = self.offset.saturating_add(self.len).saturating_sub(1).min(self.total);
        let link = |offset: u32, name: &str| format!(" <a href=\"{}\">{name}</a>", self.url(offset));
        let newer = (self.offset > 1).then(|| link(self.offset.saturating_sub(self.len).max(1), "newer"));
        let older = (last < self.total).then(|| link(last + 1, "older"));
        let (first, total) = (self.offset.min(self.total), self.total);
        let (newer, older) = (newer.unwrap_or_default(), older.unwrap_or_default());
        format!("{form}{table}<p>{first} to {last} of {total}{newer}{older}</p>\n")
    }
}

/// Returns the page of coordinator jobs.
pub(crate) fn coordinators(view: &CoordinatorJobsView, links: &Links, zone: &TableZone) -> String {
    let heads = ["Name", "Status", "Waiting", "Failed", "Next", "Last success", "User", "Id"];
    let rows = view.coordinatorjobs.iter().map(|job| {
        [
            link(&job.coord_job_id, &job.coord_job_name),
            status(job.status.as_str()),
            job.waiting.to_string(),
            job.failed.to_string(),
            zone.cell(job.next_time),
            zone.cell(job.last_success_time),
            escaped(&job.user),
            link(&job.coord_job_id, &job.coord_job_id),
        ]
    });
    page("Coordinators", &links.around(&table(heads, rows)))
}

/// Returns the page of workflow jobs.
pub(crate) fn workflows(view: &WorkflowJobsView, links: &Links, zone: &TableZone) -> String {
    let heads = ["Name", "Status", "Started", "Ended", "Of", "Error", "User", "Id"];
    let rows = view.workflows.iter().map(|job| {
        [
            link(&job.id, &job.app_name),
            status(job.status.as_str()),
            zone.cell(job.start_time),
            zone.cell(job.end_time),
            job.parent_id.as_deref().map(|parent| link(parent, parent)).unwrap_or_default(),
            escaped(job.error.as_deref().unwrap_or_default()),
            escaped(&job.user),
            link(&job.id, &job.id),
        ]
    });
    page("Workflows", &links.around(&table(heads, rows)))
}

/// Returns the page of bundles.
pub(crate) fn bundles(view: &BundleJobsView, links: &Links, zone: &TableZone) -> String {
    let heads = ["Name", "Status", "Coordinators", "Kick-off", "Created", "User", "Id"];
    let rows = view.bundlejobs.iter().map(|job| {
        [
            link(&job.bundle_job_id, &job.bundle_job_name),
            status(job.status.as_str()),
            escaped(&job.tally),
            zone.cell(job.kickoff_time),
            zone.cell(Some(job.created_time)),
            escaped(&job.user),
            link(&job.bundle_job_id, &job.bundle_job_id),
        ]
    });
    page("Bundles", &links.around(&table(heads, rows)))
}
