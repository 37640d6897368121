//! What a shim has to do: written as JSON into the attempt's folder when the attempt is started, and read by the shim.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Place, element};
use crate::command_work::{CommandWork, FileWork};
use crate::end_rule::Ending;
use crate::failure::{Failure, NodeResult};
use crate::streaming::work::StreamingWork;
use howdah_host::attempt;
use howdah_host::command::WorkOutcome;
use howdah_host::found::Unknown;
use howdah_host::located::Located;
use howdah_host::mail::EmailMessage;
use howdah_words::error::Error;

/// The work of one attempt, as the shim reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The action's element with its expressions evaluated, for people who look into the attempt's folder.
    pub(super) body: String,
    /// Where it is done.
    #[serde(default)]
    pub(super) place: Place,
    pub(super) task: Task,
}

/// Returns where the attempt in `folder` runs. Without a valid order it is this machine.
///
/// # Errors
/// H0110 or H0113 when the machine cannot tell.
pub fn place_of(folder: &Path) -> Result<Place, Error> {
    Ok(attempt::read_work::<Work>(folder)?.map(|work| work.place).unwrap_or_default())
}

/// Returns the element of the action that the attempt in `folder` works on, evaluated; `None` without a valid order.
///
/// # Errors
/// H0110 or H0113 when the machine cannot tell.
pub fn body_of(folder: &Path) -> Result<Option<String>, Error> {
    match attempt::read_work::<Work>(folder)? {
        Ok(work) if matches!(work.task, Task::Over(_)) && work.body.is_empty() => element::read(folder),
        order => Ok(order.ok().map(|work| work.body)),
    }
}

/// Returns the environment in which the attempt in `folder` runs its command; `None` without a command, and without a
/// valid order.
///
/// # Errors
/// H0110 or H0113 when the machine cannot tell.
pub fn environment_of(folder: &Path) -> Result<Option<BTreeMap<String, String>>, Error> {
    Ok(attempt::read_work::<Work>(folder)?.ok().and_then(|work| work.task.environment().cloned()))
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// A command line under supervision.
    Command(Box<CommandWork>),
    /// File operations, in order.
    Files(FileWork),
    /// A mail to be sent.
    Mail(Box<MailWork>),
    /// A repository to be cloned.
    Clone(Box<CloneWork>),
    /// A streaming job on this machine.
    Streaming(Box<StreamingWork>),
    /// What is left of work that has ended well.
    Over(OverWork),
}

/// What is left of work that has ended well: how its end is read, and what is shown of it. Work that was done in the
/// shim itself has neither.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OverWork {
    environment: Option<BTreeMap<String, String>>,
    ending: Option<Ending>,
}

impl Work {
    /// Returns where it is done.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns what is left of it after a good end.
    pub(super) fn over(self) -> Self {
        let command = self.task.command();
        let over = OverWork {
            environment: command.map(|work| work.line.environment.clone()),
            ending: command.map(|work| work.ending.clone()),
        };
        Self { task: Task::Over(over), ..self }
    }
}

impl Task {
    /// Returns the environment of its command; `None` for work that is done in the shim itself.
    pub(super) fn environment(&self) -> Option<&BTreeMap<String, String>> {
        match self {
            Self::Over(work) => work.environment.as_ref(),
            task => task.command().map(|work| &work.line.environment),
        }
    }

    /// Returns its command with what that needs; `None` for work that is done in the shim itself, and for what is over.
    pub(super) fn command(&self) -> Option<&CommandWork> {
        match self {
            Self::Command(work) => Some(work),
            Self::Clone(work) => Some(&work.command),
            Self::Streaming(work) => Some(&work.command),
            Self::Files(_) | Self::Mail(_) | Self::Over(_) => None,
        }
    }

    /// Returns what the end of the work means for its node.
    ///
    /// # Errors
    /// Fails when the machine cannot read what the work wrote.
    pub(super) fn result(&self, outcome: &WorkOutcome, folder: &Path) -> Result<NodeResult, Unknown> {
        match self {
            Self::Command(work) => work.ending.result(outcome, folder),
            Self::Clone(work) => work.command.ending.result(outcome, folder),
            Self::Streaming(work) => work.command.ending.result(outcome, folder),
            Self::Over(OverWork { ending: Some(ending), .. }) => ending.result(outcome, folder),
            Self::Over(_) | Self::Files(_) | Self::Mail(_) => Ok(plain_result(outcome)),
        }
    }
}

/// Returns the result of work that is done in the shim itself: it succeeded, or it failed with a code.
fn plain_result(outcome: &WorkOutcome) -> NodeResult {
    match outcome {
        WorkOutcome::Exited(0) => NodeResult::Ok { data: None },
        WorkOutcome::Failed { code, message } => NodeResult::Failed(Failure::of_code(code, message)),
        WorkOutcome::Exited(_) | WorkOutcome::Signaled(_) => {
            NodeResult::Failed(Failure::error("1", "it was ended by a signal"))
        }
    }
}

/// A mail with its unique identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MailWork {
    pub letter: EmailMessage,
    pub identity: String,
}

/// A clone with what comes before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CloneWork {
    pub(super) command: CommandWork,
    pub key: Option<Located>,
    pub destination: Located,
}
