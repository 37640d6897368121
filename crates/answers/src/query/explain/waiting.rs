//! Why a WAITING action waits, until when, and when it can start at the earliest (specification 6.1.3.2, 6.3, 6.10).

use crate::query::context::Query;
use crate::query::explain::action::ExplainedAction;
use crate::query::explain::command::own;
use crate::query::explain::creation::Reason;
use crate::query::explain::explanation::Explanation;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{ActionWhy, Awaited, InputsWanted, Therefore};
use crate::query::explain::wording::{Ahead, next_for_inputs, timeout_text, when};
use crate::query::inputs::{ActionInputs, InputView, is_decided, missing};
use crate::query::instance::{InstanceState, InstanceView};
use howdah_engine::format::stored_time;
use howdah_engine::inputs::logic::{LogicState, LogicView};
use howdah_engine::waiting::Waits as _;
use howdah_oozie::coordinator::readiness::{checks_inputs, is_skipped};
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorKey;
use howdah_words::model::time::Timestamp;

/// Missing instances for which a producer is looked for.
const MOST_PRODUCERS: usize = 24;

impl Query<'_> {
    /// Explains a WAITING action.
    pub(super) fn waiting(&mut self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let ExplainedAction { job, application, action } = *subject;
        let now = self.now;
        let mut inputs = match self.inputs_of(application, action) {
            Ok(inputs) => inputs,
            Err(error) => {
                explanation.held_by = Some(Hold::Definition);
                explanation.why = ActionWhy::InputsCannotBeComputed(error.to_string()).into();
                explanation.next.push(own!("info {}", explanation.id));
                return Ok(());
            }
        };
        inputs.views = self.with_producers(inputs.views, Some((job.job, action.nominal_at)))?;
        let wait = action.wait();
        let wanted = if is_decided(action) { InputsWanted::DecidedBefore } else { wanted(&inputs) };
        let ahead = if !checks_inputs(job.status) {
            self.job_holds(job, Therefore::InputsAreNotChecked)?.answer(explanation);
            explanation.reasons.push(wanted.to_string());
            Ahead::NotChecked
        } else if let Some(paused) = self.site_paused() {
            paused.answer(explanation);
            explanation.reasons.push(wanted.to_string());
            Ahead::NotChecked
        } else if action.nominal_at > now {
            let why = ActionWhy::NotDueBefore(self.when(action.nominal_at)).into();
            Reason { hold: Hold::NominalTime, why, next: own!("info {}", job.id) }.answer(explanation);
            explanation.reasons.push(wanted.to_string());
            Ahead::Waits
        } else if is_skipped(&self.strategy(job, application), action.number, action.nominal_at, now) {
            let why = ActionWhy::IsPassedOver(job.execution).into();
            Reason { hold: Hold::NextTick, why, next: own!("tick") }.answer(explanation);
            Ahead::IsDecided
        } else if let Some(unknown) = &inputs.unknown {
            let why = ActionWhy::Undecided(unknown.message().to_owned()).into();
            Reason { hold: Hold::Inputs, why, next: own!("tick") }.answer(explanation);
            if wait.is_over(now) { Ahead::IsDecided } else { Ahead::Waits }
        } else if inputs.complete {
            let why = ActionWhy::BecomesReady(wanted).into();
            Reason { hold: Hold::NextTick, why, next: own!("tick") }.answer(explanation);
            Ahead::IsDecided
        } else if wait.is_over(now) {
            let why = ActionWhy::TimesOut(Awaited::of(&inputs.views)).into();
            Reason { hold: Hold::NextTick, why, next: own!("tick") }.answer(explanation);
            explanation.next.extend(next_for_inputs(&inputs.views));
            Ahead::IsDecided
        } else {
            self.missing_inputs(&inputs, explanation);
            explanation.reasons.extend(inputs.decision.logic.is_some().then(|| wanted.to_string()));
            Ahead::Waits
        };
        explanation.times_out_at = wait.deadline().filter(|_| ahead != Ahead::IsDecided);
        explanation.reasons.extend(timeout_text(wait, ahead, now));
        if checks_inputs(job.status) {
            self.earliest(action.nominal_at, &inputs, explanation);
        }
        explanation.inputs = inputs.views;
        explanation.decision = Some(inputs.decision).filter(|decision| !decision.is_empty());
        Ok(())
    }

    /// The answer for an action of which inputs are missing and nothing else.
    fn missing_inputs(&self, inputs: &ActionInputs, explanation: &mut Explanation) {
        let waits_until = inputs.decision.logic.as_ref().and_then(wait_end);
        if let Some((until, suffices)) = waits_until.zip(inputs.suffices_at) {
            let end = self.when(suffices);
            explanation.held_by = Some(Hold::InputLogicWait);
            let is_first = until == stored_time(suffices);
            let why = if is_first { ActionWhy::LogicWaitsUntil(end) } else { ActionWhy::LogicSufficesFrom(end) };
            explanation.why = why.into();
        } else {
            explanation.held_by = Some(Hold::Inputs);
            explanation.why = ActionWhy::Waits(Awaited::of(&inputs.views)).into();
        }
        explanation.reasons.extend(self.unwatched.clone());
        explanation.next.extend(next_for_inputs(&inputs.views));
    }

    /// When it can start at the earliest, as far as nominal times, waits and producers tell.
    fn earliest(&self, nominal: Timestamp, inputs: &ActionInputs, explanation: &mut Explanation) {
        let due = inputs.views.iter().filter_map(input_due_at).max_by_key(|(at, _)| *at);
        let at = match (inputs.complete, &inputs.decision.logic) {
            (true, _) => Some(nominal),
            // With what is there; all inputs may come sooner than the wait ends.
            (false, Some(_)) => inputs.suffices_at,
            (false, None) => due.map(|(at, _)| at.max(nominal)),
        };
        let Some(at) = at.filter(|at| *at > self.now) else { return };
        explanation.earliest_start_time = Some(at);
        if let Some((_, because)) = due.filter(|(due, _)| *due == at && inputs.decision.logic.is_none()) {
            explanation.reasons.push(format!("it can start at {} at the earliest: {because}", when(at, self.now)));
        }
    }

    /// Adds who writes what is missing; `reader` is the action that waits.
    pub(super) fn with_producers(
        &mut self,
        mut inputs: Vec<InputView>,
        reader: Option<(CoordinatorKey, Timestamp)>,
    ) -> Result<Vec<InputView>> {
        let needed = inputs.iter_mut().filter(|input| input.needed).flat_map(|input| &mut input.instances);
        let missing = needed.filter(|instance| {
            matches!(instance.state, InstanceState::Missing | InstanceState::NotYetDue | InstanceState::Unmapped)
        });
        for instance in missing.take(MOST_PRODUCERS) {
            instance.producer = self.producer_chain(instance, reader)?;
        }
        Ok(inputs)
    }
}

/// When the last missing instance of an input can be there at the earliest, where that is known.
fn input_due_at(input: &InputView) -> Option<(Timestamp, &'static str)> {
    input.instances.iter().filter_map(due_at).max_by_key(|(at, _)| *at)
}

/// When a missing instance can be there at the earliest, where that is known.
fn due_at(instance: &InstanceView) -> Option<(Timestamp, &'static str)> {
    let own = (instance.state == InstanceState::NotYetDue).then_some(instance.nominal_time).flatten();
    let produced = instance.producer.as_ref().and_then(|producer| producer.due_at);
    match (own, produced) {
        (own, Some(produced)) if own.is_none_or(|own| own <= produced) => {
            Some((produced, "the action that writes an input is due then"))
        }
        (Some(own), _) => Some((own, "an input's own time comes then")),
        (None, _) => None,
    }
}

/// Returns what an action still wants of its inputs.
fn wanted(inputs: &ActionInputs) -> InputsWanted {
    let absent = missing(&inputs.views).count() as u64;
    match (inputs.complete, inputs.decision.logic.is_some()) {
        (true, false) => InputsWanted::Nothing,
        (true, true) => InputsWanted::LogicSatisfied,
        (false, false) => InputsWanted::Instances(absent),
        (false, true) => InputsWanted::ByLogic(absent),
    }
}

/// The end of the first wait that holds the logic back.
fn wait_end(logic: &LogicView) -> Option<String> {
    if logic.state != LogicState::Waiting {
        return None;
    }
    logic.waits_until.clone().or_else(|| logic.children.iter().find_map(wait_end))
}
