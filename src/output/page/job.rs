//! The page of a job, an action or a node: why it is in its state, and what is in it.

use crate::output::page::frame::{encoded, escaped, link, page, status, table};
use crate::output::screen::Layout;
use crate::output::table_zone::TableZone;
use crate::output::{explain, graph};
use howdah_answers::query::bundle::BundleJobView;
use howdah_answers::query::coordinator::CoordinatorInfo;
use howdah_answers::query::explain::explanation::Explanation;
use howdah_answers::query::graph::GraphNode;
use howdah_answers::query::workflow::WorkflowJobView;

/// What is in a job.
pub(crate) enum Detail {
    Coordinator(Box<CoordinatorInfo>),
    Workflow(Box<WorkflowJobView>, Vec<GraphNode>),
    Bundle(Box<BundleJobView>),
    /// An action, with the workflow jobs that it has run.
    Action(Vec<WorkflowJobView>),
    /// A node.
    Node,
}

/// Returns the page of a job.
pub(crate) fn job(explanation: &Explanation, detail: &Detail, zone: &TableZone) -> String {
    let why = explain::render(explanation, Layout::default());
    let inside = match detail {
        Detail::Coordinator(info) => actions(info, zone),
        Detail::Workflow(job, nodes) => self::nodes(job, nodes, zone),
        Detail::Bundle(job) => members(job, zone),
        Detail::Action(runs) => self::runs(runs, zone),
        Detail::Node => String::new(),
    };
    let is_coordinator = matches!(detail, Detail::Coordinator(_));
    let body = format!("{}<pre>{}</pre>\n{inside}", links(&explanation.id, is_coordinator), escaped(&why));
    page(&format!("{} {}", explanation.name, explanation.id), &body)
}

/// Returns the links to the logs of a job, and to its definition.
fn links(id: &str, is_coordinator: bool) -> String {
    let (job, id) = (encoded(id.split('@').next().unwrap_or(id)), encoded(id));
    let link = |place: &str, name: &str| format!("<a href=\"/job/{place}\">{name}</a>");
    let links = [
        Some(link(&format!("{id}/log"), "Log")),
        Some(link(&format!("{id}/history"), "History")),
        Some(link(&format!("{job}/definition"), "Definition")),
        is_coordinator.then(|| link(&format!("{id}/calendar"), "Calendar")),
        (job != id).then(|| link(&job, "Whole job")),
    ];
    format!("<p>{}</p>\n", links.into_iter().flatten().collect::<Vec<String>>().join(" "))
}

fn actions(info: &CoordinatorInfo, zone: &TableZone) -> String {
    let heads = ["Action", "Status", "Nominal time", "Created", "Workflow", "Waits for, or error"];
    let rows = info.job.actions.iter().flatten().map(|action| {
        let reason = action.error_message.as_deref().or(action.missing_dependencies.first().map(String::as_str));
        let workflow = action.external_id.as_deref();
        [
            link(&action.id, &action.action_number.to_string()),
            status(action.status.as_str()),
            zone.cell(Some(action.nominal_time)),
            zone.cell(Some(action.created_time)),
            workflow.map(|workflow| link(workflow, workflow)).unwrap_or_default(),
            escaped(reason.unwrap_or_default()),
        ]
    });
    format!("<h2>Latest actions ({} in all)</h2>\n{}", info.matching, table(heads, rows))
}

fn nodes(job: &WorkflowJobView, graph: &[GraphNode], zone: &TableZone) -> String {
    let heads = ["Node", "Type", "Status", "Started", "Ended", "Error"];
    let rows = job.actions.iter().flatten().map(|node| {
        [
            link(&node.id, &node.name),
            escaped(&node.kind),
            status(node.status.as_str()),
            zone.second_cell(node.start_time),
            zone.second_cell(node.end_time),
            escaped(node.error_message.as_deref().unwrap_or_default()),
        ]
    });
    let parent = job.parent_id.as_deref().map(|parent| format!("<p>Of {}</p>\n", link(parent, parent)));
    let picture = graph::svg(graph, false);
    format!(
        "{}<h2>Nodes</h2>\n{}<h2>Graph</h2>\n<div class=\"graph\">{picture}</div>\n",
        parent.unwrap_or_default(),
        table(heads, rows)
    )
}

fn members(job: &BundleJobView, zone: &TableZone) -> String {
    let heads = ["Coordinator", "Status", "Waiting", "Failed", "Next"];
    let rows = job.bundle_coord_jobs.iter().flatten().map(|member| {
        [
            link(&member.coord_job_id, &member.coord_job_name),
            status(member.status.as_str()),
            member.waiting.to_string(),
            member.failed.to_string(),
            zone.cell(member.next_time),
        ]
    });
    format!("<h2>Coordinators</h2>\n{}", table(heads, rows))
}

fn runs(runs: &[WorkflowJobView], zone: &TableZone) -> String {
    let rows = runs.iter().map(|run| {
        [link(&run.id, &run.id), status(run.status.as_str()), zone.cell(run.start_time), zone.cell(run.end_time)]
    });
    format!("<h2>Workflow jobs</h2>\n{}", table(["Id", "Status", "Started", "Ended"], rows))
}

/// Returns a page with a text, such as a log; `id` is the job that it belongs to.
pub(crate) fn text(what: &str, id: &str, text: &str) -> String {
    let body = format!("<p>{}</p>\n<pre>{}</pre>\n", link(id, id), escaped(text));
    page(&format!("{what} of {id}"), &body)
}
