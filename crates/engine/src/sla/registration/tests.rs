//! Registrations of a coordinator that is submitted and ticked.
#![expect(clippy::disallowed_methods, reason = "a test creates the files that it works on")]

use tempfile::TempDir;

use super::*;
use crate::Engine;
use crate::apply::control::Verb;
use crate::settings::Settings;
use crate::submit::submission;
use crate::tick::{Clock, tick};
use crate::verbs::control;
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::ParsedProperties;
use howdah_store::{Birth, OpenMode, Page, SlaFilter, Store};
use howdah_words::model::Properties;
use howdah_words::model::effect::Effect;
use howdah_words::model::row::SlaSummary;
use howdah_words::model::status::SlaStatus;
use howdah_words::model::time::{HOUR, MINUTE};

/// 2026-03-01T05:00Z: the nominal time of the only action.
const NOW: Timestamp = Timestamp::from_seconds(1_772_341_200);

/// A coordinator of one action, which waits without end; it should start after 10 minutes and end after an hour.
const DEFINITION: &str = r#"<coordinator-app xmlns="uri:oozie:coordinator:0.4" name="waits"
    frequency="${coord:hours(1)}" start="2026-03-01T05:00Z" end="2026-03-01T06:00Z" timezone="UTC">
  <datasets><dataset name="d" frequency="${coord:hours(1)}" initial-instance="2026-03-01T05:00Z" timezone="UTC">
    <uri-template>/nowhere/${HOUR}</uri-template></dataset></datasets>
  <input-events><data-in name="i" dataset="d"><instance>${coord:current(0)}</instance></data-in></input-events>
  <action><workflow><app-path>/nowhere</app-path></workflow>
    <info xmlns="uri:oozie:sla:0.1"><app-name>a</app-name><nominal-time>${coord:nominalTime()}</nominal-time>
      <should-start>10</should-start><should-end>${1 * HOURS}</should-end><alert-contact>a@b</alert-contact>
      <dev-contact>d</dev-contact><qa-contact>q</qa-contact><se-contact>s</se-contact></info></action>
</coordinator-app>"#;

struct Sandbox {
    _folder: TempDir,
    engine: Engine,
    action: ActionKey,
}

impl Sandbox {
    /// Returns the job submitted and ticked once, under a site that has a command for alerts.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open(&folder.path().join("howdah.db"), &OpenMode::Create(Birth::at(NOW, 0))).unwrap();
        let site = Properties::from([("howdah.sla.alert.command".to_owned(), "page now".to_owned())]);
        let mut engine = Engine::new(store, Settings::from_site(&site.into()).0, Mounts::default());
        let file = folder.path().join("coordinator.xml");
        std::fs::write(&file, DEFINITION).unwrap();
        let values = Properties::from([("oozie.coord.application.path".to_owned(), file.display().to_string())]);
        let (prepared, problems) =
            submission::prepare(&engine.mounts, &engine.settings, &ParsedProperties::from(values));
        let id = submission::submit(&mut engine, &prepared.unwrap_or_else(|| panic!("{problems:?}")), NOW).unwrap();
        let job = engine.store.read(|snapshot| snapshot.coordinator_job(&id)).unwrap().unwrap().job;
        let mut sandbox = Self { _folder: folder, engine, action: ActionKey { job, number: 1 } };
        sandbox.tick(NOW);
        sandbox
    }

    fn tick(&mut self, now: Timestamp) {
        tick(&mut self.engine, now, Clock::Checked).unwrap();
    }

    fn summary(&self) -> SlaSummary {
        let all = Page { offset: 0, len: 10 };
        let (mut rows, _) = self.engine.store.read(|snapshot| snapshot.sla_page(&SlaFilter::default(), all)).unwrap();
        rows.remove(0)
    }

    /// The status, the events of the present run, and when tick checks next, in seconds from the nominal time.
    #[track_caller]
    fn check(&self, status: SlaStatus, events: &str, due: Option<i64>) {
        let summary = self.summary();
        let words: Vec<&str> = summary.events.iter().map(|event| event.as_str()).collect();
        let row = summary.registration;
        assert_eq!((row.status, words.join(" ").as_str(), row.due_at.map(|due| due - NOW)), (status, events, due));
    }
}

#[test]
fn tick_checks_when_something_is_due_and_not_after_the_end() {
    let mut sandbox = Sandbox::new();
    sandbox.check(SlaStatus::NotStarted, "", Some(10 * MINUTE + 91));
    sandbox.tick(NOW + 12 * MINUTE);
    sandbox.check(SlaStatus::NotStarted, "START_MISS", Some(HOUR + 91));
    sandbox.tick(NOW + 2 * HOUR);
    sandbox.check(SlaStatus::Miss, "START_MISS END_MISS", None);
    let id = sandbox.summary().parent_id.and_then(|id| howdah_words::model::id::JobId::parse(&id)).unwrap();
    control::control(&mut sandbox.engine, &id, Verb::Kill, (Effect::Stored, NOW + 3 * HOUR)).unwrap();
    sandbox.check(SlaStatus::Miss, "START_MISS END_MISS", Some(3 * HOUR));
    sandbox.tick(NOW + 3 * HOUR);
    sandbox.check(SlaStatus::Miss, "START_MISS END_MISS", None);
    assert_eq!(sandbox.summary().registration.job_status, "KILLED");
}

#[test]
fn a_rerun_restarts_the_registration() {
    let mut sandbox = Sandbox::new();
    sandbox.tick(NOW + 12 * MINUTE);
    sandbox.check(SlaStatus::NotStarted, "START_MISS", Some(HOUR + 91));
    let action = sandbox.action;
    sandbox
        .engine
        .store
        .transact(|transaction| reset(transaction, (action, ActionStatus::Waiting), NOW + 13 * MINUTE))
        .unwrap();
    sandbox.check(SlaStatus::NotStarted, "", Some(13 * MINUTE));
    sandbox.tick(NOW + 14 * MINUTE);
    sandbox.tick(NOW + 15 * MINUTE);
    sandbox.check(SlaStatus::NotStarted, "START_MISS", Some(HOUR + 91));
    assert_eq!(sandbox.summary().registration.run, 1);
}

#[test]
fn alerts_are_sent_for_the_end_only() {
    let mut sandbox = Sandbox::new();
    sandbox.tick(NOW + 2 * HOUR);
    sandbox.check(SlaStatus::Miss, "START_MISS END_MISS", None);
    let deliveries = sandbox.engine.store.read(|snapshot| snapshot.deliveries_of_action(sandbox.action)).unwrap();
    let receivers: Vec<&str> = deliveries.iter().map(|delivery| delivery.receiver.as_str()).collect();
    assert_eq!(receivers, ["mail", "command"]);
    let howdah_words::model::delivery::Payload::Command(command) = &deliveries[1].payload else {
        panic!("{deliveries:?}")
    };
    assert_eq!(command.command, ["page", "now"]);
    assert_eq!(command.environment["HOWDAH_SLA_EVENT"], "END_MISS");
    assert!(command.environment["HOWDAH_SLA_ACTION"].ends_with("-C@1"));
    let input: serde_json::Value = serde_json::from_str(&command.input).unwrap();
    assert_eq!((input["event"].as_str(), input["slaStatus"].as_str()), (Some("END_MISS"), Some("MISS")));
}
