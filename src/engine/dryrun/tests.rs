use std::fs;

use super::*;
use crate::engine::settings::Settings;
use crate::engine::submit::{self, Prepared};

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

/// One line for each action, the root folder left out.
fn check(extra: (&str, &str), extent: Extent, expect: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    fs::create_dir_all(folder.path().join("logs/20090102")).unwrap();
    let xml = COORDINATOR.replace("EXTRA-VALUE", extra.1).replace("EXTRA", extra.0).replace("ROOT", &root);
    fs::write(folder.path().join("coordinator.xml"), xml).unwrap();
    let properties = [("oozie.coord.application.path", root.as_str()), ("x", "1"), ("user.name", "joe")];
    let properties: Properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let mounts = Mounts::default();
    let (prepared, problems) = submit::prepare(&mounts, &Settings::default(), &properties.into());
    let Some(Prepared::Coordinator(job)) = prepared else { panic!("refused: {problems:?}") };
    let mut lines = Vec::new();
    let now = Timestamp::from_seconds(1_231_200_000);
    let outcome = actions(&job, &mounts, now, extent, &mut |action| {
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
        format!("{}[{instances}]-{}", event.name, event.before_initial)
    };
    let events = action.inputs.iter().chain(&action.outputs).map(event).collect::<Vec<_>>().join(" ");
    let values: Vec<String> = action.configuration.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} {} {events} {}", action.number, action.ready, values.join(" "))
}

#[test]
fn shows_states_and_configuration_up_to_the_throttle() {
    check(
        ("", ""),
        Extent::Throttle,
        &[
            "1 true in[present /logs/20090102]-1 out[unmapped hdfs://far/03]-0 \
         id=0000000-000000000000000-howdah-C@1 1 in=/logs/20090102",
            "2 false in[present /logs/20090102, missing /logs/20090103]-0 out[unmapped hdfs://far/04]-0 \
         id=0000000-000000000000000-howdah-C@2 1 in=/logs/20090102,/logs/20090103",
        ],
    );
}

#[test]
fn searches_without_result_stay_expressions() {
    let input = "<data-in name='last' dataset='logs'><instance>${coord:latest(-1)}</instance></data-in>";
    let value = "<property><name>last</name><value>${coord:dataIn('last')}</value></property>";
    check(
        (input, value),
        Extent::First(1),
        &["1 false in[present /logs/20090102]-1 last[unresolved ${coord:latest(-1)}]-0 out[unmapped hdfs://far/03]-0 \
         id=0000000-000000000000000-howdah-C@1 1 in=/logs/20090102 last=${coord:dataIn('last')}"],
    );
    check(
        (&input.replace("-1", "0"), value),
        Extent::First(1),
        &["1 true in[present /logs/20090102]-1 last[present /logs/20090102]-0 out[unmapped hdfs://far/03]-0 \
         id=0000000-000000000000000-howdah-C@1 1 in=/logs/20090102 last=/logs/20090102"],
    );
}

#[test]
fn all_is_every_action_and_none_is_none() {
    check(("", ""), Extent::First(0), &[]);
    let value = "<property><name>bad</name><value>${coord:formatTime(coord:nominalTime(), 'b')}</value></property>";
    check(("", value), Extent::All, &["E1004: Expression language evaluation error, Illegal pattern character 'b'"]);
}
