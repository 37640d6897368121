//! A database with jobs that read and write hourly datasets, for tests of what operators are told.
#![expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::query::context::run;
use crate::query::explain::explanation::Explanation;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission;
use howdah_engine::{Engine, tick};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::ParsedProperties;
use howdah_store::{Birth, OpenMode, Store};
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::time::Timestamp;

/// One hour after the start of the jobs.
pub const NOW: Timestamp = Timestamp::from_seconds(1_772_344_800);

const WORKFLOW: &str =
    r#"<workflow-app xmlns="uri:oozie:workflow:0.5" name="wf"><start to="end"/><end name="end"/></workflow-app>"#;

/// Reads a time as it is written everywhere: `2026-03-01T05:00Z`.
pub fn at(text: &str) -> Timestamp {
    howdah_engine::format::read_time(text).unwrap()
}

/// A folder with a database, an input dataset `in` and an output dataset `out`.
pub struct Sandbox {
    folder: TempDir,
    pub engine: Engine,
    /// The first nominal time of jobs, and hours between two.
    pub schedule: (&'static str, u32),
}

impl Sandbox {
    /// An empty database and a workflow that ends at once.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mode = OpenMode::Create(Birth::at(NOW, 0));
        let store = Store::open(&folder.path().join("howdah.db"), &mode).unwrap();
        let engine = Engine::new(store, Settings::default(), Mounts::default());
        fs::create_dir(folder.path().join("wf")).unwrap();
        fs::write(folder.path().join("wf/workflow.xml"), WORKFLOW).unwrap();
        Self { folder, engine, schedule: ("2026-03-01T05:00Z", 1) }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Submits a coordinator of four actions, one per hour, that reads one dataset and writes another.
    pub fn submit(&mut self, controls: &str, (reads, writes): (&str, &str)) -> JobId {
        let id = reads.split(':').next().unwrap_or_default();
        let range =
            "<start-instance>${coord:current(-1)}</start-instance><end-instance>${coord:current(0)}</end-instance>";
        let events = format!(r#"<input-events><data-in name="i" dataset="{id}">{range}</data-in></input-events>"#);
        self.submit_with(controls, &[reads, writes], &events)
    }

    /// The same with any events and input logic; it writes the last of the hourly datasets.
    pub(crate) fn submit_with(&mut self, controls: &str, datasets: &[&str], events: &str) -> JobId {
        let root = self.folder.path().display().to_string();
        let dataset = |name: &&str| {
            let uri = if name.contains(':') { (*name).to_owned() } else { format!("{root}/{name}/${{HOUR}}") };
            let id = name.split(':').next().unwrap_or_default();
            format!(
                r#"<dataset name="{id}" frequency="${{coord:hours(1)}}" initial-instance="2026-03-01T05:00Z" timezone="UTC"><uri-template>{uri}</uri-template><done-flag/></dataset>"#
            )
        };
        let (start, hours) = self.schedule;
        let writes = datasets.last().copied().unwrap_or_default();
        let (events, logic) = events.split_at(events.find("<input-logic>").unwrap_or(events.len()));
        let definition = format!(
            r#"<coordinator-app xmlns="uri:oozie:coordinator:0.5" name="{writes}-job" frequency="${{coord:hours({hours})}}" start="{start}" end="2026-03-01T09:00Z" timezone="UTC">
            <controls>{controls}</controls><datasets>{}</datasets>{events}{logic}
            <output-events><data-out name="o" dataset="{writes}"><instance>${{coord:current(0)}}</instance></data-out></output-events>
            <action><workflow><app-path>{root}/wf</app-path></workflow></action></coordinator-app>"#,
            datasets
                .iter()
                .enumerate()
                .filter(|(place, name)| !datasets[..*place].contains(name))
                .map(|(_, name)| dataset(name))
                .collect::<String>(),
        );
        let file = self.path(&format!("{writes}.xml"));
        fs::write(&file, definition).unwrap();
        let values = Properties::from([("oozie.coord.application.path".to_owned(), file.display().to_string())]);
        let properties = ParsedProperties::from(values);
        let (prepared, problems) = submission::prepare(&self.engine.mounts, &self.engine.settings, &properties);
        let prepared = prepared.unwrap_or_else(|| panic!("{problems:?}"));
        submission::submit(&mut self.engine, &prepared, NOW).unwrap()
    }

    /// Makes an instance of a dataset.
    pub fn input(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
    }

    /// Runs one tick.
    pub fn tick(&mut self, now: Timestamp) {
        tick::tick(&mut self.engine, now, tick::Clock::Accepted).unwrap();
    }

    /// Returns why an action is in its current state.
    pub fn explain(&mut self, id: &JobId, number: u32, now: Timestamp) -> Result<Explanation> {
        run(&mut self.engine, now, |query| query.explain_action(id, number))
    }

    /// The answer of `explain` holds a text, and its first advice begins with another.
    pub fn check(&mut self, (id, number): (&JobId, u32), now: Timestamp, why: &str, next: &str) -> Explanation {
        let explanation = self.explain(id, number, now).unwrap();
        let said = format!("{} {}", explanation.why, explanation.reasons.join(" "));
        assert!(said.contains(why), "{said}");
        let advice = explanation.next.first().map(ToString::to_string).unwrap_or_default();
        assert!(advice.starts_with(next), "{advice}");
        explanation
    }
}
