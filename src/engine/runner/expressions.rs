//! What the expressions of a workflow job see while its nodes begin (specification 4): the job, its nodes, this
//! machine.
//!
//! Decides nothing: it lends what a job knows to the resolver, and gives a failed expression the code of Oozie.

use std::sync::Arc;

use crate::engine::host_functions::{self, ThisMachine};
use crate::engine::runner::context::Advance;
use crate::error::{Error, Result, SourceText};
use crate::executor::failure::Failure;
use crate::host::located::{Base, DefaultStore};
use crate::model::time::MINUTE;
use crate::workflow::context::WorkflowContext;
use crate::workflow::resolve::Resolver;

impl Advance<'_> {
    /// Evaluates texts of the definition.
    pub(crate) fn with_resolver<T>(&self, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        self.with_resolver_of(self.run.graph.source(), evaluate)
    }

    /// This machine, as the job's user sees it.
    pub(crate) fn machine(&self) -> ThisMachine<'_> {
        ThisMachine {
            mounts: self.mounts,
            settings: self.settings,
            base: Base::with_home(
                DefaultStore::of(&self.run.row.app_path),
                &self.run.row.user,
                &self.surroundings.home,
            ),
            environment: &self.surroundings.environment,
            reader: &self.surroundings.worker,
        }
    }

    /// Evaluates texts of another document, such as a job-xml file.
    pub(crate) fn with_resolver_of<T>(&self, source: &Arc<SourceText>, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        let row = &self.run.row;
        let action = format!("{}@{}", row.id, self.run.beginning);
        let callback = host_functions::callback_address(&self.settings.properties);
        let machine = self.machine();
        let context = WorkflowContext {
            id: row.id.as_str(),
            name: &row.name,
            app_path: &row.app_path,
            user: &row.user,
            group: row.group_name.as_deref(),
            run: row.run,
            conf: &self.run.configuration,
            nodes: self.run,
            last_error_node: self.run.walk.last_error_node.as_deref(),
            now: self.cause.at,
            offset_minutes: self.settings.submit.processing.offset_seconds() / MINUTE,
            action: &action,
            callback: &callback,
            outside: Some(&machine),
        };
        evaluate(&Resolver { source, context: &context })
    }
}

/// Why a node does not begin.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// It fails.
    Failure(Failure),
    /// The machine cannot tell what the node needs to know (H0113): its job stays as it is, and the next step tries
    /// again.
    Unknown(Error),
}

impl Obstacle {
    /// An error as the failure that it is to a node, unless it only says that the machine cannot tell.
    pub(crate) fn of(error: Error, failure: impl FnOnce(&Error) -> Failure) -> Self {
        if error.may_pass() { Self::Unknown(error) } else { Self::Failure(failure(&error)) }
    }

    /// The obstacle of a node whose expressions have no value.
    pub(crate) fn of_expression(error: Error) -> Self {
        Self::of(error, |error| Failure::failed("EL_ERROR", told(error)))
    }

    /// The failure of the node.
    ///
    /// # Errors
    /// The error that says that the machine cannot tell, which fails nothing.
    pub(crate) fn failure(self) -> Result<Failure> {
        match self {
            Self::Failure(failure) => Ok(failure),
            Self::Unknown(error) => Err(error),
        }
    }
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The message of a problem with its place and the advice, as a node keeps it: the text is not shown beside it.
pub(crate) fn told(error: &Error) -> String {
    let place = error.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let help = error.help_text().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{place}{help}", error.message())
}
