//! A command of Oozie's command line that is carried out, and how it ends.

use crate::cli::args::GlobalArgs;
use crate::cli::exit::Failure;
use crate::cli::oozie::command_line::CommandLine;
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::output::oozie::{self as text, OozieZone, Style};
use crate::output::screen::Screen;
use howdah_host::{environment, variables};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::Error;
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::time::Timestamp;

/// The version of Oozie whose answers are given.
pub(crate) const OOZIE_VERSION: &str = "5.2.1";

/// A command that is carried out.
pub(super) struct Call<'a> {
    pub(super) global: &'a GlobalArgs,
    pub(super) line: &'a CommandLine,
    pub(super) now: Timestamp,
}

/// Why a command ends with 255.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The command line is wrong.
    Usage(String),
    /// The client refuses.
    Client(String),
    /// A failure inside the client, of which it prints the sentence alone.
    Plain(String),
    /// What howdah refuses.
    Failure(Failure),
}

impl Refusal {
    /// Returns what is printed on standard error.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Usage(why) => {
                format!("Invalid sub-command: {why}\n\nuse 'help [sub-command]' for help details\n")
            }
            Self::Client(why) => format!("Error: {why}\n"),
            Self::Plain(why) => format!("{why}\n"),
            Self::Failure(failure) => {
                let errors = failure.errors.iter().filter(|error| !error.is_warning());
                errors.map(|error| text::error(error) + "\n").collect()
            }
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failure(error.into())
    }
}

/// What a command of Oozie ends with.
pub(super) type Done = Result<(), Refusal>;

/// Writes to standard output.
pub(super) fn print(text: impl AsRef<str>) -> Done {
    Ok(Screen::open().write(text)?)
}

impl Call<'_> {
    /// Returns the zone of the machine, in which Oozie's client prints the times of changed actions.
    pub(super) fn local_zone() -> OozieZone {
        OozieZone::of(environment::local_zone().as_deref().unwrap_or("UTC"))
    }

    /// Returns how texts look: `-localtime`, `-timezone`, `OOZIE_TIMEZONE`, else GMT; `-verbose`.
    pub(super) fn style(&self) -> Style {
        let zone = if self.line.has("localtime") {
            Self::local_zone()
        } else {
            let given = self.line.value("timezone").map(str::to_owned);
            OozieZone::of(&given.or_else(|| variables::get("OOZIE_TIMEZONE")).unwrap_or_else(|| "GMT".to_owned()))
        };
        Style { zone, verbose: self.line.has("verbose") }
    }

    /// Returns the value of an option that is a number.
    pub(super) fn number(&self, name: &str) -> Result<Option<i32>, Refusal> {
        self.line.number(name).map_err(Refusal::Plain)
    }

    /// Returns a number of at least 1; a smaller one means the default.
    pub(super) fn positive(&self, name: &str, default: u32) -> Result<u32, Refusal> {
        Ok(Some(self.at_least_zero(name, 0)?).filter(|number| *number > 0).unwrap_or(default))
    }

    /// Returns a number of at least 0; a smaller one means the default.
    pub(super) fn at_least_zero(&self, name: &str, default: u32) -> Result<u32, Refusal> {
        Ok(self.number(name)?.and_then(|number| u32::try_from(number).ok()).unwrap_or(default))
    }

    /// Returns what a text names.
    pub(super) fn target(&self, text: &str) -> Result<Target, Refusal> {
        Ok(Targets::new(self.global).target(text)?)
    }

    /// Returns the whole job that a text names.
    pub(super) fn job(&self, text: &str) -> Result<JobId, Refusal> {
        Ok(Targets::new(self.global).whole_job(text)?)
    }

    /// Returns the actions of `-action` or `-date`; `None` without either.
    pub(super) fn scope(&self) -> Result<Option<Scope>, Refusal> {
        match (self.line.value("action"), self.line.value("date")) {
            (Some(_), Some(_)) => Err(Refusal::Client(
                "Invalid options provided for rerun: eitherdate or action expected. Don't use both at the same time."
                    .to_owned(),
            )),
            (Some(numbers), None) => Ok(Some(Scope::numbers(numbers)?)),
            (None, Some(dates)) => {
                let processing = session::settings(self.global)?.submit.processing;
                Ok(Some(Scope::dates(dates, processing)?))
            }
            (None, None) => Ok(None),
        }
    }
}
