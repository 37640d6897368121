//! The phases by name, and the scope of each over one job and perhaps one action.
//!
//! The phases themselves are `coordinator::phase` and `workflow`; here is only which name means which. Decides what
//! is worth telling beside a value.

use crate::calendar::{EndOf, Zone};
use crate::check::evaluate::anywhere::Anywhere;
use crate::coordinator::phase::event::{EventNames, EventTexts};
use crate::coordinator::phase::{
    ActionFacts, ActionInstances, ActionStart, FrequencyPhase, InitialInstance, InstanceFunction, JobName, JobScope,
    Plain, RangeEnds, SlaCreate, SlaSubmit, SubmitData, SubmitInstances, TimeoutPhase,
};
use crate::dataset::Dataset;
use crate::el::{Call, CallError, Scope, Template, Value};
use crate::workflow::context::WorkflowContext;
use crate::workflow::functions::WorkflowScope;
use crate::workflow::submission::SubmissionScope;

macro_rules! phases {
    ($($variant:ident = $name:literal, $about:literal;)*) => {
        /// When an expression is evaluated, which decides what it may ask.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Phase {
            $(#[doc = $about] $variant,)*
        }

        impl Phase {
            /// Every phase, in the order in which a job goes through them.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name on the command line.
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Which texts are evaluated in it.
            pub(crate) const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

phases! {
    Name = "name", "the name of a coordinator";
    Submit = "submit", "start, end, time zones, most controls, URI templates, app-path";
    Frequency = "frequency", "the frequency of a coordinator or a dataset";
    Timeout = "timeout", "the timeout of a coordinator";
    InitialInstance = "initial-instance", "the initial instance of a dataset";
    Instance = "instance", "the check of instances at submission";
    Data = "data", "the check of the action's configuration at submission";
    SlaSubmit = "sla-submit", "the check of an SLA element at submission";
    Create = "create", "an instance when an action is created; needs --coordinator and --action";
    CreateRange = "create-range", "the start or end of a range when an action is created; needs --coordinator and \
                                   --action";
    Sla = "sla", "an SLA element when an action is created; needs --coordinator and --action";
    Start = "start", "the action's configuration when its inputs are there; needs --coordinator and --action";
    WorkflowSubmit = "workflow-submit", "the name of a workflow, and its retry attributes";
    WorkflowSla = "workflow-sla", "an SLA element of a workflow";
    Workflow = "workflow", "everything else in a workflow, when a node starts; no node has run before it";
}

impl Phase {
    /// The phase of a name.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|phase| phase.as_str() == word)
    }

    /// Whether it exists only for an action.
    pub(crate) const fn needs_action(self) -> bool {
        matches!(self, Self::Create | Self::CreateRange | Self::Sla | Self::Start)
    }

    /// Whether it exists only for a dataset.
    pub(crate) const fn needs_dataset(self) -> bool {
        matches!(self, Self::Create | Self::CreateRange)
    }

    /// Whether its texts stand in a workflow.
    pub(crate) const fn is_of_workflow(self) -> bool {
        matches!(self, Self::WorkflowSubmit | Self::WorkflowSla | Self::Workflow)
    }

    /// Whether its values are thrown away, so that stand-ins do.
    const fn only_checks(self) -> bool {
        matches!(self, Self::Instance | Self::Data | Self::SlaSubmit)
    }
}

/// What expressions may ask of an action.
pub(crate) struct ActionSetting<'a> {
    pub(crate) facts: ActionFacts<'a>,
    pub(crate) inputs: &'a EventTexts,
    pub(crate) outputs: &'a EventTexts,
    pub(crate) dataset: &'a Dataset,
    pub(crate) zone: &'a Zone,
}

/// Everything that a scope is made of.
pub(crate) struct Setting<'a> {
    pub(crate) job: JobScope<'a>,
    pub(crate) events: &'a EventNames,
    /// The action, or a stand-in.
    pub(crate) action: ActionSetting<'a>,
    pub(crate) workflow: WorkflowContext<'a>,
}

/// The scope of a phase; the ones that learn something from an evaluation keep their type.
pub(crate) enum PhaseScope<'a> {
    Frequency(FrequencyPhase<'a>),
    Timeout(TimeoutPhase<'a>),
    Create(ActionInstances<'a>),
    CreateRange(RangeEnds<'a>),
    Other(Box<dyn Scope + 'a>, Option<Phase>),
}

impl<'a> PhaseScope<'a> {
    /// The scope of a phase for one evaluation of a text; without a phase, what needs no context.
    pub(crate) fn new(phase: Option<Phase>, setting: &'a Setting<'a>, template: &Template) -> Self {
        let Setting { job, events, action, workflow } = setting;
        let (job, facts) = (*job, &action.facts);
        let other: Box<dyn Scope + 'a> = match phase {
            Some(Phase::Frequency) => return Self::Frequency(FrequencyPhase::new(job)),
            Some(Phase::Timeout) => return Self::Timeout(TimeoutPhase::new(job)),
            Some(Phase::Create) => {
                return Self::Create(ActionInstances::new(job, action.dataset, action.zone, facts.nominal));
            }
            Some(Phase::CreateRange) => {
                return Self::CreateRange(RangeEnds::new(job, action.dataset, action.zone, facts.nominal));
            }
            Some(Phase::Name) => Box::new(JobName(job)),
            Some(Phase::Submit) => Box::new(Plain(job)),
            Some(Phase::InitialInstance) => Box::new(InitialInstance(job)),
            Some(Phase::Instance) => Box::new(SubmitInstances(job)),
            Some(Phase::Data) => Box::new(SubmitData::new(job, events)),
            Some(Phase::SlaSubmit) => Box::new(SlaSubmit(job)),
            Some(Phase::Sla) => Box::new(SlaCreate { job, action: facts, outputs: action.outputs }),
            Some(Phase::Start) => Box::new(ActionStart {
                job,
                action: facts,
                inputs: action.inputs,
                outputs: action.outputs,
                dataset: None,
            }),
            Some(Phase::WorkflowSubmit) => Box::new(SubmissionScope::plain(workflow.conf)),
            Some(Phase::WorkflowSla) => Box::new(SubmissionScope::with_units(workflow.conf)),
            Some(Phase::Workflow) => Box::new(WorkflowScope::new(workflow, template)),
            None => Box::new(Anywhere::new(job, facts, WorkflowScope::new(workflow, template))),
        };
        Self::Other(other, phase)
    }

    /// The scope as the language asks it.
    pub(crate) fn scope(&mut self) -> &mut dyn Scope {
        match self {
            Self::Frequency(scope) => scope,
            Self::Timeout(scope) => scope,
            Self::Create(scope) => scope,
            Self::CreateRange(scope) => scope,
            Self::Other(scope, _) => scope.as_mut(),
        }
    }

    /// Whether the phase knows the function of a call, with whatever arguments.
    pub(crate) fn lends(&mut self, call: &Call) -> bool {
        // A number passes where a function wants a number and where it wants a text.
        let stand_ins = vec![Value::Int(1); call.arguments.len()];
        self.scope().call(call.function(), &stand_ins) != Err(CallError::UnknownFunction)
    }

    /// What the phase learnt beside the value.
    pub(crate) fn notes(&self) -> Vec<String> {
        match self {
            Self::Frequency(phase) if phase.end_of == EndOf::None => vec![format!("counts in units of {}", phase.unit)],
            Self::Frequency(phase) => vec![format!("counts in units of {}, from the {}", phase.unit, phase.end_of)],
            Self::Timeout(phase) if phase.minutes_per_unit == 1 => vec!["counts in minutes".to_owned()],
            Self::Timeout(phase) => vec![format!("counts in units of {} minutes", phase.minutes_per_unit)],
            Self::Create(phase) => {
                let searches = phase.searches.iter().map(|search| match search.check() {
                    Ok(()) => format!("left for the start of the action: {}", search.text()),
                    Err(why) => format!("no input may have {}: {why}", search.text()),
                });
                let dropped = Some(phase.before_initial).filter(|dropped| *dropped > 0);
                let dropped = dropped.map(|dropped| format!("{dropped} before the initial instance, left out"));
                searches.chain(dropped).collect()
            }
            Self::CreateRange(phase) => phase.function.as_ref().map(range_end).into_iter().collect(),
            Self::Other(_, Some(phase)) if phase.only_checks() => {
                vec!["this phase only checks: what depends on an action has a stand-in".to_owned()]
            }
            Self::Other(..) => Vec::new(),
        }
    }
}

/// An end of a range in words.
fn range_end(function: &InstanceFunction) -> String {
    use InstanceFunction as I;
    let call = match function {
        I::Current(number) => format!("coord:current({number})"),
        I::Offset(number, unit) => format!("coord:offset({number}, '{unit}')"),
        I::Latest(number) => format!("coord:latest({number})"),
        I::Future(number, limit) => format!("coord:future({number}, {limit})"),
        I::Absolute(time) => format!("coord:absolute('{}')", crate::engine::format::time(*time)),
        I::Time(time) => crate::engine::format::time(*time),
        I::EndOf(EndOf::Day, number) => format!("coord:endOfDays({number})"),
        I::EndOf(EndOf::Week, number) => format!("coord:endOfWeeks({number})"),
        I::EndOf(_, number) => format!("coord:endOfMonths({number})"),
    };
    format!("the range begins or ends at {call}")
}
