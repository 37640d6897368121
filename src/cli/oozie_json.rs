//! What of the database Oozie's JSON is made of: for `serve` and for `--json=oozie`.

use serde_json::Value;

use crate::output::oozie_json::{self as json, WebStyle};
use howdah_answers::query::Query;
use howdah_answers::query::coordinator::{ActionSelection, Extent};
use howdah_answers::query::stored::as_xml;
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind, Target};

/// Returns a page of the jobs that match.
///
/// # Errors
/// A failure of the database.
pub(crate) fn list(
    query: &mut Query<'_>,
    kind: JobKind,
    (filter, page): (&JobFilter, Page),
    style: &WebStyle,
) -> Result<Value> {
    Ok(match kind {
        JobKind::Workflow => json::workflows(&query.workflow_jobs(filter, page)?, style),
        JobKind::Coordinator => json::coordinators(&query.coordinator_jobs(filter, page, Extent::Oozie)?, style),
        JobKind::Bundle => json::bundles(&query.bundle_jobs(filter, page)?, style),
    })
}

/// Returns a job, an action or a node. The selection chooses the actions of a coordinator job, and its page the nodes
/// of a workflow job.
///
/// # Errors
/// E0604, E0605 when there is no such job, action or node.
pub(crate) fn info(
    query: &mut Query<'_>,
    target: &Target,
    selection: &ActionSelection,
    style: &WebStyle,
) -> Result<Value> {
    match target {
        Target::Job(id) => job(query, id, selection, style),
        Target::CoordinatorAction(id, number) => {
            Ok(json::action(id.as_str(), &query.coordinator_action_info(id, *number)?, style))
        }
        Target::Node(id, name) => {
            let settings = query.node_settings(id)?;
            Ok(json::node(&query.node_info(id, name)?, settings.get(name), style))
        }
    }
}

fn job(query: &mut Query<'_>, id: &JobId, selection: &ActionSelection, style: &WebStyle) -> Result<Value> {
    let properties = query.configuration(id)?;
    // A configuration without a property is none to some clients.
    let configuration = (!properties.is_empty()).then(|| as_xml(&properties));
    let configuration = configuration.as_deref();
    Ok(match id.kind() {
        JobKind::Coordinator => json::coordinator(&query.coordinator_info(id, selection)?, configuration, style),
        JobKind::Bundle => json::bundle(&query.bundle_info(id)?, configuration, style),
        JobKind::Workflow => {
            let mut view = query.workflow_info(id)?;
            let nodes = view.actions.take().unwrap_or_default().into_iter();
            let page = nodes.skip(selection.page.offset as usize).take(selection.page.len as usize);
            let (mut shown, veil) = (Vec::new(), query.veil(id)?);
            for mut node in page {
                node.conf = query.node_body(id, &node.name, &veil)?;
                shown.push(node);
            }
            view.actions = Some(shown);
            json::workflow(&view, configuration, &query.node_settings(id)?, style)
        }
    })
}
