//! The rerun of many actions: its choice on the command line, its plan, its one question, and what an interrupted one
//! has left.

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::Moments;
use crate::cli::question::{ask_for_plan, confirm_loss};
use crate::cli::scope::ScopeArgs;
use crate::cli::targets::Targets;
use crate::cli::{runner, session, verb};
use crate::output::form::Form;
use crate::output::repair::{self as show, Done};
use crate::output::{diagnostic, text};
use howdah_answers::query::filter::JobsFilter;
use howdah_engine::Engine;
use howdah_engine::verbs::many;
use howdah_engine::verbs::repair::abandon::Loss;
use howdah_engine::verbs::repair::select::{Selection, UNSUCCESSFUL, select};
use howdah_engine::verbs::repair::{Draft, Manner, abandon, carry_out, left_of, plan, unfinished};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode, did_you_mean};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{RepairStep, steps_in_words};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The choice of actions of many jobs.
pub(crate) struct ManyActions<'a> {
    pub(crate) jobs: &'a [String],
    /// Instead of jobs: every job of a kind that matches.
    pub(crate) filter: Option<(&'a str, JobKind)>,
    /// Of bundles: only the coordinators with these names.
    pub(crate) coordinators: &'a [String],
    pub(crate) scope: &'a ScopeArgs,
    pub(crate) statuses: &'a [String],
    pub(crate) since: Option<&'a str>,
    pub(crate) most: Option<u32>,
    pub(crate) manner: Manner,
}

/// Reruns actions of several jobs, or actions that are chosen by their status or their last change.
pub(crate) fn rerun_many(
    global: &GlobalArgs,
    chosen: &ManyActions<'_>,
    (effect, yes): (Effect, bool),
) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let moments = session::moments(global, now)?;
    if chosen.scope.action.is_some() && (chosen.jobs.len() != 1 || chosen.filter.is_some()) {
        let error = Error::new(ErrorCode::H0002, "--action counts the actions of one job");
        return Err(error.help("write JOB@3 for each action, or use --date or --status").into());
    }
    let since = chosen.since.map(|text| moments.past("--since", text)).transpose()?;
    let statuses = chosen.statuses()?;
    let targets = chosen.targets(global, &moments, now)?;
    let selection = Selection {
        targets,
        is_filtered: chosen.filter.is_some(),
        coordinators: chosen.names(),
        statuses,
        since,
        most: chosen.most,
    };
    let mut engine = runner::engine_for_work(global)?;
    let draft = select(&engine, &selection, &chosen.manner, now)?;
    carry_out_draft(global, &mut engine, draft, (effect, yes, now))
}

/// Does what interrupted reruns have left, one plan after the other; the status is that of the first that is not done.
pub(crate) fn finish_interrupted(global: &GlobalArgs, (effect, yes): (Effect, bool)) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let mut engine = runner::engine_for_work(global)?;
    let (mut done, mut problems, mut status) = (Vec::new(), Vec::new(), Status::Done);
    for draft in unfinished(&engine)? {
        // What was done for the plans before may have been all that was left of this one.
        let Some(draft) = left_of(&engine, &draft.repair.plan)? else { continue };
        let ended = match carry_out_one(global, &mut engine, draft, (effect, yes, now)) {
            Ok(one) => {
                let ended = Status::of(&one.outcomes);
                done.push(one);
                ended
            }
            // It stays, and does not stop the others.
            Err(failure) => {
                diagnostic::accompany(&failure.errors, global.form());
                let ended = failure.status();
                problems.extend(failure.errors);
                ended
            }
        };
        status = if status == Status::Done { ended } else { status };
    }
    match global.form() {
        Form::Text if done.is_empty() && problems.is_empty() => {
            text::line("No rerun was interrupted: nothing is left to do.")?;
        }
        Form::Json => show::print(&done, &problems, effect)?,
        Form::Text | Form::Quiet => {}
    }
    verb::start_processes(&engine, global, effect)?;
    Ok(status)
}

/// Says, unless this is a quiet command, that an interrupted rerun of many actions has left some.
pub(crate) fn remind(global: &GlobalArgs, engine: &Engine) -> Result<(), Error> {
    let left: Vec<RepairStep> = unfinished(engine)?.into_iter().flat_map(|draft| draft.steps).collect();
    if !left.is_empty() && !global.quiet {
        let left = steps_in_words(&left);
        text::aside(&format!("note: an interrupted rerun has left {left}: `howdah rerun --continue` does the rest"));
    }
    Ok(())
}

/// Forgets what interrupted reruns have left. Asks first when outputs are deleted already.
pub(crate) fn forget(global: &GlobalArgs, (effect, yes): (Effect, bool)) -> Result<Status, Failure> {
    let mut engine = session::existing_engine(global)?;
    let drafts = unfinished(&engine)?;
    if drafts.is_empty() && global.form() == Form::Text {
        text::line("No rerun was interrupted: there is nothing to forget.")?;
    }
    let (mut loss, mut steps) = (Loss::default(), Vec::new());
    for draft in &drafts {
        loss.add(Loss::of(&mut engine, draft)?);
        steps.extend(draft.steps.iter().cloned());
    }
    if global.form() == Form::Text {
        show::loss(&loss)?;
    }
    let mut problems = Vec::new();
    if effect == Effect::Stored {
        if loss.outputs > 0 && !yes {
            confirm_loss(loss.outputs, global.form())?;
        }
        for draft in &drafts {
            if let Err(error) = abandon(&mut engine, draft) {
                // It stays, and the others are forgotten.
                steps.retain(|step: &RepairStep| step.plan != draft.repair.plan);
                problems.push(error);
            }
        }
    }
    match global.form() {
        Form::Text if !steps.is_empty() => {
            let actions = steps_in_words(&steps);
            let are = if steps.len() == 1 { "is" } else { "are" };
            text::line(&match effect {
                Effect::Stored => format!("{actions} of an interrupted rerun {are} forgotten."),
                Effect::DryRun => format!("{actions} of an interrupted rerun would be forgotten."),
            })?;
        }
        Form::Json => show::forgotten((&steps, &loss), &problems, effect)?,
        Form::Text | Form::Quiet => {}
    }
    diagnostic::accompany(&problems, global.form());
    Ok(if problems.is_empty() { Status::Done } else { Failure::from(problems).status() })
}

/// Shows the plan of a draft, asks once, and carries it out. A plan that was interrupted was accepted before: then only
/// outputs that are still there need an answer.
pub(crate) fn carry_out_draft(
    global: &GlobalArgs,
    engine: &mut Engine,
    draft: Draft,
    (effect, yes, now): (Effect, bool, Timestamp),
) -> Result<Status, Failure> {
    let done = carry_out_one(global, engine, draft, (effect, yes, now))?;
    if global.form() == Form::Json {
        show::print(std::slice::from_ref(&done), &[], effect)?;
    }
    verb::start_processes(engine, global, effect)?;
    Ok(Status::of(&done.outcomes))
}

/// As [`carry_out_draft`], without the JSON document and the processes that continue the jobs.
fn carry_out_one(
    global: &GlobalArgs,
    engine: &mut Engine,
    draft: Draft,
    (effect, yes, now): (Effect, bool, Timestamp),
) -> Result<Done, Failure> {
    let plan = plan(engine, draft, now)?;
    plan.check_one()?;
    let form = global.form();
    if form != Form::Json {
        show::list(&plan, effect)?;
    }
    plan.check_whole()?;
    let unasked = if plan.draft.is_stored || plan.draft.is_of_one { 0 } else { plan.actions() };
    ask_for_plan(global, (unasked, &plan.outputs), (effect, yes))?;
    let outcomes = match effect {
        Effect::DryRun => plan.outcomes.clone(),
        Effect::Stored => carry_out(engine, &plan, now)?,
    };
    let done = Done { plan, outcomes };
    if form != Form::Json {
        show::show(&done, effect, form)?;
    }
    Ok(done)
}

impl ManyActions<'_> {
    /// Returns the jobs that are named or match the filter, each with the actions that are named of it.
    fn targets(
        &self,
        global: &GlobalArgs,
        moments: &Moments,
        now: Timestamp,
    ) -> Result<Vec<(JobId, Option<Scope>)>, Failure> {
        let mut named = Targets::new(global);
        let scopes: Vec<(JobId, Option<Scope>)> = if let Some((text, kind)) = self.filter {
            let filter = JobsFilter::parse(text, kind)?;
            filter.check_narrow()?;
            let engine = session::query_engine(global)?;
            let actions = self.scope.scope(moments)?;
            let ids = many::matching(&engine, kind, &filter.matching(now)?)?;
            ids.into_iter().map(|id| (id, actions.clone())).collect()
        } else {
            let of = |job: &String| self.scope.of(&mut named, job, moments);
            let scopes = self.jobs.iter().map(of).collect::<Result<Vec<_>, Failure>>()?;
            scopes.into_iter().map(|scope| (scope.job, scope.actions)).collect()
        };
        for (id, actions) in &scopes {
            self.check_target(id, actions.as_ref())?;
        }
        Ok(scopes)
    }

    /// Returns the names of the coordinators of bundles.
    pub(crate) fn names(&self) -> Vec<String> {
        self.coordinators.iter().map(|name| name.trim().to_owned()).collect()
    }

    /// Refuses a job without actions, and one of which no actions are chosen.
    ///
    /// # Errors
    /// H0002.
    fn check_target(&self, id: &JobId, actions: Option<&Scope>) -> Result<(), Error> {
        if id.kind() == JobKind::Workflow {
            return self.check_workflow(id, actions);
        }
        if id.kind() != JobKind::Bundle && !self.coordinators.is_empty() {
            let error = Error::new(ErrorCode::H0002, format!("--coordinator is for bundles, and {id} is not a bundle"));
            return Err(error.help("name the bundle alone, or its coordinators as jobs"));
        }
        if id.kind() == JobKind::Bundle && self.scope.action.is_some() {
            let error = Error::new(ErrorCode::H0002, "--action counts the actions of one coordinator job");
            return Err(error.help("use --date A::B, or name the coordinator"));
        }
        let has_choice = self.manner.failed || !self.statuses.is_empty() || self.since.is_some();
        if actions.is_none() && !has_choice {
            let error = Error::new(ErrorCode::H0002, format!("a rerun needs the actions of {id}"));
            return Err(error.help("choose them with --status failed, --failed, --since 24h or --date A::B"));
        }
        Ok(())
    }

    /// Refuses what has no meaning for a workflow job.
    ///
    /// # Errors
    /// H0002.
    fn check_workflow(&self, id: &JobId, actions: Option<&Scope>) -> Result<(), Error> {
        if actions.is_none() && !self.manner.refresh && !self.manner.nocleanup && self.coordinators.is_empty() {
            return Ok(());
        }
        let error = Error::new(ErrorCode::H0002, format!("{id} is a workflow job, which has no actions"));
        Err(error.help("--action, --date, --coordinator, --refresh and --nocleanup are for coordinator jobs"))
    }

    /// Returns the statuses that are named; none when none is.
    fn statuses(&self) -> Result<Vec<ActionStatus>, Error> {
        let mut statuses = Vec::new();
        for word in self.statuses {
            match word.trim() {
                "failed" => statuses.extend(UNSUCCESSFUL),
                word => statuses.push(status(word)?),
            }
        }
        Ok(statuses)
    }
}

fn status(word: &str) -> Result<ActionStatus, Error> {
    let upper = word.to_ascii_uppercase();
    let ends = || ActionStatus::ALL.iter().copied().filter(|status| status.is_terminal());
    if let Some(status) = ends().find(|status| status.as_str() == upper) {
        return Ok(status);
    }
    let words: Vec<&str> = ends().map(ActionStatus::as_str).collect();
    let error =
        Error::new(ErrorCode::H0002, format!("--status [{word}]: this is not the status of an action that ended"));
    Err(error.help(did_you_mean(&upper, words.iter().copied()).map_or_else(
        || format!("the statuses are {}, and `failed` for FAILED, KILLED and TIMEDOUT", words.join(", ")),
        |near| format!("did you mean {near}?"),
    )))
}
