//! `howdah info`: a job with its actions or nodes, or one of them.

use clap::{Args, ValueEnum};

use crate::cli::args::{GlobalArgs, target};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::view::coordinator::ActionSelection;
use crate::engine::view::filter::ActionsFilter;
use crate::engine::view;
use crate::error::{Error, ErrorCode};
use crate::model::id::{JobKind, Target};
use crate::output::screen::Screen;
use crate::output::{info, json};
use crate::store::{ActionOrder, Page};

/// Show a job and its actions, or one action or node
///
/// Of a coordinator job: what was submitted, and a table of its actions with status, nominal time, workflow job, error
/// code and the first path that is not there. Of a workflow job: its nodes. Missing paths are looked for now.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah info 0000000-261120093000123-howdah-C\n\
\x20 howdah info 0000000-261120093000123-howdah-C --filter status=FAILED --order desc --len 20\n\
\x20 howdah info 0000000-261120093000123-howdah-C@3\n\
\x20 howdah info 0000001-261120093000123-howdah-W@add-up")]
pub(crate) struct InfoArgs {
    /// A coordinator job, an action of it (JOB@3), a workflow job or a node of it (WF@node)
    #[arg(value_name = "JOB[@PART]")]
    job: String,
    /// Only the actions that match: comparisons separated by `;`, such as status=FAILED, status!=SUCCEEDED or
    /// nominaltime>=2026-03-01T00:00Z
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// The first action to show, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    offset: u32,
    /// How many actions to show
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    len: u32,
    /// The order of the nominal times
    #[arg(long, value_enum, default_value = "asc", value_name = "ORDER")]
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Asc,
    Desc,
}

/// Shows a job, an action or a node.
pub(crate) fn info(global: &GlobalArgs, arguments: &InfoArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let target = target(&arguments.job)?;
    let selection = selection(arguments, &target)?;
    let mut engine = session::existing_engine(global)?;
    let mut screen = Screen::open();
    let layout = screen.layout();
    let text = view::look(&mut engine, now, |look| {
        Ok(match &target {
            Target::Job(id) if id.kind() == JobKind::Coordinator => {
                let view = look.coordinator_info(id, &selection)?;
                if global.json { json::text(&view.job) } else { info::coordinator(&view, layout) }
            }
            Target::Job(id) => {
                let view = look.workflow_info(id)?;
                if global.json { json::text(&view) } else { info::workflow(&view, layout) }
            }
            Target::CoordinatorAction(id, number) => {
                let view = look.coordinator_action_info(id, *number)?;
                if global.json { json::text(&view) } else { info::action(&view, layout) }
            }
            Target::Node(id, node) => {
                let view = look.node_info(id, node)?;
                if global.json { json::text(&view) } else { info::node(&view, layout) }
            }
        })
    })?;
    screen.write(text)?;
    Ok(Status::Done)
}

fn selection(arguments: &InfoArgs, target: &Target) -> Result<ActionSelection, Error> {
    let of_coordinator = matches!(target, Target::Job(id) if id.kind() == JobKind::Coordinator);
    if arguments.filter.is_some() && !of_coordinator {
        let refused = Error::new(ErrorCode::H0002, format!("--filter has no meaning for {}", arguments.job));
        return Err(refused.help("it chooses among the actions of a coordinator job"));
    }
    Ok(ActionSelection {
        filter: ActionsFilter::parse(arguments.filter.as_deref().unwrap_or_default())?.matching()?,
        order: match arguments.order {
            Order::Asc => ActionOrder::OldestFirst,
            Order::Desc => ActionOrder::NewestFirst,
        },
        page: Page { offset: arguments.offset - 1, len: arguments.len },
    })
}
