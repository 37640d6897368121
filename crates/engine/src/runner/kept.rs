//! The workflow job that the runner stored last, for its next change: most often a job changes again and again while no
//! other process writes to the database, and reading all its nodes each time would cost more than the change.
//!
//! Must not depend on what changes in a job.

use crate::runner::job::Run;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::WorkflowKey;

/// A job in memory, exactly as it is in the database as long as the database has this change mark.
#[derive(Debug, Default)]
pub struct Kept(Option<((i64, u64), Run)>);

impl Kept {
    /// Keeps a job that was stored in a transaction; `mark` is the change mark at the end of that transaction.
    pub fn keep(&mut self, mut run: Run, mark: Option<(i64, u64)>) {
        run.forget_changes();
        self.0 = mark.map(|mark| (mark, run));
    }

    /// Returns the job, unless anything was written to the database since it was stored. Whatever the caller does with
    /// it, the next call finds nothing until it is kept again.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn take(&mut self, snapshot: &Snapshot, job: WorkflowKey) -> Result<Option<Run>> {
        let Some((mark, run)) = self.0.take() else { return Ok(None) };
        let is_current = run.row.job == job && mark == snapshot.change_mark()?;
        debug_assert!(!is_current || run.is_as_stored(snapshot)?, "what is kept differs from the database");
        Ok(is_current.then_some(run))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::Engine;
    use crate::runner::job::Graphs;
    use crate::settings::Settings;
    use crate::submit::submission;
    use howdah_host::mounts::Mounts;
    use howdah_store::{Birth, OpenMode, Store};
    use howdah_words::model::Properties;
    use howdah_words::model::time::Timestamp;

    /// 2026-03-01T06:00Z.
    const NOW: Timestamp = Timestamp::from_seconds(1_772_344_800);

    const WORKFLOW: &str =
        r#"<workflow-app xmlns="uri:oozie:workflow:0.5" name="wf"><start to="end"/><end name="end"/></workflow-app>"#;

    fn document(store: &mut Store, text: &str) {
        store.transact(|transaction| transaction.store_document(text).map(drop)).unwrap();
    }

    #[test]
    fn a_job_is_kept_until_anything_is_written() {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("workflow.xml"), WORKFLOW).unwrap();
        let path = folder.path().join("howdah.db");
        let open = || Store::open(&path, &OpenMode::Create(Birth::at(NOW, 0))).unwrap();
        let mut engine = Engine::new(open(), Settings::default(), Mounts::default());
        let values = Properties::from([("oozie.wf.application.path".to_owned(), folder.path().display().to_string())]);
        let (prepared, problems) = submission::prepare(&engine.mounts, &engine.settings, &values.into());
        let prepared = prepared.unwrap_or_else(|| panic!("{problems:?}"));
        let id = submission::submit(&mut engine, &prepared, NOW).unwrap();
        let mut other = open();
        let mut check = |asked: Option<WorkflowKey>, between: &mut dyn FnMut(&mut Store), expect: bool| {
            let row = engine.store.read(|snapshot| snapshot.workflow_job(&id)).unwrap().unwrap();
            let asked = asked.unwrap_or(row.job);
            let run = engine.store.read(|snapshot| Run::load(snapshot, row, &mut Graphs::default())).unwrap();
            let mark = engine.store.transact(|transaction| transaction.change_mark()).unwrap();
            let mut kept = Kept::default();
            kept.keep(run, Some(mark));
            between(&mut engine.store);
            for expect in [expect, false] {
                let found = engine.store.read(|snapshot| kept.take(snapshot, asked)).unwrap();
                assert_eq!(found.is_some(), expect);
            }
        };
        check(None, &mut |_| {}, true);
        check(Some(WorkflowKey(99)), &mut |_| {}, false);
        check(None, &mut |own| document(own, "own"), false);
        check(None, &mut |_| document(&mut other, "other"), false);
    }
}
