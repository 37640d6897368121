//! `howdah explain`: why something is in its current state, and which command to try next.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::error::Result;
use crate::model::id::{JobKind, Target};
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{explain, json};
use crate::query::explain::explanation::Explanation;
use crate::query::{self, Query};

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
    /// Coordinator jobs, actions of them (JOB@3), workflow jobs, nodes of them (WF@node) or bundles
    #[arg(required = true, value_name = "JOB[@PART]")]
    jobs: Vec<String>,
}

/// Explains a job or an action.
pub(crate) fn explain(global: &GlobalArgs, arguments: &ExplainArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let targets = Targets::new(global).each(&arguments.jobs)?;
    let mut engine = session::query_engine(global)?;
    let explained = query::run(&mut engine, now, |query| {
        targets.iter().map(|target| explanation(query, target)).collect::<Result<Vec<Explanation>>>()
    });
    let mut explanations = explained?;
    let options = session::repeated_options(global);
    for command in explanations.iter_mut().flat_map(|explanation| &mut explanation.next) {
        command.add_options(&options);
    }
    let mut screen = Screen::open();
    let layout = screen.layout();
    let texts = explanations.iter().map(|explanation| match global.form() {
        Form::Json => json::text(explanation),
        Form::Text | Form::Quiet => explain::render(explanation, layout),
    });
    let texts: Vec<String> = texts.collect();
    screen.write(if global.json { json::together(&texts) } else { texts.join("\n") })?;
    Ok(Status::Done)
}

fn explanation(query: &mut Query<'_>, target: &Target) -> Result<Explanation> {
    match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => query.explain_job(id),
        Target::Job(id) if id.kind() == JobKind::Bundle => query.explain_bundle(id),
        Target::Job(id) => query.explain_workflow(id),
        Target::CoordinatorAction(id, number) => query.explain_action(id, *number),
        Target::Node(id, name) => query.explain_node(id, name),
    }
}
