//! What the expressions of a workflow job see while its nodes begin (specification 4): the job, its nodes, this machine.
//!
//! Decides nothing: it lends what a job knows to the resolver, and gives a failed expression the code of Oozie.

use std::sync::Arc;

use crate::engine::workflow::advance::Advance;
use crate::engine::workflow::outside::{self, ThisMachine};
use crate::error::{Error, SourceText};
use crate::executor::Failure;
use crate::model::time::MINUTE;
use crate::workflow::context::WorkflowContext;
use crate::workflow::resolve::Resolver;

impl Advance<'_> {
    /// Evaluates texts of the definition.
    pub(super) fn with_resolver<T>(&self, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        self.with_resolver_of(self.run.graph.source(), evaluate)
    }

    /// Evaluates texts of another document, such as a job-xml file.
    pub(super) fn with_resolver_of<T>(&self, source: &Arc<SourceText>, evaluate: impl FnOnce(&Resolver<'_>) -> T) -> T {
        let row = &self.run.row;
        let action = format!("{}@{}", row.id, self.run.beginning);
        let callback = outside::callback_address(&self.settings.properties);
        let machine = ThisMachine {
            mounts: self.mounts,
            settings: self.settings,
            home: &self.surroundings.home,
            environment: &self.surroundings.environment,
            reader: &self.surroundings.worker,
        };
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

/// The failure of a node whose expressions have no value.
pub(super) fn el_failure(error: &Error) -> Failure {
    Failure::failed("EL_ERROR", told(error))
}

/// The message of a problem with its place and the advice, as a node keeps it: nobody sees the text beside it.
pub(super) fn told(error: &Error) -> String {
    let place = error.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let help = error.help_text().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{place}{help}", error.message())
}
