use std::fs;
use std::sync::Arc;

use super::*;
use howdah_calendar::ProcessingZone;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission::{self, Prepared};
use howdah_oozie::coordinator::parse::{Includes, parse};
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;

const COORDINATOR: &str = "<coordinator-app xmlns='uri:oozie:coordinator:0.4' name='daily' frequency='${coord:days(1)}'
    start='2009-01-02T00:00Z' end='2009-01-06T00:00Z' timezone='UTC'>
  <controls><throttle>2</throttle></controls>
  <datasets>
    <dataset name='logs' frequency='${coord:days(1)}' initial-instance='2009-01-02T00:00Z' timezone='UTC'>
      <uri-template>ROOT/logs/${YEAR}${MONTH}${DAY}</uri-template><done-flag/>
    </dataset>
    <dataset name='far' frequency='${coord:days(1)}' initial-instance='2009-01-01T00:00Z' timezone='UTC'>
      <uri-template>hdfs://far/${DAY}</uri-template>
    </dataset>
  </datasets>
  <input-events>
    <data-in name='in' dataset='logs'>
      <start-instance>${coord:current(-1)}</start-instance><end-instance>${coord:current(0)}</end-instance>
    </data-in>
    EXTRA
  </input-events>
  <output-events><data-out name='out' dataset='far'><instance>${coord:current(1)}</instance></data-out></output-events>
  <action><workflow><app-path>ROOT/wf</app-path><configuration>
    <property><name>in</name><value>${coord:dataIn('in')}</value></property>
    <property><name>id</name><value>${coord:actionId()} ${x}</value></property>
    EXTRA-VALUE
  </configuration></workflow></action>
</coordinator-app>";

/// The selection, and whether the files are checked.
fn selected(numbers: &str, data: DataCheck) -> (Selection, DataCheck) {
    let numbers = (!numbers.is_empty()).then(|| ActionNumbers::parse(numbers).unwrap());
    (Selection { numbers, ..Selection::default() }, data)
}

/// One line for each action, the root folder left out.
fn check(extra: (&str, &str), (selection, data): (Selection, DataCheck), expect: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    fs::create_dir_all(folder.path().join("logs/20090102")).unwrap();
    let xml = COORDINATOR.replace("EXTRA-VALUE", extra.1).replace("EXTRA", extra.0).replace("ROOT", &root);
    fs::write(folder.path().join("coordinator.xml"), xml).unwrap();
    let properties = [("oozie.coord.application.path", root.as_str()), ("x", "1"), ("user.name", "joe")];
    let properties: Properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let mounts = Mounts::default();
    let (prepared, problems) = submission::prepare_looking(&mounts, &Settings::default(), &properties.into(), data);
    assert_eq!(problems.is_empty(), data == DataCheck::Skip, "stores and workflow are not there: {problems:?}");
    let Some(Prepared::Coordinator(job)) = prepared else { panic!("refused: {problems:?}") };
    let mut lines = Vec::new();
    let run = DryRun { prepared: &job, mounts: &mounts, now: Timestamp::from_seconds(1_231_200_000), data };
    let outcome = run.actions(&selection, &mut |action| {
        lines.push(line(action).replace(&root, ""));
        Ok(ControlFlow::Continue(()))
    });
    lines.extend(outcome.err().map(|error| error.to_string()));
    assert_eq!(lines, expect, "{extra:?}");
}

fn line(action: &DryAction) -> String {
    let event = |event: &DryEvent| {
        let instance = |found: &DryInstance| format!("{} {}", found.state.as_str(), found.uri);
        let instances = event.instances.iter().map(instance).collect::<Vec<_>>().join(", ");
        assert_eq!(event.left_out.len(), event.before_initial);
        format!("{}[{instances}]-{}", event.name, event.left_out.join(","))
    };
    let events = action.inputs.iter().chain(&action.outputs).map(event).collect::<Vec<_>>().join(" ");
    let values: Vec<String> = action.own.iter().map(|name| format!("{name}={}", action.configuration[name])).collect();
    format!("{} {:?} {events} {}", action.number, action.ready, values.join(" "))
}

#[test]
fn shows_states_and_configuration_up_to_the_throttle() {
    check(
        ("", ""),
        selected("", DataCheck::Check),
        &[
            "1 Some(true) in[present /logs/20090102]-2009-01-01T00:00Z out[unmapped hdfs://far/03]- \
         id=0000000-000000000000000-oozie-oozi-C@1 1 in=/logs/20090102",
            "2 Some(false) in[present /logs/20090102, missing /logs/20090103]- out[unmapped hdfs://far/04]- \
         id=0000000-000000000000000-oozie-oozi-C@2 1 in=/logs/20090102,/logs/20090103",
        ],
    );
}

#[test]
fn searches_without_result_stay_expressions() {
    let input = "<data-in name='last' dataset='logs'><instance>${coord:latest(-1)}</instance></data-in>";
    let value = "<property><name>last</name><value>${coord:dataIn('last')}</value></property>";
    check(
        (input, value),
        selected("1", DataCheck::Check),
        &["1 Some(false) in[present /logs/20090102]-2009-01-01T00:00Z last[unresolved ${coord:latest(-1)}]- \
         out[unmapped hdfs://far/03]- id=0000000-000000000000000-oozie-oozi-C@1 1 in=/logs/20090102 \
         last=${coord:dataIn('last')}"],
    );
    check(
        (&input.replace("-1", "0"), value),
        selected("1", DataCheck::Check),
        &["1 Some(true) in[present /logs/20090102]-2009-01-01T00:00Z last[present /logs/20090102]- \
         out[unmapped hdfs://far/03]- id=0000000-000000000000000-oozie-oozi-C@1 1 in=/logs/20090102 last=/logs/20090102"],
    );
}

#[test]
fn nothing_is_checked_when_data_checks_are_off() {
    let input = "<data-in name='last' dataset='logs'><instance>${coord:latest(0)}</instance></data-in>";
    let value = "<property><name>last</name><value>${coord:dataIn('last')}</value></property>";
    check(
        (input, value),
        selected("2", DataCheck::Skip),
        &["2 None in[unchecked /logs/20090102, unchecked /logs/20090103]- last[unresolved ${coord:latest(0)}]- \
         out[unchecked hdfs://far/04]- id=0000000-000000000000000-oozie-oozi-C@2 1 in=/logs/20090102,/logs/20090103 \
         last=${coord:dataIn('last')}"],
    );
}

/// An hourly coordinator of one year.
const HOURLY: &str = "<coordinator-app xmlns='uri:oozie:coordinator:0.5' name='app' frequency='60'
    start='2009-01-01T00:00Z' end='2010-01-01T00:00Z' timezone='UTC'>
  <action><workflow><app-path>/wf</app-path></workflow></action>
</coordinator-app>";

/// No included file.
struct NoFiles;

impl Includes for NoFiles {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        Err(Error::with(ErrorCode::E1002, &[&uri, &"path not existed"]))
    }
}

/// Checks the numbers of the actions that are shown.
fn check_selection(numbers: &str, from: &str, until: &str, expect: &[u32]) {
    let document = howdah_xml::read(&SourceText::new("coordinator.xml", HOURLY)).expect("a document");
    let (coordinator, problems) = parse(&document, &Properties::new(), &NoFiles, &SubmitSettings::default());
    let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
    let time = |text: &str| (!text.is_empty()).then(|| ProcessingZone::UTC.parse_datetime(text).unwrap());
    let numbers = (!numbers.is_empty()).then(|| ActionNumbers::parse(numbers).unwrap());
    let selection = Selection { numbers, from: time(from), until: time(until) };
    let found: Vec<u32> = selection.actions(&coordinator).map(|(number, _)| number).collect();
    assert_eq!(found, expect, "{selection:?}");
}

#[test]
fn actions_are_selected_by_number_and_time() {
    let throttle: Vec<u32> = (1..=12).collect();
    check_selection("", "", "", &throttle);
    check_selection("3-4,8000,8759-9000", "", "", &[3, 4, 8000, 8759, 8760]);
    check_selection("9000", "", "", &[]);
    let far: Vec<u32> = (8713..8725).collect();
    check_selection("", "2009-12-30T00:00Z", "", &far);
    check_selection("", "2009-12-30T00:00Z", "2009-12-30T02:00Z", &[8713, 8714, 8715]);
    check_selection("", "2009-12-31T21:30Z", "2011-01-01T00:00Z", &[8759, 8760]);
    check_selection("8714-8800", "2009-12-30T00:00Z", "2009-12-30T02:00Z", &[8714, 8715]);
    check_selection("1-3", "2009-12-30T00:00Z", "", &[]);
    check_selection("", "", "2008-12-31T23:59Z", &[]);
    check_selection("", "2010-01-01T00:00Z", "", &[]);
}

#[test]
fn an_action_that_cannot_be_created_ends_the_run() {
    let value = "<property><name>bad</name><value>${coord:formatTime(coord:nominalTime(), 'b')}</value></property>";
    let refused = "E1004: Expression language evaluation error, Illegal pattern character 'b'";
    let all = Selection { numbers: Some(ActionNumbers::all()), ..Selection::default() };
    check(("", value), (all, DataCheck::Check), &[refused]);
}
