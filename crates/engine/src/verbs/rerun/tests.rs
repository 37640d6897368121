//! A rerun when another command changes the actions between check and execution.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::apply::control::Verb;
use crate::settings::Settings;
use crate::submit::submission;
use crate::tick;
use crate::verbs::control;
use crate::verbs::repair::select::named;
use crate::verbs::repair::{self, Manner, RepairPlan, carry_out};
use howdah_host::mounts::Mounts;
use howdah_store::{Birth, OpenMode, Store};
use howdah_words::model::Properties;
use howdah_words::model::action_numbers::ActionNumbers;

/// 2026-03-01T06:00Z.
const NOW: Timestamp = Timestamp::from_seconds(1_772_344_800);

const WORKFLOW: &str =
    r#"<workflow-app xmlns="uri:oozie:workflow:0.5" name="wf"><start to="end"/><end name="end"/></workflow-app>"#;

/// A job with two actions, of which the first was killed and has left an output.
struct Sandbox {
    folder: TempDir,
    engine: Engine,
    job: JobId,
}

impl Sandbox {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().display().to_string();
        let store = Store::open(&folder.path().join("howdah.db"), &OpenMode::Create(Birth::at(NOW, 0))).unwrap();
        let mut engine = Engine::new(store, Settings::default(), Mounts::default());
        fs::write(folder.path().join("workflow.xml"), WORKFLOW).unwrap();
        let definition = format!(
            r#"<coordinator-app xmlns="uri:oozie:coordinator:0.4" name="job" frequency="${{coord:hours(1)}}" start="2026-03-01T05:00Z" end="2026-03-01T07:00Z" timezone="UTC">
            <datasets><dataset name="d" frequency="${{coord:hours(1)}}" initial-instance="2026-03-01T05:00Z" timezone="UTC"><uri-template>{root}/out/${{HOUR}}</uri-template></dataset></datasets>
            <output-events><data-out name="o" dataset="d"><instance>${{coord:current(0)}}</instance></data-out></output-events>
            <action><workflow><app-path>{root}</app-path></workflow></action></coordinator-app>"#
        );
        let file = folder.path().join("coordinator.xml");
        fs::write(&file, definition).unwrap();
        let values = Properties::from([("oozie.coord.application.path".to_owned(), file.display().to_string())]);
        let (prepared, problems) = submission::prepare(&engine.mounts, &engine.settings, &values.into());
        let prepared = prepared.unwrap_or_else(|| panic!("{problems:?}"));
        let job = submission::submit(&mut engine, &prepared, NOW).unwrap();
        tick::tick(&mut engine, NOW, tick::Clock::Accepted).unwrap();
        let first = Scope::Numbers(ActionNumbers::one(1));
        control::kill_actions(&mut engine, &job, &first, (Effect::Stored, NOW)).unwrap();
        fs::create_dir_all(folder.path().join("out/05")).unwrap();
        Self { folder, engine, job }
    }

    fn plan(&mut self) -> RepairPlan {
        let scope = Scope::Numbers(ActionNumbers::one(1));
        let chosen = (&self.job, Some(&scope));
        let draft = named(&mut self.engine, chosen, Vec::new(), &Manner::default(), NOW).unwrap();
        repair::plan(&mut self.engine, draft, NOW).unwrap()
    }

    fn has_output(&self) -> bool {
        self.folder.path().join("out/05").exists()
    }
}

/// Runs `meanwhile` between plan and execution; then nothing is deleted and nothing is reset.
fn check(meanwhile: impl FnOnce(&mut Sandbox), words: &str) {
    let mut sandbox = Sandbox::new();
    let plan = sandbox.plan();
    meanwhile(&mut sandbox);
    let before = sandbox.engine.store.data_version().unwrap();
    let refused = carry_out(&mut sandbox.engine, &plan, NOW).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::E1018);
    assert!(refused.to_string().contains(words), "{words}: {refused}");
    assert!(sandbox.has_output(), "{words}");
    assert_eq!(sandbox.engine.store.data_version().unwrap(), before);
}

#[test]
fn a_rerun_after_another_change_does_nothing() {
    let again = |sandbox: &mut Sandbox| {
        let plan = sandbox.plan();
        carry_out(&mut sandbox.engine, &plan, NOW).unwrap();
        assert!(!sandbox.has_output());
        fs::create_dir_all(sandbox.folder.path().join("out/05")).unwrap();
    };
    check(again, "another command changed the actions");
    let started = |sandbox: &mut Sandbox| {
        again(sandbox);
        tick::tick(&mut sandbox.engine, NOW, tick::Clock::Accepted).unwrap();
    };
    check(started, "another command changed the actions");
    let killed = |sandbox: &mut Sandbox| {
        let job = sandbox.job.clone();
        control::control(&mut sandbox.engine, &job, Verb::Kill, (Effect::Stored, NOW)).unwrap();
    };
    check(killed, "KILLED");
    let rerun_and_killed = |sandbox: &mut Sandbox| {
        again(sandbox);
        let (job, first) = (sandbox.job.clone(), Scope::Numbers(ActionNumbers::one(1)));
        control::kill_actions(&mut sandbox.engine, &job, &first, (Effect::Stored, NOW)).unwrap();
    };
    check(rerun_and_killed, "another command changed the actions");
    let other_output = |sandbox: &mut Sandbox| {
        fs::create_dir_all(sandbox.folder.path().join("elsewhere")).unwrap();
        fs::rename(sandbox.folder.path().join("out/05"), sandbox.folder.path().join("elsewhere/05")).unwrap();
        fs::remove_dir(sandbox.folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink(sandbox.folder.path().join("elsewhere"), sandbox.folder.path().join("out")).unwrap();
    };
    check(other_output, "another command changed the actions");
}

#[test]
fn a_rerun_resets_actions_and_deletes_outputs() {
    let mut sandbox = Sandbox::new();
    let plan = sandbox.plan();
    assert_eq!((plan.outputs.len(), plan.outputs[0].deleted_kind()), (1, Some("folder")));
    carry_out(&mut sandbox.engine, &plan, NOW).unwrap();
    let store = &sandbox.engine.store;
    let job = store.read(|snapshot| snapshot.coordinator_job(&sandbox.job)).unwrap().unwrap();
    let key = howdah_words::model::row::ActionKey { job: job.job, number: 1 };
    let action = store.read(|snapshot| snapshot.coordinator_action(key)).unwrap().unwrap();
    assert_eq!((action.status, action.run), (howdah_words::model::status::ActionStatus::Waiting, 1));
    assert_eq!((action.external_id, action.external_status, action.error_code), (None, None, None));
    assert!(action.configuration.is_some(), "it was ready before, and what was decided then stays");
}

#[test]
fn only_what_was_found_is_deleted() {
    let mut sandbox = Sandbox::new();
    let plan = sandbox.plan();
    let root = sandbox.folder.path();
    fs::create_dir_all(root.join("precious/05")).unwrap();
    fs::rename(root.join("out"), root.join("old")).unwrap();
    std::os::unix::fs::symlink(root.join("precious"), root.join("out")).unwrap();
    let mut begun = BTreeSet::new();
    let refused = cleanup::delete(&sandbox.engine, &plan.outputs, &mut begun).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("E0907") && refused.contains("by now"), "{refused}");
    assert!(root.join("precious/05").exists() && root.join("old/05").exists() && begun.is_empty());
}
