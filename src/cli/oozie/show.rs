//! `oozie job -info` and what else only shows something of a job.

use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::session;
use crate::output::oozie::{Style, bundle, coordinator, workflow};
use howdah_answers::query::coordinator::ActionSelection;
use howdah_answers::query::filter::ActionsFilter;
use howdah_answers::query::stored::as_xml;
use howdah_answers::query::{self, Query};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::{ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::{JobId, JobKind, Target};

/// How many actions are shown when no number is given (`oozie.coord.actions.default.length`).
const MOST_ACTIONS: u32 = 1000;

impl Call<'_> {
    /// Runs a query and prints its text.
    fn print_query(&self, work: impl FnOnce(&mut Query<'_>) -> Result<String>) -> Done {
        let mut engine = session::query_engine(self.global)?;
        let text = query::run(&mut engine, self.now, work)?;
        print(text)
    }
}

/// `-info`.
pub(super) fn info(call: &Call<'_>, id: &str) -> Done {
    let target = call.target(id)?;
    let style = call.style();
    refuse_filter(call, &target)?;
    match &target {
        Target::Job(id) => match id.kind() {
            JobKind::Coordinator => coordinator_info(call, id, &style),
            JobKind::Workflow => workflow_info(call, id, &style),
            JobKind::Bundle => {
                let local = Call::local_zone();
                call.print_query(|query| Ok(bundle::info(&query.bundle_info(id)?, &style, &local)))
            }
        },
        Target::CoordinatorAction(id, number) if call.line.has("allruns") => {
            call.print_query(|query| Ok(workflow::runs(&query.runs_of_action(id, *number)?.workflows, &style)))
        }
        Target::CoordinatorAction(id, number) => {
            call.print_query(|query| Ok(coordinator::action(id, &query.coordinator_action_info(id, *number)?, &style)))
        }
        Target::Node(id, name) => call.print_query(|query| Ok(workflow::node(&query.node_info(id, name)?, &style))),
    }
}

/// Refuses `-filter` for everything but a coordinator job.
fn refuse_filter(call: &Call<'_>, target: &Target) -> Done {
    if call.line.value("filter").is_none() {
        return Ok(());
    }
    let what = match target {
        Target::Job(id) => match id.kind() {
            JobKind::Coordinator => return Ok(()),
            JobKind::Bundle => "currently not supported for a Bundle job",
            JobKind::Workflow => "currently not supported for a Workflow job",
        },
        Target::CoordinatorAction(..) if call.line.has("allruns") => return Ok(()),
        Target::CoordinatorAction(..) => "not supported for a Coordinator action",
        Target::Node(..) => "not supported for a Workflow action",
    };
    Err(Refusal::Client(format!("Filter option is {what}")))
}

fn coordinator_info(call: &Call<'_>, id: &JobId, style: &Style) -> Done {
    let filter = ActionsFilter::parse(call.line.value("filter").unwrap_or_default())?.matching()?;
    let is_descending = call.line.value("order") == Some("desc");
    let order = if is_descending { ActionOrder::NewestFirst } else { ActionOrder::OldestFirst };
    let page = Page { offset: call.positive("offset", 1)? - 1, len: call.at_least_zero("len", MOST_ACTIONS)? };
    let selection = ActionSelection { filter, order, page };
    call.print_query(|query| Ok(coordinator::info(&query.coordinator_info(id, &selection)?.job, style)))
}

fn workflow_info(call: &Call<'_>, id: &JobId, style: &Style) -> Done {
    let skip = (call.positive("offset", 1)? - 1) as usize;
    let most = call.positive("len", u32::MAX)? as usize;
    call.print_query(|query| {
        let job = query.workflow_info(id)?;
        let nodes = job.actions.as_deref().unwrap_or_default();
        let nodes = nodes.get(skip..).unwrap_or_default();
        Ok(workflow::info(&job, &nodes[..nodes.len().min(most)], style))
    })
}

/// `-retries`.
pub(super) fn retries(call: &Call<'_>, id: &str) -> Done {
    let Target::Node(job, name) = call.target(id)? else {
        return Err(Error::new(ErrorCode::E0302, id).into());
    };
    call.print_query(|query| {
        let node = query.node_info(&job, &name)?;
        Ok(workflow::retries(id, node.attempts.as_deref().unwrap_or_default()))
    })
}

/// `-missingdeps`, of one action or of those of `-action` and `-date`.
pub(super) fn missing_dependencies(call: &Call<'_>, id: &str) -> Done {
    let (job, scope) = match (call.target(id)?, call.scope()?) {
        (Target::CoordinatorAction(job, number), None) => (job, Scope::Numbers(ActionNumbers::one(number))),
        (Target::Job(job), Some(scope)) => (job, scope),
        _ => return Err(Refusal::Client("-missingdeps needs an action, or a job with -action or -date".to_owned())),
    };
    call.print_query(|query| {
        let open = query.open_inputs(&job, &scope, u32::MAX)?;
        Ok(open.iter().map(|(number, inputs)| coordinator::missing_dependencies(*number, inputs)).collect())
    })
}

/// `-definition`: the text as it was submitted, and the end of a line.
pub(super) fn definition(call: &Call<'_>, id: &str) -> Done {
    let target = call.target(id)?;
    call.print_query(|query| Ok(query.definition_of(&target)? + "\n"))
}

/// `-configcontent`.
pub(super) fn configuration(call: &Call<'_>, id: &str) -> Done {
    let id = call.job(id)?;
    call.print_query(|query| Ok(as_xml(&query.configuration(&id)?) + "\n"))
}
