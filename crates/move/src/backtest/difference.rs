//! A difference between what Oozie recorded and what howdah computes, and the ruling that explains it.

use serde::Serialize;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// Of a job: its frequency, with the unit.
    Frequency,
    TimeZone,
    Execution,
    /// The number of the action.
    Number,
    NominalTime,
    /// The date of the row, which has no zone.
    NominalTimestamp,
    Timeout,
    /// Whether the action can be created at all.
    Creation,
    Inputs,
    Outputs,
    /// Instances that are found later: `latest` and `future`.
    Unresolved,
    MissingDependencies,
    AppPath,
    Configuration,
    StartOrder,
}

impl Field {
    /// Returns the field in words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Frequency => "frequency",
            Self::TimeZone => "time zone",
            Self::Execution => "execution",
            Self::Number => "number",
            Self::NominalTime => "nominal time",
            Self::NominalTimestamp => "date of the nominal time",
            Self::Timeout => "timeout",
            Self::Creation => "creation",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::Unresolved => "unresolved instances",
            Self::MissingDependencies => "missing dependencies",
            Self::AppPath => "path of the workflow",
            Self::Configuration => "configuration",
            Self::StartOrder => "order of start",
        }
    }
}

/// A deliberate difference from Oozie: a row of the compatibility page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Ruling {
    /// The default timeout.
    C2,
    /// The largest timeout.
    C3,
    /// The order of a list of URIs.
    C18,
    /// The zone that cron follows.
    C25,
}

impl Ruling {
    /// Returns the number.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::C2 => "C2",
            Self::C3 => "C3",
            Self::C18 => "C18",
            Self::C25 => "C25",
        }
    }

    /// Returns what howdah does, and how to get Oozie's way where there is one.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::C2 => {
                "without <timeout> an action waits without a limit; oozie.service.coord.normal.default.timeout in the \
                 site file sets Oozie's limit"
            }
            Self::C3 => {
                "a timeout has no upper bound; oozie.service.coord.default.max.timeout in the site file sets Oozie's"
            }
            Self::C18 => "a list of URIs is in document order, and each range oldest first",
            Self::C25 => {
                "cron follows the processing time zone, also in a catch-up, in which Oozie lets it follow the job's"
            }
        }
    }
}

/// One difference of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub field: Field,
    /// The event or the property.
    pub name: Option<String>,
    pub recorded: String,
    pub computed: String,
    pub ruling: Option<Ruling>,
}
