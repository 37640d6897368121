//! The phases by name, and the scope of each over one job and optionally one action.
//!
//! The phases themselves are `coordinator::phase` and `workflow`; this module maps names to them. Decides what is
//! reported in addition to a value.

use crate::check::evaluate::anywhere::Anywhere;
use howdah_calendar::{EndOf, Zone};
use howdah_el::{Call, CallError, Scope, Template, Value};
use howdah_oozie::coordinator::phase::event::{EventNames, EventTexts};
use howdah_oozie::coordinator::phase::{
    ActionFacts, ActionInstances, ActionStart, FrequencyPhase, InitialInstance, InstanceFunction, JobName, JobScope,
    Plain, RangeEnds, SlaCreate, SlaSubmit, SubmitData, SubmitInstances, TimeoutPhase,
};
use howdah_oozie::dataset::Dataset;
use howdah_oozie::workflow::context::WorkflowContext;
use howdah_oozie::workflow::functions::WorkflowScope;
use howdah_oozie::workflow::submission::SubmissionScope;

macro_rules! phases {
    ($($variant:ident = $name:literal, $about:literal;)*) => {
        /// When an expression is evaluated, which decides what it may read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Phase {
            $(#[doc = $about] $variant,)*
        }

        impl Phase {
            /// Every phase, in the order in which a job passes through them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns its name on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns which texts are evaluated in it.
            pub const fn about(self) -> &'static str {
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
    Start = "start", "the action's configuration when its inputs exist; needs --coordinator and --action";
    WorkflowSubmit = "workflow-submit", "the name of a workflow, and its retry attributes";
    WorkflowSla = "workflow-sla", "an SLA element of a workflow";
    Workflow = "workflow", "everything else in a workflow, when a node starts; no node has run before it";
}

impl Phase {
    /// Returns the phase of a name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|phase| phase.as_str() == word)
    }

    /// Returns whether it exists only for an action.
    pub(crate) const fn needs_action(self) -> bool {
        matches!(self, Self::Create | Self::CreateRange | Self::Sla | Self::Start)
    }

    /// Returns whether it exists only for a dataset.
    pub(crate) const fn needs_dataset(self) -> bool {
        matches!(self, Self::Create | Self::CreateRange)
    }

    /// Returns whether its texts are in a workflow.
    pub const fn is_of_workflow(self) -> bool {
        matches!(self, Self::WorkflowSubmit | Self::WorkflowSla | Self::Workflow)
    }

    /// Returns whether its values are not used, so that placeholders are enough.
    const fn only_checks(self) -> bool {
        matches!(self, Self::Instance | Self::Data | Self::SlaSubmit)
    }
}

/// What expressions may read of an action.
pub(crate) struct ActionSetting<'a> {
    pub facts: ActionFacts<'a>,
    pub inputs: &'a EventTexts,
    pub outputs: &'a EventTexts,
    pub dataset: &'a Dataset,
    pub zone: &'a Zone,
}

/// The data of a scope.
pub(super) struct Setting<'a> {
    pub job: JobScope<'a>,
    pub events: &'a EventNames,
    /// The action, or a stand-in.
    pub action: ActionSetting<'a>,
    pub workflow: WorkflowContext<'a>,
}

/// The scope of a phase; phases that record something during an evaluation keep their type.
pub(crate) enum PhaseScope<'a> {
    Frequency(FrequencyPhase<'a>),
    Timeout(TimeoutPhase<'a>),
    Create(ActionInstances<'a>),
    CreateRange(RangeEnds<'a>),
    Other(Box<dyn Scope + 'a>, Option<Phase>),
}

impl<'a> PhaseScope<'a> {
    /// Creates the scope of a phase for one evaluation of a text; without a phase, one that needs no context.
    pub(super) fn new(phase: Option<Phase>, setting: &'a Setting<'a>, template: &Template) -> Self {
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

    /// Returns the scope in the language's type.
    pub(super) fn scope(&mut self) -> &mut dyn Scope {
        match self {
            Self::Frequency(scope) => scope,
            Self::Timeout(scope) => scope,
            Self::Create(scope) => scope,
            Self::CreateRange(scope) => scope,
            Self::Other(scope, _) => scope.as_mut(),
        }
    }

    /// Returns whether the phase has the function of a call, whatever its arguments are.
    pub(crate) fn provides(&mut self, call: &Call) -> bool {
        // A function that expects a number or a text accepts a number.
        let stand_ins = vec![Value::Int(1); call.arguments.len()];
        self.scope().call(call.function(), &stand_ins) != Err(CallError::UnknownFunction)
    }

    /// Returns what the phase recorded besides the value.
    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Frequency(phase) if phase.end_of == EndOf::None => vec![format!("counts in units of {}", phase.unit)],
            Self::Frequency(phase) => vec![format!("counts in units of {}, from the {}", phase.unit, phase.end_of)],
            Self::Timeout(phase) if phase.minutes_per_unit == 1 => vec!["counts in minutes".to_owned()],
            Self::Timeout(phase) => vec![format!("counts in units of {} minutes", phase.minutes_per_unit)],
            Self::Create(phase) => {
                let searches = phase.searches.iter().map(|search| match search.check() {
                    Ok(()) => format!("postponed to the start of the action: {}", search.text()),
                    Err(why) => format!("no input may have {}: {}", search.text(), why.message()),
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

/// Describes an end of a range.
fn range_end(function: &InstanceFunction) -> String {
    use InstanceFunction as I;
    let call = match function {
        I::Current(number) => format!("coord:current({number})"),
        I::Offset(number, unit) => format!("coord:offset({number}, '{unit}')"),
        I::Latest(number) => format!("coord:latest({number})"),
        I::Future(number, limit) => format!("coord:future({number}, {limit})"),
        I::Absolute(time) => format!("coord:absolute('{}')", howdah_engine::format::time(*time)),
        I::Time(time) => howdah_engine::format::time(*time),
        I::EndOf(EndOf::Day, number) => format!("coord:endOfDays({number})"),
        I::EndOf(EndOf::Week, number) => format!("coord:endOfWeeks({number})"),
        I::EndOf(_, number) => format!("coord:endOfMonths({number})"),
    };
    format!("the range starts or ends at {call}")
}
