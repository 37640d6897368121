//! The jobs, actions and nodes that the arguments of a verb name.

use crate::cli::args::GlobalArgs;
use crate::cli::exit::Failure;
use crate::cli::session;
use howdah_answers::query::target;
use howdah_engine::Engine;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::id::{JobId, Target};

/// Reads what arguments name; opens the database for it only when an argument is not a complete id.
pub(crate) struct Targets<'g> {
    global: &'g GlobalArgs,
    engine: Option<Engine>,
}

impl<'g> Targets<'g> {
    /// Returns the reader for the arguments of one command.
    pub(crate) const fn new(global: &'g GlobalArgs) -> Self {
        Self { global, engine: None }
    }

    /// Returns the job, action or node that a text names.
    ///
    /// # Errors
    /// As [`target::find`], and any error of opening a database.
    pub(crate) fn target(&mut self, text: &str) -> Result<Target, Failure> {
        if let Some(target) = Target::parse(text).filter(Target::is_complete) {
            return Ok(target);
        }
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => session::query_engine(self.global)?,
        };
        let engine = self.engine.insert(engine);
        Ok(engine.store.read(|snapshot| target::find(snapshot, text))?)
    }

    /// Returns what each of several texts names.
    ///
    /// # Errors
    /// As [`Self::target`].
    pub(crate) fn each(&mut self, texts: &[String]) -> Result<Vec<Target>, Failure> {
        texts.iter().map(|text| self.target(text)).collect()
    }

    /// Returns the whole job that a text names.
    ///
    /// # Errors
    /// As [`Self::target`]; E0302 for an action or a node.
    pub(crate) fn whole_job(&mut self, text: &str) -> Result<JobId, Failure> {
        match self.target(text)? {
            Target::Job(job) => Ok(job),
            Target::CoordinatorAction(..) | Target::Node(..) => {
                Err(Error::new(ErrorCode::E0302, text).help("name a whole job, without @").into())
            }
        }
    }
}
