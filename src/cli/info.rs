//! `howdah info`: a job with its actions or nodes, one of them, or a stored part of a job.

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use crate::cli::args::{GlobalArgs, ZoneArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::targets::Targets;
use crate::cli::watch::WatchArgs;
use crate::cli::{oozie_json, session};
use crate::output::changes::{self, Shown, State, Wanted};
use crate::output::oozie_json::{self as written, WebStyle};
use crate::output::screen::{Layout, Screen};
use crate::output::table_zone::TableZone;
use crate::output::{info, jobs, json, node};
use howdah_answers::query::coordinator::ActionSelection;
use howdah_answers::query::filter::ActionsFilter;
use howdah_answers::query::stored::{Part, as_xml};
use howdah_answers::query::{self, Query};
use howdah_store::{ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::id::{JobId, JobKind, Target};

/// Show a job and its actions, or one action or node
///
/// For a coordinator job: its submission, and a table of its actions with status, nominal time, workflow job, error
/// code and the first missing path. For a workflow job: its nodes. For a bundle: its coordinators. Missing paths are
/// checked now.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah info 0000000-261120093000123-oozie-oozi-C\n\
\x20 howdah info 0000000-261120093000123-oozie-oozi-C --filter status=FAILED --order desc --len 20\n\
\x20 howdah info 0000000-261120093000123-oozie-oozi-C --timezone Europe/Vienna\n\
\x20 howdah info --watch 0000000-261120093000123-oozie-oozi-C --order desc --len 10\n\
\x20 howdah info 0000000-261120093000123-oozie-oozi-C --definition\n\
\x20 howdah info 0000000-261120093000123-oozie-oozi-C@3 --allruns\n\
\x20 howdah info 0000001-261120093000123-oozie-oozi-W@add-up\n\
\x20 howdah info --json=oozie 0000000-261120093000123-oozie-oozi-C")]
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
    #[arg(long, conflicts_with_all = ["configuration", "filter", "watch"])]
    definition: bool,
    /// Print the properties of the job as a configuration in XML
    #[arg(long, alias = "configcontent", conflicts_with_all = ["filter", "watch"])]
    configuration: bool,
    #[command(flatten)]
    zone: ZoneArgs,
    #[command(flatten)]
    watch: WatchArgs,
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
    let targets = Targets::new(global).each(&arguments.jobs)?;
    let zone = arguments.zone.zone()?;
    if global.is_oozie_json() {
        return as_oozie_json(global, arguments, &targets);
    }
    let selections = targets.iter().map(|target| selection(arguments, target)).collect::<Result<Vec<_>, Error>>()?;
    arguments.watch.show(global, |engine, now, wanted| {
        let how = Rendering { zone: (!global.is_json()).then_some(&zone), wanted };
        query::run(engine, now, |query| {
            let all = targets.iter().zip(&selections);
            let all = all.map(|(target, selection)| one(query, arguments, (target, selection), &how));
            Ok(together(all.collect::<Result<Vec<Shown>, Error>>()?, global.is_json()))
        })
    })
}

/// Prints the documents of Oozie's web services.
fn as_oozie_json(global: &GlobalArgs, arguments: &InfoArgs, targets: &[Target]) -> Result<Status, Failure> {
    if arguments.part().is_some() || arguments.watch.is_on() {
        let error = Error::new(ErrorCode::H0002, "--json=oozie shows a whole job, action or node, once");
        return Err(error.help("leave out --definition, --configuration and --watch, or write --json").into());
    }
    let (style, now) = (WebStyle::default(), session::clock(global)?.now());
    let mut engine = session::query_engine(global)?;
    let texts = query::run(&mut engine, now, |query| {
        let text = |target: &Target| match target {
            Target::CoordinatorAction(id, number) if arguments.allruns => {
                Ok(json::text(&written::runs(&query.runs_of_action(id, *number)?.workflows, &style)))
            }
            _ if arguments.allruns => {
                Err(no_meaning("--allruns has", target, "name an action of a coordinator job, as JOB@3"))
            }
            _ => {
                let selection = selection(arguments, target)?;
                Ok(json::text(&oozie_json::info(query, target, &selection, &style)?))
            }
        };
        targets.iter().map(text).collect::<Result<Vec<String>, Error>>()
    })?;
    Screen::open().write(json::together(&texts))?;
    Ok(Status::Done)
}

/// Returns one answer for the answers of several jobs.
fn together(all: Vec<Shown>, as_json: bool) -> Shown {
    let is_over = all.iter().all(|shown| shown.is_over);
    let (texts, states): (Vec<String>, Vec<Vec<State>>) =
        all.into_iter().map(|shown| (shown.text, shown.states)).unzip();
    Shown { text: if as_json { json::together(&texts) } else { texts.join("\n") }, states: states.concat(), is_over }
}

/// Returns one job, action or node, or the part that is asked for.
fn one(
    query: &mut Query<'_>,
    arguments: &InfoArgs,
    (target, selection): (&Target, &ActionSelection),
    how: &Rendering<'_>,
) -> Result<Shown, Error> {
    match (target, arguments.part(), arguments.allruns) {
        (Target::Job(id), Some(part), _) => stored(query, id, part, how.zone.is_none()),
        (Target::CoordinatorAction(id, number), _, true) => runs(query, (id, *number), how),
        (_, None, false) => shown(query, target, selection, how),
        (_, Some(_), _) => Err(no_meaning("--definition and --configuration have", target, "name the whole job")),
        (_, None, true) => Err(no_meaning("--allruns has", target, "name an action of a coordinator job, as JOB@3")),
    }
}

/// The form of the output; JSON without a zone.
struct Rendering<'z> {
    zone: Option<&'z TableZone>,
    wanted: Wanted,
}

impl Rendering<'_> {
    /// Returns a view as JSON, or as a table; or its states.
    fn shown<V: Serialize>(
        &self,
        view: &V,
        table: impl FnOnce(&V, &TableZone, Layout) -> String,
        states: impl FnOnce() -> Vec<State>,
        is_over: bool,
    ) -> Shown {
        let text = |layout| match self.zone {
            Some(zone) => table(view, zone, layout),
            None => json::text(view),
        };
        self.wanted.shown(text, states, is_over)
    }
}

fn shown(
    query: &mut Query<'_>,
    target: &Target,
    selection: &ActionSelection,
    how: &Rendering<'_>,
) -> Result<Shown, Error> {
    Ok(match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => {
            let view = query.coordinator_info(id, selection)?;
            let table = |_: &_, zone: &TableZone, layout| info::coordinator(&view, zone, layout);
            let states = || changes::of_coordinator_info(&view);
            how.shown(&view.job, table, states, view.job.status.is_terminal())
        }
        Target::Job(id) if id.kind() == JobKind::Bundle => {
            let view = query.bundle_info(id)?;
            how.shown(&view, info::bundle, || changes::of_bundle_info(&view), view.status.is_terminal())
        }
        Target::Job(id) => {
            let view = query.workflow_info(id)?;
            how.shown(&view, info::workflow, || changes::of_workflow_info(&view), view.status.is_terminal())
        }
        Target::CoordinatorAction(id, number) => {
            let view = query.coordinator_action_info(id, *number)?;
            how.shown(&view, info::action, || vec![changes::of_action(&view)], view.status.is_terminal())
        }
        Target::Node(id, name) => {
            let view = query.node_info(id, name)?;
            how.shown(&view, node::node, || vec![changes::of_node(&view)], view.status.is_terminal())
        }
    })
}

fn runs(query: &mut Query<'_>, (id, number): (&JobId, u32), how: &Rendering<'_>) -> Result<Shown, Error> {
    let view = query.runs_of_action(id, number)?;
    Ok(how.shown(&view, jobs::runs, || changes::of_workflows(&view), false))
}

/// Returns a stored part of a job, which does not change.
fn stored(query: &mut Query<'_>, id: &JobId, part: Part, as_json: bool) -> Result<Shown, Error> {
    let text = match part {
        Part::Definition if as_json => json::text(&json!({ "id": id.as_str(), "definition": query.definition(id)? })),
        Part::Definition => query.definition(id)?.trim_end().to_owned() + "\n",
        Part::Configuration if as_json => {
            json::text(&json!({ "id": id.as_str(), "configuration": query.configuration(id)? }))
        }
        Part::Configuration => as_xml(&query.configuration(id)?).trim_end().to_owned() + "\n",
    };
    Ok(Shown { text, states: Vec::new(), is_over: true })
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
