//! Evaluates the expressions of a workflow job while its nodes start (specification 4).
//!
//! Passes the job, its nodes and this machine to the resolver, and gives a failed expression Oozie's error code.

use std::sync::Arc;

use crate::host_functions::{self, ThisMachine};
use crate::runner::context::Advance;
use howdah_executor::failure::Failure;
use howdah_host::located::{Base, DefaultStore};
use howdah_oozie::workflow::context::WorkflowContext;
use howdah_oozie::workflow::resolve::Resolver;
use howdah_words::error::{Error, Result, SourceText};
use howdah_words::model::time::MINUTE;

impl Advance<'_> {
    /// Evaluates texts of the definition.
    pub(crate) fn with_resolver<T>(&self, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        self.with_resolver_of(self.run.graph.source(), evaluate)
    }

    /// Returns this machine with the rights of the job's user.
    pub(crate) fn machine(&self) -> ThisMachine<'_> {
        ThisMachine {
            mounts: self.mounts,
            settings: self.settings,
            base: Base::with_home(
                DefaultStore::of(&self.run.row.app_path),
                &self.run.row.user,
                &self.user_context.home,
            ),
            environment: &self.user_context.environment,
            reader: &self.user_context.worker,
        }
    }

    /// Evaluates texts of another document, such as a job-xml file.
    pub(crate) fn with_resolver_of<T>(&self, source: &Arc<SourceText>, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        let row = &self.run.row;
        let action = format!("{}@{}", row.id, self.run.starting_node);
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

/// Why a node does not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// It fails.
    Failure(Failure),
    /// The machine cannot read something that the node needs (H0113): its job stays unchanged and the next step tries
    /// again.
    Unknown(Error),
}

impl StartError {
    /// Converts an error into a failure of the node, unless the machine only cannot read something now.
    pub(crate) fn of(error: Error, failure: impl FnOnce(&Error) -> Failure) -> Self {
        if error.may_pass() { Self::Unknown(error) } else { Self::Failure(failure(&error)) }
    }

    /// Converts the error of an expression.
    pub(crate) fn of_expression(error: Error) -> Self {
        Self::of(error, |error| Failure::failed("EL_ERROR", message_with_place(error)))
    }

    /// Returns the failure of the node.
    ///
    /// # Errors
    /// The error of a machine that cannot read something now; it fails no node.
    pub(crate) fn failure(self) -> Result<Failure> {
        match self {
            Self::Failure(failure) => Ok(failure),
            Self::Unknown(error) => Err(error),
        }
    }
}

impl From<Failure> for StartError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Returns the message of an error with its place and its help, as it is stored on a node.
pub(crate) fn message_with_place(error: &Error) -> String {
    let place = error.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let help = error.help_text().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{place}{help}", error.message())
}
