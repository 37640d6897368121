//! `howdah info`: a job with its actions or nodes, one of them, or a stored part of a job.

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::args::{GlobalArgs, ZoneArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::error::{Error, ErrorCode};
use crate::model::id::{JobId, JobKind, Target};
use crate::output::screen::{Layout, Screen};
use crate::output::table_zone::TableZone;
use crate::output::{info, jobs, json, node};
use crate::query::coordinator::ActionSelection;
use crate::query::filter::ActionsFilter;
use crate::query::stored::{Part, as_xml};
use crate::query::{self, Query};
use crate::store::{ActionOrder, Page};

/// Show a job and its actions, or one action or node
///
/// For a coordinator job: its submission, and a table of its actions with status, nominal time, workflow job, error
/// code and the first missing path. For a workflow job: its nodes. For a bundle: its coordinators. Missing paths are
/// checked now.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah info 0000000-261120093000123-howdah-C\n\
\x20 howdah info 0000000-261120093000123-howdah-C --filter status=FAILED --order desc --len 20\n\
\x20 howdah info 0000000-261120093000123-howdah-C --timezone Europe/Vienna\n\
\x20 howdah info 0000000-261120093000123-howdah-C --definition\n\
\x20 howdah info 0000000-261120093000123-howdah-C@3 --allruns\n\
\x20 howdah info 0000001-261120093000123-howdah-W@add-up")]
pub(crate) struct InfoArgs {
    /// Coordinator jobs, actions of them (JOB@3), workflow jobs, nodes of them (WF@node) or bundles
    #[arg(required = true, value_name = "JOB[@PART]")]
    jobs: Vec<String>,
    /// Only the actions that match: comparisons separated by `;`, such as status=FAILED, status!=SUCCEEDED or
    /// nominaltime>=2026-03-01T00:00Z. Equal statuses and times are alternatives, everything else must match together
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
    /// Show every workflow job that an action has run, the latest first
    #[arg(long, conflicts_with_all = ["definition", "configuration", "filter"])]
    allruns: bool,
    /// Print the definition of the job as it is stored
    #[arg(long, conflicts_with_all = ["configuration", "filter"])]
    definition: bool,
    /// Print the properties of the job as a configuration in XML
    #[arg(long, alias = "configcontent", conflicts_with = "filter")]
    configuration: bool,
    #[command(flatten)]
    zone: ZoneArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Asc,
    Desc,
}

impl InfoArgs {
    /// Returns the requested part of the job, instead of the job itself.
    fn part(&self) -> Option<Part> {
        match (self.definition, self.configuration) {
            (true, _) => Some(Part::Definition),
            (_, true) => Some(Part::Configuration),
            _ => None,
        }
    }
}

/// Shows a job, an action or a node.
pub(crate) fn info(global: &GlobalArgs, arguments: &InfoArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let targets = Targets::new(global).each(&arguments.jobs)?;
    let zone = arguments.zone.zone()?;
    let selections = targets.iter().map(|target| selection(arguments, target)).collect::<Result<Vec<_>, Error>>()?;
    let mut engine = session::query_engine(global)?;
    let mut screen = Screen::open();
    let how = Rendering { zone: (!global.json).then_some(zone), layout: screen.layout() };
    let texts = query::run(&mut engine, now, |query| {
        let texts =
            targets.iter().zip(&selections).map(|(target, selection)| one(query, arguments, (target, selection), &how));
        texts.collect::<Result<Vec<String>, Error>>()
    })?;
    screen.write(if global.json { json::together(&texts) } else { texts.join("\n") })?;
    Ok(Status::Done)
}

/// Returns the text of one job, action or node, or of the part that is asked for.
fn one(
    query: &mut Query<'_>,
    arguments: &InfoArgs,
    (target, selection): (&Target, &ActionSelection),
    how: &Rendering,
) -> Result<String, Error> {
    match (target, arguments.part(), arguments.allruns) {
        (Target::Job(id), Some(part), _) => stored(query, id, part, how.zone.is_none()),
        (Target::CoordinatorAction(id, number), _, true) => runs(query, (id, *number), how),
        (_, None, false) => shown(query, target, selection, how),
        (_, Some(_), _) => Err(no_meaning("--definition and --configuration have", target, "name the whole job")),
        (_, None, true) => Err(no_meaning("--allruns has", target, "name an action of a coordinator job, as JOB@3")),
    }
}

/// The form of the output; JSON without a zone.
struct Rendering {
    zone: Option<TableZone>,
    layout: Layout,
}

fn shown(
    query: &mut Query<'_>,
    target: &Target,
    selection: &ActionSelection,
    how: &Rendering,
) -> Result<String, Error> {
    Ok(match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => {
            let view = query.coordinator_info(id, selection)?;
            let Some(zone) = &how.zone else { return Ok(json::text(&view.job)) };
            info::coordinator(&view, zone, how.layout)
        }
        Target::Job(id) if id.kind() == JobKind::Bundle => {
            let view = query.bundle_info(id)?;
            let Some(zone) = &how.zone else { return Ok(json::text(&view)) };
            info::bundle(&view, zone, how.layout)
        }
        Target::Job(id) => {
            let view = query.workflow_info(id)?;
            let Some(zone) = &how.zone else { return Ok(json::text(&view)) };
            info::workflow(&view, zone, how.layout)
        }
        Target::CoordinatorAction(id, number) => {
            let view = query.coordinator_action_info(id, *number)?;
            let Some(zone) = &how.zone else { return Ok(json::text(&view)) };
            info::action(&view, zone, how.layout)
        }
        Target::Node(id, name) => {
            let view = query.node_info(id, name)?;
            let Some(zone) = &how.zone else { return Ok(json::text(&view)) };
            node::node(&view, zone, how.layout)
        }
    })
}

fn runs(query: &mut Query<'_>, (id, number): (&JobId, u32), how: &Rendering) -> Result<String, Error> {
    let view = query.runs_of_action(id, number)?;
    let Some(zone) = &how.zone else { return Ok(json::text(&view)) };
    Ok(jobs::runs(&view, zone, how.layout))
}

fn stored(query: &mut Query<'_>, id: &JobId, part: Part, as_json: bool) -> Result<String, Error> {
    Ok(match part {
        Part::Definition if as_json => json::text(&json!({ "id": id.as_str(), "definition": query.definition(id)? })),
        Part::Definition => query.definition(id)?.trim_end().to_owned() + "\n",
        Part::Configuration if as_json => {
            json::text(&json!({ "id": id.as_str(), "configuration": query.configuration(id)? }))
        }
        Part::Configuration => as_xml(&query.configuration(id)?).trim_end().to_owned() + "\n",
    })
}

fn no_meaning(what: &str, target: &Target, help: &str) -> Error {
    Error::new(ErrorCode::H0002, format!("{what} no meaning for {target}")).help(help)
}

fn selection(arguments: &InfoArgs, target: &Target) -> Result<ActionSelection, Error> {
    let of_coordinator = matches!(target, Target::Job(id) if id.kind() == JobKind::Coordinator);
    if arguments.filter.is_some() && !of_coordinator {
        return Err(no_meaning("--filter has", target, "it selects actions of a coordinator job"));
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
