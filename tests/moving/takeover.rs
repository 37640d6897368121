//! Coordinators of an Oozie that continue here: no nominal time is lost and none runs twice, whenever the command dies.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::oozie_export::{self, IN_LOS_ANGELES};
use howdah_sandbox::sandbox::{Ran, Sandbox, user_name};
#[cfg(feature = "serve")]
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

/// The points at which a takeover dies.
pub(crate) const FAULT_POINTS: [&str; 3] = ["before-takeover-step", "inside-takeover-commit", "after-takeover-step"];
/// The point between the two sides.
pub(crate) const STOPPED: &str = "after-oozie-stop";

pub(crate) const OLD: &str = "0000007-260101000000000-oozie-old-C";
pub(crate) const NOW: &str = "2010-01-01T05:30Z";

/// An hourly coordinator of an Oozie that has created actions up to 6, at 05:00: the third runs there, the fourth is
/// READY, and the two after it wait.
pub(crate) struct Oozie(pub(crate) Sandbox);

impl Oozie {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "wf", "one", &[shell("one", &effect("${name} ${nominal}"), "end")]);
        let oozie = Self(sandbox);
        oozie.write("imported", "a", OLD);
        oozie
    }

    pub(crate) fn definition(&self, name: &str) -> String {
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let configuration = [("name", name), ("nominal", "${coord:nominalTime()}"), ("sandbox", "${sandbox}")]
            .map(|(name, value)| property(name, value));
        format!(
            "<coordinator-app name=\"{name}\" frequency=\"${{coord:hours(1)}}\" start=\"2010-01-01T00:00Z\" \
             end=\"2010-01-01T09:00Z\" timezone=\"UTC\" xmlns=\"uri:oozie:coordinator:0.4\"><controls>\
             <concurrency>2</concurrency></controls><action><workflow><app-path>{}</app-path><configuration>{}\
             </configuration></workflow></action></coordinator-app>\n",
            self.0.text("wf"),
            configuration.concat()
        )
    }

    /// Writes what an import writes of one job.
    pub(crate) fn write(&self, import: &str, name: &str, id: &str) {
        let folder = format!("{import}/{name}");
        self.0.write(&format!("{folder}/coordinator.xml"), &self.definition(name));
        let (path, own, user) = (self.0.text("app"), self.0.text(""), user_name());
        let properties = format!("oozie.coord.application.path={path}\nsandbox={own}\nuser.name={user}\n");
        self.0.write(&format!("{folder}/job.properties"), &properties);
        self.change(import, name, |state| *state = state_of(name, id, &path));
    }

    /// Changes the state of a job of an import.
    pub(crate) fn change(&self, import: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let file = format!("{import}/{name}/state.json");
        let mut state = serde_json::from_str(&self.0.read(&file)).unwrap_or(Value::Null);
        change(&mut state);
        self.0.write(&file, &state.to_string());
    }

    /// Writes a later import, of a job that was stopped.
    pub(crate) fn later(&self, change: impl FnOnce(&mut Value)) {
        self.write("later", "a", OLD);
        self.change("later", "a", |state| {
            state["concurrency"] = 0.into();
            state["endTime"] = "2010-01-01T06:00Z".into();
            state["nextNominalTime"] = Value::Null;
            change(state);
        });
    }

    pub(crate) fn run(&self, options: &[&str]) -> Ran {
        self.0.howdah(["takeover"]).with_all(options).at(NOW).run()
    }

    /// Runs the command; it must succeed.
    pub(crate) fn done(&self, options: &[&str]) -> String {
        let ran = self.run(options);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        ran.stdout
    }

    pub(crate) fn rows(&self, query: &str) -> Vec<String> {
        self.0.database().rows(query)
    }

    pub(crate) fn actions(&self) -> String {
        self.0.database().actions()
    }

    pub(crate) fn effects(&self) -> Vec<String> {
        self.0.sorted_lines("effects").iter().map(|line| line.replace("2010-01-01T", "").replace(":00Z", "")).collect()
    }
}

fn state_of(name: &str, id: &str, path: &str) -> Value {
    let action = |number: u32, status: &str| {
        let nominal = format!("2010-01-01T{:02}:00", number - 1);
        json!({
            "actionNumber": number,
            "status": status,
            "nominalTime": format!("{nominal}Z"),
            "createdTime": format!("{nominal}:07Z"),
            "timeoutMinutes": 40 + number,
            "externalId": (status == "RUNNING").then_some("0000008-260101000000000-oozie-old-W"),
            // What Oozie has resolved counts, also where it would be another value here.
            "configuration": (status == "READY").then(|| json!({
                "name": format!("{name}-ready"), "nominal": format!("{nominal}Z"), "sandbox": path.trim_end_matches("/app"),
            })),
        })
    };
    json!({
        "id": id, "name": name, "user": user_name(), "status": "RUNNING", "bundleId": null, "applicationPath": path,
        "lastActionNumber": 6, "nextNominalTime": "2010-01-01T06:00Z", "endTime": "2010-01-01T08:00Z",
        "pauseTime": null, "concurrency": 2,
        "openActions": [action(3, "RUNNING"), action(4, "READY"), action(5, "WAITING"), action(6, "WAITING")],
        "endedActions": {"SUCCEEDED": "1-2"}, "killedBeforeStart": "",
    })
}

#[test]
fn the_plan_says_what_is_carried_over_and_stores_nothing() {
    let oozie = Oozie::new();
    let planned = oozie.run(&["imported"]);
    assert_eq!((planned.status, planned.stderr.as_str()), (Some(1), ""), "there is something to do: {planned:?}");
    insta::assert_snapshot!("takeover_plan", oozie.0.redact(&planned.stdout));
    let widest = planned.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{widest:?}");
    assert!(!oozie.0.database_path().exists(), "a plan stores nothing");
    let document = oozie.run(&["imported", "--json"]);
    assert_eq!(document.status, Some(1));
    let document: Value = serde_json::from_str(&document.stdout).expect("one document");
    let job = &document["jobs"][0];
    assert_eq!((&document["toDo"], &job["nextActionNumber"]), (&1.into(), &7.into()), "{document}");
    assert_eq!(job["carriedOver"][0]["createdTime"], "2010-01-01T03:00:07Z");
    let request = format!("PUT v1/job/{OLD}?action=change&value=endtime%3D2010-01-01T06%3A00Z%3Bconcurrency%3D0");
    assert_eq!(job["oozieCommands"][0]["request"], request);
}

#[test]
fn a_job_continues_with_its_actions_and_is_found_by_its_former_id() {
    let oozie = Oozie::new();
    assert!(oozie.done(&["imported", "--unstopped", "--yes"]).contains("took over a: 0000000-"));
    let times = "SELECT number, status, strftime('%H:%M', nominal_at, 'unixepoch'), strftime('%H:%M:%S', created_at, \
                 'unixepoch'), timeout_minutes, external_id FROM coordinator_action ORDER BY number";
    let expect = [
        "3 RUNNING 02:00 02:00:07 43 0000008-260101000000000-oozie-old-W",
        "4 READY 03:00 03:00:07 44 -",
        "5 WAITING 04:00 04:00:07 45 -",
        "6 WAITING 05:00 05:00:07 46 -",
    ];
    assert_eq!(oozie.rows(times), expect);
    let own = oozie.0.database().value("SELECT id FROM coordinator_job");
    let info = oozie.0.howdah(["info", OLD]).at(NOW).succeed().stdout;
    assert!(info.contains(&own) && info.contains(&format!("In Oozie:    {OLD}")), "{info}");
    let listed = oozie.0.howdah(["jobs", "--json", "--filter"]).with(format!("externalid={OLD}")).at(NOW).succeed();
    let listed: Value = serde_json::from_str(&listed.stdout).expect("one document");
    assert_eq!((&listed["total"], &listed["coordinatorjobs"][0]["externalId"]), (&1.into(), &OLD.into()));
    let explained = oozie.0.howdah(["explain"]).with(format!("{OLD}@3")).at(NOW).run().stdout;
    assert!(explained.contains("Oozie has started it, as workflow job 0000008-"), "{explained}");
    let action = oozie.0.howdah(["info"]).with(format!("{OLD}@4")).at(NOW).succeed().stdout;
    assert!(action.contains("a-ready"), "what Oozie has resolved is kept: {action}");
    // Every verb knows the former id.
    for verb in ["suspend", "resume"] {
        oozie.0.howdah([verb, OLD]).at(NOW).succeed();
    }
    // One runs in Oozie, and the concurrency is 2.
    oozie.0.tick(NOW);
    assert_eq!(oozie.actions(), "3 RUNNING, 4 RUNNING, 5 READY, 6 READY");
    oozie.0.tick_through("2010-01-01T09:00Z");
    assert_eq!(oozie.effects(), ["a 04", "a 05", "a 06", "a 07", "a-ready 03"]);
    assert_eq!(oozie.rows("SELECT status FROM coordinator_job"), ["RUNNING"], "one still runs in Oozie");
    let before = oozie.0.database().dump();
    let again = oozie.done(&["imported", "--unstopped", "--yes"]);
    assert!(again.contains("already here: a\n") && again.ends_with("Nothing is to be done.\n"), "{again}");
    assert_eq!(oozie.0.database().dump(), before);
    oozie.0.database().check();
}

#[test]
fn what_oozie_has_started_is_followed_to_its_end() {
    let oozie = Oozie::new();
    oozie.later(|_| ());
    oozie.done(&["imported", "--follow", "later", "--yes"]);
    oozie.0.tick_through("2010-01-01T09:00Z");
    // Still the same.
    assert!(oozie.done(&["imported", "--follow", "later"]).contains("still in Oozie, as far as is known here: 3\n"));
    oozie.later(|state| {
        state["openActions"].as_array_mut().expect("a list").retain(|action| action["actionNumber"] != 3);
        state["endedActions"]["SUCCEEDED"] = "1-3".into();
    });
    let planned = oozie.run(&["imported", "--follow", "later"]);
    assert!(planned.status == Some(1) && planned.stdout.contains("3 RUNNING -> SUCCEEDED in Oozie"), "{planned:?}");
    assert!(oozie.done(&["imported", "--follow", "later", "--yes"]).contains("followed a: 0000000-"));
    assert_eq!(oozie.rows("SELECT status FROM coordinator_job"), ["SUCCEEDED"]);
    assert_eq!(oozie.actions(), (3..=8).map(|number| format!("{number} SUCCEEDED")).collect::<Vec<_>>().join(", "));
    oozie.0.database().check();
}

#[test]
fn a_later_state_decides_what_is_carried_over() {
    let oozie = Oozie::new();
    // Between the import and the stop, Oozie has started action 4, and has killed action 5 on command.
    oozie.later(|state| {
        let open = state["openActions"].as_array_mut().expect("a list");
        open.retain(|action| action["actionNumber"] != 5);
        open[1]["status"] = "RUNNING".into();
        open[1]["externalId"] = "0000009-260101000000000-oozie-old-W".into();
        state["endedActions"]["KILLED"] = "5".into();
        state["killedBeforeStart"] = "5".into();
    });
    oozie.done(&["imported", "--follow", "later", "--yes"]);
    assert_eq!(oozie.actions(), "3 RUNNING, 4 RUNNING, 5 WAITING, 6 WAITING");
    assert_eq!(oozie.rows("SELECT left_to_oozie, last_number FROM takeover"), ["3-4 6"]);
    // A job that was not stopped is refused.
    for (change, expect) in [
        ("concurrency", "still creates or starts actions"),
        ("lastActionNumber", "it has created actions up to 9 since the import"),
    ] {
        let oozie = Oozie::new();
        oozie.later(|state| state[change] = 9.into());
        let refused = oozie.run(&["imported", "--follow", "later", "--yes"]);
        assert!(refused.status == Some(1) && refused.stdout.contains(expect), "{refused:?}");
        assert!(refused.stdout.contains("H0232"), "{refused:?}");
        assert_eq!(oozie.rows("SELECT count(*) FROM coordinator_job"), ["0"]);
    }
    let refused = oozie.run(&["later", "--yes"]);
    assert!(refused.stdout.contains("already here"), "{refused:?}");
    oozie.later(|state| state["id"] = OLD.replace("0000007", "0000008").into());
    let refused = oozie.run(&["later", "--yes"]);
    assert!(refused.status == Some(1) && refused.stdout.contains("its concurrency is 0 already"), "{refused:?}");
}

#[test]
fn what_nothing_shows_to_be_stopped_is_refused() {
    let oozie = Oozie::new();
    for options in [&["imported", "--yes"][..], &["imported", "a", "--yes"], &["imported", OLD, "--json", "--yes"]] {
        let refused = oozie.run(options);
        assert!(refused.status == Some(1) && refused.stdout.contains("H0232"), "{refused:?}");
        assert!(
            !refused.stdout.contains("took over") && !refused.stdout.contains("Nothing is to be done"),
            "{refused:?}"
        );
        assert_eq!(oozie.rows("SELECT count(*) FROM coordinator_job"), ["0"]);
    }
    let planned = oozie.run(&["imported"]);
    assert!(planned.stdout.ends_with("--follow LATER --yes; or --oozie URL --yes does both.\n"), "{planned:?}");
    // The word for it is no word where the other side can be asked.
    for options in [["--follow", "imported"], ["--oozie", "http://127.0.0.1:1/oozie"]] {
        let usage = oozie.0.howdah(["takeover", "imported", "--unstopped", "--yes"]).with_all(&options).at(NOW).run();
        assert_eq!(usage.status, Some(2), "{usage:?}");
    }
    let planned = oozie.run(&["imported", "--unstopped"]);
    assert!(!planned.stdout.contains("Stop Oozie") && planned.stdout.ends_with("--yes does it.\n"), "{planned:?}");
    oozie.done(&["imported", "--unstopped", "--yes"]);
    oozie.done(&["imported", "--yes"]);
}

#[test]
fn a_job_that_only_waits_for_its_last_action_stays() {
    let oozie = Oozie::new();
    let finished = |state: &mut Value| {
        state["nextNominalTime"] = Value::Null;
        let open = state["openActions"].as_array_mut().expect("a list");
        open.retain(|action| action["status"] == "RUNNING");
    };
    oozie.change("imported", "a", finished);
    oozie.write("later", "a", OLD);
    oozie.change("later", "a", finished);
    for options in [&["imported"][..], &["imported", "--yes"], &["imported", "--follow", "later", "--yes"]] {
        let said = oozie.done(options);
        assert!(said.starts_with("stays: a\n") && said.ends_with("1 stays. Nothing is to be done.\n"), "{said}");
    }
    // As web services say it, and after its last action has ended.
    for change in [("nextNominalTime", json!("2010-01-01T08:00Z")), ("openActions", json!([]))] {
        oozie.change("later", "a", |state| state[change.0] = change.1);
        assert!(oozie.done(&["imported", "--follow", "later", "--yes"]).starts_with("stays: a\n"));
    }
    // Oozie has killed it, or purged it.
    oozie.change("later", "a", |state| state["status"] = "KILLED".into());
    assert!(oozie.done(&["imported", "--follow", "later", "--yes"]).starts_with("stays: a\n"));
    oozie.write("without", "b", &OLD.replace("0000007", "0000011"));
    assert!(oozie.done(&["imported", "--follow", "without", "--yes"]).starts_with("stays: a\n"));
    // One that was given a later end creates more.
    oozie.change("later", "a", |state| {
        (state["status"], state["endTime"]) = ("RUNNING".into(), "2010-01-01T20:00Z".into());
    });
    let refused = oozie.run(&["imported", "--follow", "later", "--yes"]);
    assert!(refused.status == Some(1) && refused.stdout.contains("H0232"), "{refused:?}");
}

/// What the defaults of the other server gave the job stays, until its definition says something else.
#[test]
fn an_update_keeps_the_timeout_and_the_throttle_of_oozie() {
    let oozie = Oozie::new();
    oozie.change("imported", "a", |state| {
        (state["timeoutMinutes"], state["throttle"]) = (120.into(), 5.into());
    });
    oozie.done(&["imported", "--unstopped", "--yes"]);
    let controls = || oozie.rows("SELECT timeout_minutes, throttle FROM coordinator_job").concat();
    assert_eq!(controls(), "120 5");
    let definition = oozie.definition("a");
    for (controls_here, expect) in [
        ("<concurrency>2</concurrency>", "120 5"),
        ("<concurrency>3</concurrency>", "120 5"),
        ("<timeout>7</timeout><concurrency>3</concurrency>", "7 5"),
        ("<timeout>7</timeout><concurrency>3</concurrency><throttle>4</throttle>", "7 4"),
    ] {
        oozie.0.write("app/coordinator.xml", &definition.replace("<concurrency>2</concurrency>", controls_here));
        oozie.0.howdah(["update", OLD]).at(NOW).succeed();
        assert_eq!(controls(), expect, "{controls_here}");
    }
}

#[test]
fn new_actions_keep_the_timeout_of_the_job_in_oozie() {
    let site = "oozie.service.coord.normal.default.timeout=33\n";
    for (recorded, site, options, said, minutes) in [
        (Some(120), "", &[][..], "120 min as in Oozie (--timeouts site: none)\n", "120"),
        (Some(120), site, &[], "120 min as in Oozie (--timeouts site: 33 min)\n", "120"),
        (Some(33), site, &[], "33 min\n", "33"),
        (Some(-1), site, &["--timeouts", "site"], "33 min (in Oozie: none)\n", "33"),
        (Some(-1), site, &["--timeouts", "keep"], "none as in Oozie (--timeouts site: 33 min)\n", "-1"),
        (None, site, &[], "33 min (that of Oozie is not in the import)\n", "33"),
    ] {
        let oozie = Oozie::new();
        let site = oozie.0.write("site.properties", site).display().to_string();
        oozie.change("imported", "a", |state| state["timeoutMinutes"] = json!(recorded));
        let run = || oozie.0.howdah(["takeover", "imported", "--unstopped", "--site", &site]).with_all(options).at(NOW);
        let planned = run().run().stdout;
        assert!(planned.contains(&format!("  timeout of new actions: {said}")), "{recorded:?} {options:?} {planned}");
        run().with("--yes").succeed();
        oozie.0.howdah(["tick", "--site", &site]).at("2010-01-01T06:01Z").succeed();
        let timeouts =
            oozie.rows("SELECT timeout_minutes FROM coordinator_action WHERE number IN (6, 7) ORDER BY number");
        assert_eq!(timeouts, ["46", minutes], "{recorded:?} {options:?}");
        assert_eq!(oozie.rows("SELECT timeout_minutes FROM coordinator_job"), [minutes], "{recorded:?} {options:?}");
    }
}

#[test]
fn users_are_mapped_one_by_one() {
    let oozie = Oozie::new();
    oozie.write("imported", "b", &OLD.replace("0000007", "0000011"));
    for (name, user) in [("a", "etl-of-old"), ("b", "ann-of-old")] {
        let file = format!("imported/{name}/job.properties");
        let own = oozie.0.read(&file).replace(&user_name(), user) + &format!("mapreduce.job.user.name={user}\n");
        oozie.0.write(&file, &own);
        oozie.change("imported", name, |state| state["user"] = user.into());
    }
    let map = |old: &str| format!("{old}={}", user_name());
    let planned = oozie.run(&["imported", "--user", &map("etl-of-old")]);
    assert_eq!(planned.stdout.matches("\ntake over").count() + planned.stdout.matches("refused: b").count(), 1);
    assert!(planned.stdout.starts_with("take over: a\n") && planned.stdout.contains("[ann-of-old]"), "{planned:?}");
    // Refused jobs are not said to be nothing to do.
    let refused = oozie.run(&["imported", "b"]);
    assert!(refused.status == Some(1) && refused.stdout.ends_with("1 refused.\n"), "{refused:?}");
    let users = [map("etl-of-old"), map("ann-of-old")];
    oozie.done(&["imported", "--user", &users[0], "--user", &users[1], "--unstopped", "--yes"]);
    assert_eq!(oozie.rows("SELECT DISTINCT user FROM coordinator_job"), [user_name()]);
    let stored = oozie.rows("SELECT text FROM coordinator_definition JOIN document ON document = configuration");
    assert!(stored.iter().all(|text| !text.contains("-of-old")), "{stored:?}");
    for (wrong, expect) in [("etl", "write --user OLD=NEW"), ("nobody-has=x", "belong to: ann-of-old, etl-of-old")] {
        let refused = oozie.run(&["imported", "--user", wrong]);
        assert!(refused.status == Some(2) && refused.stderr.contains(expect), "{refused:?}");
    }
}

#[test]
fn an_action_that_ran_in_both_places_is_reported() {
    let oozie = Oozie::new();
    oozie.done(&["imported", "--unstopped", "--yes"]);
    oozie.0.tick_through(NOW);
    oozie.later(|state| {
        state["openActions"] = json!([]);
        state["endedActions"]["SUCCEEDED"] = "1-4,6".into();
    });
    let reported = oozie.run(&["imported", "--follow", "later", "--yes"]);
    assert_eq!(reported.status, Some(1), "{reported:?}");
    assert!(reported.stdout.contains("H0234") && reported.stdout.contains("run it: actions 4,6"), "{reported:?}");
}

#[test]
fn a_takeover_that_was_killed_is_given_again_and_takes_nothing_over_twice() {
    let old = |name: &str| OLD.replace("0000007", &format!("000001{name}"));
    for point in FAULT_POINTS {
        for time in 1..=3 {
            let oozie = Oozie::new();
            oozie.write("imported", "b", &old("1"));
            let command = oozie.0.howdah(["takeover", "imported", "--unstopped", "--yes"]).at(NOW);
            let died = command.env("HOWDAH_FAULT", format!("{point}:{time}")).run();
            assert_eq!(died.status.is_none(), time <= 2, "{point}:{time} {died:?}");
            // What is there already runs before the command is given again.
            oozie.0.tick_through(NOW);
            oozie.done(&["imported", "--unstopped", "--yes"]);
            assert!(oozie.done(&["imported"]).ends_with("Nothing is to be done.\n"), "{point}:{time}");
            oozie.0.tick_through("2010-01-01T09:00Z");
            let of = |name: &str| [4, 5, 6, 7].map(|hour| format!("{name} {hour:02}"));
            let ready = ["a-ready 03", "b-ready 03"].map(str::to_owned);
            let mut expect: Vec<String> = of("a").into_iter().chain(of("b")).chain(ready).collect();
            expect.sort();
            let mut effects = oozie.effects();
            effects.sort();
            assert_eq!(effects, expect, "{point}:{time}");
            assert_eq!(oozie.rows("SELECT count(*) FROM takeover"), ["2"], "{point}:{time}");
            oozie.0.database().check();
        }
    }
}

#[test]
fn following_and_the_way_back_survive_a_kill_too() {
    for point in FAULT_POINTS {
        let oozie = Oozie::new();
        oozie.done(&["imported", "--unstopped", "--yes"]);
        oozie.later(|state| {
            let open = state["openActions"].as_array_mut().expect("a list");
            open.retain(|action| action["actionNumber"] != 3);
            state["endedActions"]["KILLED"] = "3".into();
        });
        let follow = ["takeover", "imported", "--follow", "later", "--yes"];
        let died = oozie.0.howdah(follow).at(NOW).env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
        oozie.done(&["imported", "--follow", "later", "--yes"]);
        assert_eq!(oozie.actions(), "3 KILLED, 4 READY, 5 WAITING, 6 WAITING", "{point}");
        let back = ["takeover", "--back", OLD, "--yes"];
        let died = oozie.0.howdah(back).at(NOW).env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
        let said = oozie.done(&["--back", OLD, "--yes"]);
        assert!(said.contains("-value 'endtime=2010-01-01T08:00Z;concurrency=2'"), "{point} {said}");
        assert_eq!(oozie.actions(), "3 KILLED", "{point}");
        oozie.0.tick_through("2010-01-01T09:00Z");
        assert_eq!(oozie.effects(), [""; 0], "nothing more runs here");
        oozie.0.database().check();
    }
}

#[test]
fn the_way_back_names_what_ran_here_and_where_oozie_continues() {
    let oozie = Oozie::new();
    oozie.done(&["imported", "--unstopped", "--yes"]);
    let at = "2010-01-01T06:10Z";
    oozie.0.tick_through(at);
    let planned = oozie.0.howdah(["takeover", "--back", "a"]).at(at).run();
    assert!(planned.status == Some(1) && planned.stdout.contains("would stop here"), "{planned:?}");
    assert_eq!(oozie.rows("SELECT back_at FROM takeover"), ["-"]);
    let done = oozie.0.howdah(["takeover", "--back", "a", "--yes"]).at(at).succeed();
    insta::assert_snapshot!("takeover_back", oozie.0.redact(&done.stdout));
    oozie.0.tick_through("2010-01-01T09:00Z");
    assert_eq!(oozie.effects(), ["a 04", "a 05", "a 06", "a-ready 03"], "the actions of 07:00 belong to Oozie");
    assert_eq!(oozie.rows("SELECT status FROM coordinator_job"), ["SUCCEEDED"]);
    // The former state would run them again.
    let refused = oozie.run(&["imported", "--unstopped", "--yes"]);
    assert!(refused.status == Some(1) && refused.stdout.contains("H0235"), "{refused:?}");
    // What Oozie has then can be taken over.
    oozie.change("imported", "a", |state| {
        state["lastActionNumber"] = 7.into();
        state["nextNominalTime"] = "2010-01-01T07:00Z".into();
        state["openActions"] = json!([]);
        state["endedActions"] = json!({"SUCCEEDED": "1-3", "KILLED": "4-7"});
    });
    oozie.done(&["imported", "--unstopped", "--yes"]);
    oozie.0.tick_through("2010-01-01T09:00Z");
    assert_eq!(oozie.effects(), ["a 04", "a 05", "a 06", "a 07", "a-ready 03"]);
    let refused = oozie.0.howdah(["takeover", "--back", "a"]).at(at).run();
    assert!(refused.stderr.contains("H0170") || refused.status == Some(1), "{refused:?}");
    oozie.0.database().check();
}

#[test]
fn an_export_is_taken_over_without_an_import() {
    let sandbox = Sandbox::new();
    let export = sandbox.path("export.zip");
    oozie_export::zip(&export, &oozie_export::fixture(IN_LOS_ANGELES, |_, text| text));
    let user = format!("user.name={}", user_name());
    let ran = sandbox.howdah(["takeover"]).with(&export).with_all(&["--json", "-D", &user]).run();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
    let jobs = document["jobs"].as_array().expect("a list");
    let hourly = jobs.iter().find(|job| job["name"] == "hourly").expect("a job");
    assert_eq!((&hourly["change"], &hourly["nextActionNumber"]), (&"take over".into(), &5.into()), "{hourly}");
    assert_eq!(hourly["carriedOver"][0]["status"], "READY");
    let bundle = jobs.iter().find(|job| job["name"] == "nightly").expect("a bundle");
    assert_eq!((&bundle["change"], &bundle["status"]), (&"take over".into(), &"RUNNING".into()));
    let member = json!({ "name": "hourly", "externalId": hourly["externalId"], "status": "RUNNING" });
    assert_eq!((&bundle["coordinators"], &hourly["bundleExternalId"]), (&json!([member]), &bundle["externalId"]));
    let refused = sandbox.howdah(["takeover"]).with(&export).with("none").run();
    assert!(refused.status == Some(1) && refused.stderr.contains("E0604"), "{refused:?}");
    let wrong = sandbox.howdah(["takeover", "home"]).run();
    assert!(wrong.status == Some(1) && wrong.stderr.contains("H0231"), "{wrong:?}");
    let usage = sandbox.howdah(["takeover"]).run();
    assert_eq!(usage.status, Some(2), "{usage:?}");
}

/// Nine months of a real Oozie: taken over by commands that die again and again, and then compared with the truth.
#[test]
fn the_published_export_is_taken_over_action_by_action() {
    if !tier::full("it reads a published export of an Oozie database, which is not part of the project") {
        return;
    }
    let Some(folder) = tier::published("HOWDAH_OOZIEDB", "ooziedb") else { return };
    let sandbox = Sandbox::new();
    let (user, at) = (format!("user.name={}", user_name()), "2026-11-22T12:40Z");
    sandbox.howdah(["import", "oozie", "--to", "imported"]).with(folder.join("ooziedb.zip")).at(at).succeed();
    let command = || sandbox.howdah(["takeover", "imported", "--unstopped", "--yes", "-D", &user]).at(at);
    let mut deaths = 0;
    for round in 0.. {
        let (point, time) = (FAULT_POINTS[round % 3], 1 + round % 4);
        let ran = command().env("HOWDAH_FAULT", format!("{point}:{time}")).run();
        sandbox.database().check();
        if ran.status.is_some() {
            assert_eq!(ran.status, Some(0), "{ran:?}");
            break;
        }
        deaths += 1;
    }
    assert!(deaths > 10, "{deaths}");
    let truth = std::fs::read_to_string(folder.join("truth.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&truth).expect("one document");
    let database = sandbox.database();
    let mut compared = (0, BTreeMap::new());
    for (id, job) in truth["coordinators"].as_object().expect("coordinators") {
        let own = database.rows(&format!("SELECT job FROM takeover WHERE oozie_id = '{id}'"));
        let is_live = ["RUNNING", "PREP", "PAUSED", "SUSPENDED"].contains(&job["status"].as_str().expect("a status"));
        assert_eq!(own.len(), usize::from(is_live), "{id}");
        let Some(own) = own.first() else { continue };
        compared.0 += 1;
        let row = "SELECT status, last_action_number, strftime('%Y-%m-%dT%H:%M:%SZ', end_at, 'unixepoch'), concurrency, \
                   timeout_minutes";
        let fields = ["status", "lastActionNumber", "end", "concurrency", "timeout"];
        let expect = fields.map(|name| plain(&job[name])).join(" ");
        assert_eq!(database.value(&format!("{row} FROM coordinator_job WHERE job = {own}")), expect, "{id}");
        let next = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', next_materialized_at, 'unixepoch') FROM coordinator_job";
        if !job["nextMaterialized"].is_null() {
            assert_eq!(database.value(&format!("{next} WHERE job = {own}")), plain(&job["nextMaterialized"]), "{id}");
        }
        let actions = database.rows(&format!(
            "SELECT number, status, strftime('%Y-%m-%dT%H:%M:%SZ', nominal_at, 'unixepoch'), \
             strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch'), timeout_minutes, external_id \
             FROM coordinator_action WHERE job = {own} ORDER BY number"
        ));
        assert_eq!(actions, open_actions(job, &mut compared.1), "{id}");
    }
    let expect = [("READY", 63), ("RUNNING", 9), ("SUSPENDED", 1), ("WAITING", 8)];
    assert_eq!(compared, (31, expect.map(|(status, count)| (status.to_owned(), count)).into()));
    for (id, bundle) in truth["bundles"].as_object().expect("bundles") {
        let row = "SELECT name, status FROM bundle_job JOIN bundle_takeover ON bundle = job WHERE oozie_id";
        let expect = [&bundle["name"], &bundle["status"]].map(plain).join(" ");
        assert_eq!(database.value(&format!("{row} = '{id}'")), expect, "{id}");
        let members = "SELECT oozie_id, coordinator_job.name FROM bundle_takeover JOIN coordinator_job \
                       ON parent_bundle = bundle JOIN takeover USING (job) WHERE bundle_takeover.oozie_id";
        let members = members.replacen("oozie_id", "takeover.oozie_id", 1);
        let mut members = database.rows(&format!("{members} = '{id}'"));
        members.sort();
        let coordinators = truth["coordinators"].as_object().expect("coordinators").iter();
        let of_bundle = coordinators.filter(|(_, job)| job["bundleId"] == **id);
        let expect: Vec<String> = of_bundle.map(|(id, job)| format!("{id} {}", plain(&job["name"]))).collect();
        assert_eq!((members.len(), members), (2, expect), "{id}");
    }
    // A day later: Oozie's actions and those from here are all nominal times, each once.
    drop(database);
    sandbox.howdah(["tick"]).at("2026-11-23T12:40Z").run();
    for (id, job) in truth["coordinators"].as_object().expect("coordinators") {
        check_numbering(&sandbox, id, job);
    }
    sandbox.database().check();
}

/// The actions of a recorded job that are not over, in the order of their numbers; counts them by status.
fn open_actions(job: &Value, counts: &mut BTreeMap<String, u32>) -> Vec<String> {
    let mut open: Vec<(u32, String)> = Vec::new();
    for (number, action) in job["actions"].as_object().expect("actions") {
        let status = action["status"].as_str().expect("a status");
        if ["WAITING", "READY", "RUNNING", "SUSPENDED"].contains(&status) {
            let fields = ["status", "nominal", "created", "timeout", "externalId"].map(|name| plain(&action[name]));
            open.push((number.parse().expect("a number"), format!("{number} {}", fields.join(" "))));
            *counts.entry(status.to_owned()).or_insert(0) += 1;
        }
    }
    open.sort();
    open.into_iter().map(|(_, line)| line).collect()
}

/// The actions that were created here follow those of Oozie without a gap.
fn check_numbering(sandbox: &Sandbox, id: &str, job: &Value) {
    let here = sandbox.database().rows(&format!(
        "SELECT number, strftime('%Y-%m-%dT%H:%M:%SZ', nominal_at, 'unixepoch') FROM coordinator_action \
         JOIN takeover USING (job) WHERE oozie_id = '{id}' AND number > last_number ORDER BY number"
    ));
    let last: u32 = job["lastActionNumber"].as_u64().and_then(|last| u32::try_from(last).ok()).expect("a number");
    for (line, number) in here.iter().zip(last + 1..) {
        assert!(line.starts_with(&format!("{number} ")), "{id}: {here:?}");
    }
    if let Some(first) = here.first().filter(|_| !job["nextMaterialized"].is_null()) {
        assert_eq!(*first, format!("{} {}", last + 1, plain(&job["nextMaterialized"])), "{id}");
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A real server is the Oozie: its job waits for data in both places, and each nominal time runs in one of them.
#[cfg(feature = "serve")]
#[test]
fn a_running_oozie_is_stopped_and_its_job_continues_here() {
    let points = FAULT_POINTS.into_iter().chain([STOPPED]);
    for point in points {
        let (there, here) = (Sandbox::new(), Sandbox::new());
        workflow(&there, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
        let data = "<datasets><dataset name=\"in\" frequency=\"${coord:hours(1)}\" initial-instance=\"2009-01-01T00:00Z\" \
             timezone=\"UTC\"><uri-template>${sandbox}/in/${HOUR}</uri-template><done-flag/></dataset></datasets>\
             <input-events><data-in name=\"in\" dataset=\"in\"><instance>${coord:current(0)}</instance></data-in>\
             </input-events>";
        let end = "2010-01-01T06:00Z";
        Coordinator { end, data: data.to_owned(), ..Coordinator::default() }.write(&there);
        let id = there.submit("2010-01-01T00:00Z", &[]);
        there.tick("2010-01-01T02:10Z");
        let (path, user) = (there.text("app"), user_name());
        here.write("imported/a/coordinator.xml", &there.read("app/coordinator.xml"));
        let properties = format!("oozie.coord.application.path={path}\nsandbox={}\nuser.name={user}\n", there.text(""));
        here.write("imported/a/job.properties", &properties);
        let waiting = |number: u32| {
            let nominal = format!("2010-01-01T{:02}:00Z", number - 1);
            json!({ "actionNumber": number, "status": "WAITING", "nominalTime": nominal, "timeoutMinutes": -1 })
        };
        let state = json!({
            "id": id, "name": "test", "user": user, "status": "RUNNING", "applicationPath": path,
            "lastActionNumber": 3, "nextNominalTime": "2010-01-01T03:00Z", "endTime": end, "concurrency": 1,
            "openActions": [waiting(1), waiting(2), waiting(3)],
        });
        here.write("imported/a/state.json", &state.to_string());
        // Since the import the first action has started there.
        there.write("in/00", "");
        there.tick_through("2010-01-01T02:15Z");
        let at = "2010-01-01T02:20Z";
        let server = Server::of(&there, there.howdah(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).at(at));
        let url = server.url();
        let command = || here.howdah(["takeover", "imported", "--yes", "--oozie", &url]).at(at);
        let planned = here.howdah(["takeover", &url, "--json"]).at(at).run();
        assert!(planned.stdout.contains("\"nextNominalTime\": \"2010-01-01T03:00Z\""), "{point} {planned:?}");
        let refused = here.howdah(["takeover", &url, "--oozie", &url, "--yes"]).at(at).run();
        assert_eq!(refused.status, Some(2), "a state from before the stop is needed: {refused:?}");
        let died = command().env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
        let done = command().run();
        assert_eq!((done.status, done.stderr.as_str()), (Some(0), ""), "{point} {done:?}");
        let job = "SELECT strftime('%H:%M', end_at, 'unixepoch'), concurrency FROM coordinator_job";
        assert_eq!(there.database().rows(job), ["03:00 0"], "{point}");
        assert_eq!(here.database().rows(job), ["06:00 1"], "{point}");
        assert_eq!(here.database().actions(), "2 WAITING, 3 WAITING", "{point}");
        let followed = here.howdah(["takeover", "imported", "--follow", &url]).at(at).run();
        assert_eq!((followed.status, followed.stderr.as_str()), (Some(0), ""), "{point} {followed:?}");
        drop(server);
        for hour in 1..6 {
            there.write(&format!("in/{hour:02}"), "");
        }
        for sandbox in [&there, &here] {
            sandbox.tick_through("2010-01-01T07:00Z");
        }
        let hours: Vec<String> = (0..6).map(|hour| format!("2010-01-01T{hour:02}:00Z")).collect();
        assert_eq!(there.sorted_lines("effects"), hours, "{point}: each nominal time, and each once");
        assert_eq!(there.database().actions(), "1 SUCCEEDED, 2 READY, 3 READY", "{point}");
        here.database().check();
    }
}
