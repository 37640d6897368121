//! `howdah explain`: why something is in its current state, and which command to try next.

use clap::Args;

use crate::cli::args::{GlobalArgs, target};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::model::id::{JobKind, Target};
use crate::output::screen::Screen;
use crate::output::{explain, json};
use crate::query;

/// Say why a job or an action waits, is held back or failed
///
/// Checks everything at the moment of the call: which inputs exist, are missing, unreadable or not mounted, which job
/// writes them and what that job waits for; which instances `latest` and `future` tried; the tree of an input logic;
/// what the throttle, the concurrency, the order, a pause or a suspension delay and since when; the earliest start of
/// the action and its timeout; which node of its workflow failed with which error and where its log is. The output ends
/// with the commands to try next. It also explains an action that is not created yet, and a node that is not reached
/// yet.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah explain 0000000-261120093000123-howdah-C\n\
\x20 howdah explain 0000000-261120093000123-howdah-C@3\n\
\x20 howdah explain 0000001-261120093000123-howdah-W\n\
\x20 howdah explain --json 0000001-261120093000123-howdah-W@add-up")]
pub(crate) struct ExplainArgs {
    /// A coordinator job, an action of it (JOB@3), a workflow job, a node of it (WF@node) or a bundle
    #[arg(value_name = "JOB[@PART]")]
    job: String,
}

/// Explains a job or an action.
pub(crate) fn explain(global: &GlobalArgs, arguments: &ExplainArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let target = target(&arguments.job)?;
    let mut engine = session::query_engine(global)?;
    let mut explanation = query::run(&mut engine, now, |query| match &target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => query.explain_job(id),
        Target::Job(id) if id.kind() == JobKind::Bundle => query.explain_bundle(id),
        Target::Job(id) => query.explain_workflow(id),
        Target::CoordinatorAction(id, number) => query.explain_action(id, *number),
        Target::Node(id, name) => query.explain_node(id, name),
    })?;
    let options = session::repeated_options(global);
    for command in &mut explanation.next {
        command.add_options(&options);
    }
    let mut screen = Screen::open();
    if global.json {
        json::print(&mut screen, &explanation)?;
    } else {
        screen.write(explain::render(&explanation, screen.layout()))?;
    }
    Ok(Status::Done)
}
