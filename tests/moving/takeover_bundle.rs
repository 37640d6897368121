//! Bundles of an Oozie that continue here as bundles: their coordinators are members of them, whenever the command dies.

use serde_json::{Value, json};

#[cfg(feature = "serve")]
use crate::takeover::STOPPED;
use crate::takeover::{FAULT_POINTS, NOW, OLD, Oozie};
#[cfg(feature = "serve")]
use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::user_name;
#[cfg(feature = "serve")]
use howdah_sandbox::sandbox::{Sandbox, wait_for};
#[cfg(feature = "serve")]
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

const BUNDLE: &str = "0000003-260101000000000-oozie-old-B";
const LATE: &str = "2010-01-01T09:00Z";

/// The points at which a step dies; in the quick tier only the one at which it would be half done.
fn points() -> &'static [&'static str] {
    if tier::is_full() { &FAULT_POINTS } else { &FAULT_POINTS[1..2] }
}

fn id(name: &str) -> String {
    let number = match name {
        "a" => return OLD.to_owned(),
        "b" => "0000011",
        _ => "0000012",
    };
    OLD.replace("0000007", number)
}

/// Writes the bundle of an import: its coordinators `b` and `a`, and `over`, which is over. Some have another status.
fn write_bundle(oozie: &Oozie, import: &str, status: &str, members: &[(&str, &str)]) {
    for name in ["a", "b"] {
        oozie.change(import, name, |state| state["bundleId"] = BUNDLE.into());
    }
    let member = |name: &str| {
        format!("<coordinator name=\"{name}\"><app-path>${{sandbox}}/coords/{name}</app-path></coordinator>")
    };
    let coordinators = ["b", "over", "a"].map(member).concat();
    let folder = format!("{import}/all");
    let definition = format!("<bundle-app name=\"all\" xmlns=\"uri:oozie:bundle:0.2\">{coordinators}</bundle-app>\n");
    oozie.0.write(&format!("{folder}/bundle.xml"), &definition);
    let (path, own, user) = (oozie.0.text("bundle"), oozie.0.text(""), user_name());
    let properties = format!("oozie.bundle.application.path={path}\nsandbox={own}\nuser.name={user}\n");
    oozie.0.write(&format!("{folder}/job.properties"), &properties);
    let state_of = |name: &str, usual: &str| {
        let status = members.iter().find(|(other, _)| *other == name).map_or(usual, |(_, status)| status);
        json!({ "id": id(name), "name": name, "status": status })
    };
    let members = [("a", "RUNNING"), ("b", "RUNNING"), ("over", "DONEWITHERROR")];
    oozie.change(import, "all", |state| {
        *state = json!({
            "id": BUNDLE, "name": "all", "user": user_name(), "status": status, "applicationPath": path,
            "coordinators": members.map(|(name, usual)| state_of(name, usual)),
        });
    });
}

/// An Oozie with that bundle, in which `a` and `b` are as in [`Oozie::new`].
fn bundled() -> Oozie {
    let oozie = Oozie::new();
    oozie.write("imported", "b", &id("b"));
    write_bundle(&oozie, "imported", "RUNNING", &[]);
    oozie
}

/// Writes a later import: both coordinators were stopped, and what Oozie had started has ended.
fn ended_later(oozie: &Oozie) {
    oozie.write("later", "b", &id("b"));
    oozie.later(|_| ());
    for name in ["a", "b"] {
        oozie.change("later", name, |state| {
            state["concurrency"] = 0.into();
            state["endTime"] = "2010-01-01T06:00Z".into();
            state["nextNominalTime"] = Value::Null;
            state["openActions"].as_array_mut().expect("a list").retain(|action| action["actionNumber"] != 3);
            state["endedActions"]["SUCCEEDED"] = "1-3".into();
        });
    }
}

fn bundle_status(oozie: &Oozie) -> String {
    oozie.rows("SELECT status FROM bundle_job").join(" ")
}

/// The coordinators of the bundle with the statuses of their jobs here, in its order.
fn members(oozie: &Oozie) -> String {
    let query = "SELECT bundle_coordinator.name, status FROM bundle_coordinator LEFT JOIN coordinator_job \
                 ON job = coordinator_job ORDER BY bundle, sequence";
    oozie.rows(query).join(", ")
}

/// What runs here of both coordinators.
fn all_effects() -> Vec<String> {
    let of = |name: &str| [4, 5, 6, 7].map(|hour| format!("{name} {hour:02}"));
    let ready = ["a-ready 03", "b-ready 03"].map(str::to_owned);
    of("a").into_iter().chain([ready[0].clone()]).chain(of("b")).chain([ready[1].clone()]).collect()
}

#[test]
fn the_plan_names_the_bundle_and_what_ends_it_in_oozie() {
    let oozie = bundled();
    let planned = oozie.run(&["imported"]);
    assert_eq!((planned.status, planned.stderr.as_str()), (Some(1), ""), "{planned:?}");
    insta::assert_snapshot!("takeover_bundle_plan", oozie.0.redact(&planned.stdout));
    assert!(!oozie.0.database_path().exists(), "a plan stores nothing");
    let document = oozie.run(&["imported", "--json"]);
    let document: Value = serde_json::from_str(&document.stdout).expect("one document");
    let bundle = &document["jobs"][0];
    assert_eq!(
        (&document["toDo"], &bundle["externalId"], &bundle["oozieCommands"]),
        (&3.into(), &BUNDLE.into(), &json!([]))
    );
    assert_eq!(bundle["lastOozieCommand"]["request"], format!("PUT v1/job/{BUNDLE}?action=kill"));
    assert_eq!(
        bundle["coordinators"][1],
        json!({ "name": "over", "externalId": id("over"), "status": "DONEWITHERROR" })
    );
    assert_eq!(document["jobs"][1]["bundleExternalId"], BUNDLE);
    // One coordinator is not taken out of its bundle.
    let of_one = oozie.run(&["imported", "b"]).stdout;
    assert_eq!(of_one, planned.stdout);
}

#[test]
fn a_bundle_continues_with_its_coordinators_and_is_found_by_its_former_id() {
    let oozie = bundled();
    let done = oozie.done(&["imported", "--unstopped", "--yes"]);
    assert!(done.contains("took over all: 0000000-") && done.contains("took over b: 0000002-"), "{done}");
    assert_eq!(members(&oozie), "b RUNNING, over -, a RUNNING");
    assert_eq!(bundle_status(&oozie), "RUNNINGWITHERROR", "a coordinator ended with an error in Oozie");
    let own = oozie.0.database().value("SELECT id FROM bundle_job");
    let info = oozie.0.howdah(["info", BUNDLE]).at(NOW).succeed().stdout;
    insta::assert_snapshot!("takeover_bundle_info", oozie.0.redact(&info));
    assert!(info.contains(&own), "{info}");
    let listed = oozie.0.howdah(["jobs", "--jobtype", "bundle", "--json", "--filter"]);
    let listed = listed.with(format!("externalid={BUNDLE}")).at(NOW).succeed();
    let listed: Value = serde_json::from_str(&listed.stdout).expect("one document");
    assert_eq!((&listed["total"], &listed["bundlejobs"][0]["externalId"]), (&1.into(), &BUNDLE.into()));
    let coordinator = oozie.0.howdah(["info", OLD]).at(NOW).succeed().stdout;
    assert!(coordinator.contains(&format!("Bundle:      {own}\n")), "{coordinator}");
    let configurations =
        oozie.rows("SELECT text FROM coordinator_definition JOIN document ON document = configuration");
    assert!(configurations.iter().all(|text| text.contains(&format!("\"oozie.bundle.id\":\"{own}\""))));
    // Every verb knows the bundle by its former id, and passes to its coordinators.
    oozie.0.howdah(["suspend", BUNDLE]).at(NOW).succeed();
    assert_eq!(
        (bundle_status(&oozie), members(&oozie)),
        ("SUSPENDEDWITHERROR".into(), "b SUSPENDED, over -, a SUSPENDED".into())
    );
    oozie.0.howdah(["resume", BUNDLE]).at(NOW).succeed();
    oozie.0.tick_through(LATE);
    assert_eq!(oozie.effects(), all_effects());
    assert_eq!(bundle_status(&oozie), "RUNNINGWITHERROR", "Oozie still runs an action of each");
    ended_later(&oozie);
    oozie.done(&["imported", "--follow", "later", "--yes"]);
    assert_eq!(
        (bundle_status(&oozie), members(&oozie)),
        ("DONEWITHERROR".into(), "b SUCCEEDED, over -, a SUCCEEDED".into())
    );
    let again = oozie.done(&["imported", "--follow", "later"]);
    assert!(
        again.contains("Everything of these bundles is here.") && again.contains(&format!("-kill {BUNDLE}\n")),
        "{again}"
    );
    oozie.0.database().check();
}

#[test]
fn a_command_for_the_bundle_reaches_its_coordinators() {
    let oozie = bundled();
    oozie.done(&["imported", "--unstopped", "--yes"]);
    oozie.0.howdah(["kill", BUNDLE]).at(NOW).succeed();
    assert_eq!((bundle_status(&oozie), members(&oozie)), ("KILLED".into(), "b KILLED, over -, a KILLED".into()));
    oozie.0.tick_through(LATE);
    assert_eq!(oozie.effects(), [""; 0]);
    assert!(oozie.done(&["imported", "--unstopped", "--yes"]).ends_with("Nothing is to be done.\n"));
    oozie.0.database().check();
}

#[test]
fn the_status_follows_from_what_oozie_has_recorded() {
    let both = |status| [("a", status), ("b", status), ("over", "SUCCEEDED")];
    for (word, members, before, after) in [
        ("RUNNING", both("RUNNING"), "RUNNING", "RUNNING"),
        ("SUSPENDED", both("SUSPENDED"), "SUSPENDED", "SUSPENDED"),
        // All that are not over are suspended, and the bundle is not.
        ("RUNNING", both("SUSPENDED"), "SUSPENDED", "SUSPENDED"),
        ("RUNNING", [("a", "SUSPENDED"), ("b", "RUNNING"), ("over", "KILLED")], "RUNNINGWITHERROR", "RUNNINGWITHERROR"),
        ("PAUSED", both("PAUSED"), "PAUSED", "PAUSED"),
        (
            "RUNNING",
            [("a", "RUNNINGWITHERROR"), ("b", "RUNNING"), ("over", "SUCCEEDED")],
            "RUNNINGWITHERROR",
            "RUNNINGWITHERROR",
        ),
    ] {
        let oozie = bundled();
        write_bundle(&oozie, "imported", word, &members);
        for (name, status) in &members[..2] {
            oozie.change("imported", name, |state| {
                state["status"] = (*status).into();
                if *status == "PAUSED" {
                    state["pauseTime"] = "2010-01-01T05:00Z".into();
                }
            });
        }
        if word == "PAUSED" {
            oozie.change("imported", "all", |state| state["pauseTime"] = "2010-01-01T05:00Z".into());
        }
        // The bundle alone.
        let died = oozie
            .0
            .howdah(["takeover", "imported", "--unstopped", "--yes"])
            .at(NOW)
            .env("HOWDAH_FAULT", "after-takeover-step");
        assert_eq!(died.run().status, None);
        assert_eq!(bundle_status(&oozie), before, "{word} {members:?}");
        oozie.done(&["imported", "--unstopped", "--yes"]);
        assert_eq!(bundle_status(&oozie), after, "{word} {members:?}");
        oozie.0.database().check();
    }
}

#[test]
fn a_takeover_of_a_bundle_that_was_killed_is_given_again() {
    for point in points() {
        for time in 1..=3 {
            let oozie = bundled();
            let command = oozie.0.howdah(["takeover", "imported", "--unstopped", "--yes"]).at(NOW);
            let died = command.env("HOWDAH_FAULT", format!("{point}:{time}")).run();
            assert_eq!(died.status, None, "{point}:{time} {died:?}");
            if !oozie.rows("SELECT id FROM bundle_job").is_empty() {
                assert_eq!(bundle_status(&oozie), "RUNNINGWITHERROR", "{point}:{time}");
            }
            // What is there already runs before the command is given again.
            oozie.0.tick_through(NOW);
            oozie.done(&["imported", "--unstopped", "--yes"]);
            assert!(oozie.done(&["imported"]).ends_with("Nothing is to be done.\n"), "{point}:{time}");
            oozie.0.tick_through(LATE);
            assert_eq!(oozie.effects(), all_effects(), "{point}:{time}");
            assert_eq!(members(&oozie), "b RUNNING, over -, a RUNNING", "{point}:{time}");
            let counts = "SELECT (SELECT count(*) FROM takeover), (SELECT count(*) FROM bundle_takeover)";
            assert_eq!(oozie.rows(counts), ["2 1"], "{point}:{time}");
            oozie.0.database().check();
        }
    }
}

#[test]
fn a_coordinator_that_is_still_in_oozie_keeps_its_place() {
    let oozie = bundled();
    oozie.change("imported", "a", |state| state["concurrency"] = 0.into());
    let ran = oozie.run(&["imported", "--unstopped", "--yes"]);
    assert!(ran.status == Some(1) && ran.stdout.contains("its concurrency is 0 already"), "{ran:?}");
    assert_eq!(members(&oozie), "b RUNNING, over -, a -");
    let explained = oozie.0.howdah(["explain", BUNDLE]).at(NOW).succeed().stdout;
    let expect = format!("oordinator [a] is still in Oozie, RUNNING as {OLD}");
    assert!(explained.contains(&expect), "{explained}");
    let suspended = oozie.0.howdah(["suspend", BUNDLE]).at(NOW).succeed().stderr;
    assert!(suspended.contains("coordinator [a] is still in Oozie, where this changes nothing"), "{suspended}");
    assert_eq!(members(&oozie), "b SUSPENDED, over -, a -");
    oozie.0.howdah(["resume", BUNDLE]).at(NOW).succeed();
    // It ends there.
    ended_later(&oozie);
    oozie.change("later", "a", |state| state["status"] = "SUCCEEDED".into());
    let followed = oozie.run(&["imported", "--follow", "later"]).stdout;
    assert!(followed.contains("  a: RUNNING -> SUCCEEDED in Oozie\n"), "{followed}");
    for point in FAULT_POINTS {
        let command = oozie.0.howdah(["takeover", "imported", "--follow", "later", "--yes"]).at(NOW);
        let died = command.env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
    }
    assert_eq!(
        oozie.rows("SELECT oozie_status FROM bundle_coordinator ORDER BY sequence"),
        ["RUNNING", "DONEWITHERROR", "SUCCEEDED"]
    );
    oozie.run(&["imported", "--follow", "later", "--yes"]);
    oozie.0.tick_through(LATE);
    assert_eq!(bundle_status(&oozie), "DONEWITHERROR");
    oozie.0.database().check();
}

#[test]
fn a_bundle_that_nothing_shows_to_be_stopped_is_refused() {
    for (oozie, job) in [(bundled(), None), (bundled(), Some("all")), (bundled(), Some("b")), (waiting(), None)] {
        for _ in 0..2 {
            let refused = oozie.0.howdah(["takeover", "imported", "--yes"]).with_all(job.as_slice()).at(NOW).run();
            assert!(refused.status == Some(1) && refused.stdout.contains("H0232"), "{refused:?}");
            let jobs = "SELECT (SELECT count(*) FROM coordinator_job), (SELECT count(*) FROM bundle_job)";
            assert_eq!(oozie.rows(jobs), ["0 0"]);
        }
    }
    // A coordinator that only waits for its last action needs no stop; it belongs to the bundle until it is over.
    for follow in [&[][..], &["--follow", "later"]] {
        let oozie = bundled();
        oozie.write("later", "b", &id("b"));
        oozie.later(|_| ());
        write_bundle(&oozie, "later", "RUNNING", &[]);
        for import in ["imported", "later"] {
            oozie.change(import, "b", |state| {
                state["nextNominalTime"] = Value::Null;
                state["openActions"].as_array_mut().expect("a list").retain(|action| action["status"] == "RUNNING");
            });
        }
        let planned = oozie.run(&["imported"]).stdout;
        assert!(planned.contains(&format!("-change {OLD}")) && !planned.contains(&format!("-change {}", id("b"))));
        let ran = oozie.0.howdah(["takeover", "imported", "--yes"]).with_all(follow).at(NOW).run();
        assert_eq!(ran.status, Some(i32::from(follow.is_empty())), "{ran:?}");
        let expect = if follow.is_empty() { "b RUNNING, over -, a -" } else { "b RUNNING, over -, a RUNNING" };
        assert_eq!(members(&oozie), expect, "{ran:?}");
    }
    // One that is suspended before its kick-off time does nothing in Oozie.
    let oozie = waiting();
    oozie.change("imported", "waiting", |state| state["status"] = "PREPSUSPENDED".into());
    oozie.done(&["imported", "--yes"]);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (change, expect) in [
        (("name", json!("other")), "its state has no coordinator [a]"),
        (("status", json!("DREAMING")), "the status of its coordinator [a] is [DREAMING]"),
    ] {
        let oozie = bundled();
        oozie.change("imported", "all", |state| state["coordinators"][0][change.0] = change.1.clone());
        let refused = oozie.run(&["imported", "--unstopped", "--yes"]);
        assert!(refused.status == Some(1) && refused.stdout.contains(expect), "{refused:?}");
        assert_eq!(
            refused.stdout.matches("H0254").count(),
            2,
            "its coordinators are not taken over alone: {refused:?}"
        );
        assert_eq!(oozie.rows("SELECT count(*) FROM coordinator_job"), ["0"]);
    }
    // A coordinator that came alone, from an import without its bundle.
    let oozie = bundled();
    oozie.write("single", "a", OLD);
    oozie.done(&["single", "--unstopped", "--yes"]);
    let refused = oozie.run(&["imported"]);
    assert!(refused.stdout.contains(&format!("its coordinator [{OLD}] was taken over without it")), "{refused:?}");
    // A bundle that is over here takes no coordinator.
    let oozie = bundled();
    let died = oozie
        .0
        .howdah(["takeover", "imported", "--unstopped", "--yes"])
        .at(NOW)
        .env("HOWDAH_FAULT", "after-takeover-step:2");
    assert_eq!(died.run().status, None);
    oozie.0.howdah(["kill", BUNDLE]).at(NOW).succeed();
    let refused = oozie.run(&["imported", "--unstopped", "--yes"]);
    assert!(refused.status == Some(1) && refused.stdout.contains("is KILLED"), "{refused:?}");
    oozie.0.database().check();
}

#[test]
fn a_bundle_goes_back_to_oozie_as_a_whole() {
    for point in points() {
        let oozie = bundled();
        oozie.done(&["imported", "--unstopped", "--yes"]);
        let at = "2010-01-01T06:10Z";
        oozie.0.tick_through(at);
        let of_one = oozie.0.howdah(["takeover", "--back", OLD, "--yes"]).at(at).run();
        assert!(of_one.status == Some(1) && of_one.stderr.contains("H0255"), "{of_one:?}");
        let back = |options: &[&str]| oozie.0.howdah(["takeover", "--back", BUNDLE]).with_all(options).at(at);
        let planned = back(&[]).run();
        assert!(planned.status == Some(1) && planned.stdout.contains("would stop here"), "{planned:?}");
        assert_eq!(oozie.rows("SELECT back_at FROM bundle_takeover"), ["-"]);
        let died = back(&["--yes"]).env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
        let said = back(&["--yes"]).succeed().stdout;
        if *point == FAULT_POINTS[1] {
            insta::assert_snapshot!("takeover_bundle_back", oozie.0.redact(&said));
        }
        assert_eq!(said.matches("-value 'endtime=2010-01-01T08:00Z;concurrency=2'").count(), 2, "{point} {said}");
        oozie.0.tick_through(LATE);
        let own: Vec<String> = all_effects().into_iter().filter(|effect| !effect.ends_with("07")).collect();
        assert_eq!(oozie.effects(), own, "{point}: the actions of 07:00 belong to Oozie");
        assert_eq!((bundle_status(&oozie), members(&oozie)), ("SUCCEEDED".into(), "b SUCCEEDED, a SUCCEEDED".into()));
        // Its former state would run them again.
        let refused = oozie.run(&["imported", "--unstopped", "--yes"]);
        assert!(refused.status == Some(1) && refused.stdout.contains("H0235"), "{refused:?}");
        assert!(refused.stdout.contains("none of its coordinators can be taken over"), "{refused:?}");
        assert_eq!(oozie.rows("SELECT count(*) FROM bundle_takeover"), ["1"]);
        // What Oozie has then can be taken over.
        for name in ["a", "b"] {
            oozie.change("imported", name, |state| {
                state["lastActionNumber"] = 7.into();
                state["nextNominalTime"] = "2010-01-01T07:00Z".into();
                state["openActions"] = json!([]);
                state["endedActions"] = json!({"SUCCEEDED": "1-3", "KILLED": "4-7"});
            });
        }
        oozie.done(&["imported", "--unstopped", "--yes"]);
        oozie.0.tick_through(LATE);
        assert_eq!((bundle_status(&oozie), oozie.effects()), ("SUCCEEDED DONEWITHERROR".into(), all_effects()));
        oozie.0.database().check();
    }
}

/// A bundle that waits for its kick-off time at 06:00; nothing of it was submitted in Oozie.
fn waiting() -> Oozie {
    let oozie = bundled();
    for name in ["a", "b", "over"] {
        let definition = oozie.definition(name).replace("T00:00Z", "T06:00Z");
        oozie.0.write(&format!("coords/{name}/coordinator.xml"), &definition);
    }
    for import in ["imported", "later"] {
        write_bundle(&oozie, "imported", "PREP", &[]);
        let file = "imported/all/bundle.xml";
        let controls = "0.2\"><controls><kick-off-time>2010-01-01T06:00Z</kick-off-time></controls>";
        let definition = oozie.0.read(file).replace("0.2\">", controls);
        let properties = oozie.0.read("imported/all/job.properties");
        oozie.change("imported", "all", |state| state["coordinators"] = json!([]));
        let state = oozie.0.read("imported/all/state.json");
        for (name, text) in [("bundle.xml", definition), ("job.properties", properties), ("state.json", state)] {
            oozie.0.write(&format!("{import}/waiting/{name}"), &text);
        }
    }
    std::fs::remove_dir_all(oozie.0.path("imported/all")).expect("a folder");
    for name in ["a", "b"] {
        std::fs::remove_dir_all(oozie.0.path("imported").join(name)).expect("a folder");
    }
    oozie
}

#[test]
fn a_bundle_that_waits_is_suspended_in_oozie_and_kicked_off_here() {
    let oozie = waiting();
    let planned = oozie.run(&["imported"]).stdout;
    assert!(planned.contains("  here: PREP, it submits its coordinators at 2010-01-01T06:00Z\n"), "{planned}");
    assert!(planned.contains(&format!("  oozie job -suspend {BUNDLE}\n")), "{planned}");
    let follow = ["imported", "--follow", "later", "--yes"];
    for (status, expect) in [("PREP", "it is not suspended"), ("RUNNING", "it has submitted its coordinators")] {
        oozie.change("later", "waiting", |state| state["status"] = status.into());
        let refused = oozie.run(&follow);
        assert!(refused.status == Some(1) && refused.stdout.contains(expect), "{refused:?}");
    }
    oozie.change("later", "waiting", |state| state["status"] = "PREPSUSPENDED".into());
    oozie.done(&follow);
    assert_eq!((bundle_status(&oozie), members(&oozie)), ("PREP".into(), "b -, over -, a -".into()));
    oozie.0.tick_through("2010-01-01T07:30Z");
    assert_eq!(
        (bundle_status(&oozie), members(&oozie)),
        ("RUNNING".into(), "b RUNNING, over RUNNING, a RUNNING".into())
    );
    let refused = oozie.0.howdah(["takeover", "--back", BUNDLE, "--yes"]).at("2010-01-01T07:30Z").run();
    assert!(refused.status == Some(1) && refused.stderr.contains("H0255"), "{refused:?}");
    oozie.0.database().check();
}

#[test]
fn a_bundle_that_waits_goes_back_before_its_kick_off_time() {
    let oozie = waiting();
    oozie.done(&["imported", "--unstopped", "--yes"]);
    for _ in 0..2 {
        let back = oozie.0.howdah(["takeover", "--back", BUNDLE, "--yes"]).at(NOW).succeed().stdout;
        assert!(back.contains(&format!("  oozie job -resume {BUNDLE}\n")), "{back}");
    }
    oozie.0.tick_through(LATE);
    assert_eq!((bundle_status(&oozie), oozie.effects().len()), ("KILLED".into(), 0));
    oozie.done(&["imported", "--unstopped", "--yes"]);
    oozie.0.tick_through("2010-01-01T06:30Z");
    assert_eq!(bundle_status(&oozie), "KILLED RUNNING");
    oozie.0.database().check();
}

#[test]
fn apply_changes_a_bundle_that_was_taken_over() {
    let oozie = bundled();
    for name in ["a", "b", "over"] {
        oozie.0.write(&format!("coords/{name}/coordinator.xml"), &oozie.definition(name));
    }
    oozie.0.write("bundle/bundle.xml", &oozie.0.read("imported/all/bundle.xml"));
    oozie.0.write("bundle/job.properties", &oozie.0.read("imported/all/job.properties"));
    let apply =
        |options: &[&str]| oozie.0.howdah(["apply"]).with(oozie.0.path("bundle")).with_all(options).at(NOW).run();
    // Before all of it is here.
    let died = oozie
        .0
        .howdah(["takeover", "imported", "--unstopped", "--yes"])
        .at(NOW)
        .env("HOWDAH_FAULT", "after-takeover-step:2");
    assert_eq!(died.run().status, None);
    let refused = apply(&["--yes"]);
    assert!(refused.status == Some(1) && refused.stderr.contains("is still in Oozie"), "{refused:?}");
    oozie.done(&["imported", "--unstopped", "--yes"]);
    let changed = oozie.definition("a").replace("<concurrency>2<", "<concurrency>3<");
    oozie.0.write("coords/a/coordinator.xml", &changed);
    let done = apply(&["--yes"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(apply(&["--yes"]).stdout.ends_with("Nothing is to be done.\n"));
    assert_eq!(members(&oozie), "b RUNNING, over -, a RUNNING", "what is over in Oozie is not submitted again");
    let row = "SELECT name, concurrency FROM coordinator_job ORDER BY name";
    assert_eq!(oozie.rows(row), ["a 3", "b 2"]);
    oozie.0.database().check();
}

/// A real server is the Oozie: its bundle runs two coordinators that wait for data in both places, and each nominal
/// time of each runs in one of them.
#[cfg(feature = "serve")]
#[test]
fn a_bundle_of_a_running_oozie_continues_here() {
    let first = if tier::is_full() { 0 } else { FAULT_POINTS.len() };
    for point in FAULT_POINTS.into_iter().chain([STOPPED]).skip(first) {
        let (there, here) = (Sandbox::new(), Sandbox::new());
        workflow(&there, "app", "one", &[shell("one", &effect("${name} ${nominal}"), "end")]);
        let data = "<datasets><dataset name=\"in\" frequency=\"${coord:hours(1)}\" initial-instance=\"2009-01-01T00:00Z\" \
             timezone=\"UTC\"><uri-template>${sandbox}/in/${HOUR}</uri-template><done-flag/></dataset></datasets>\
             <input-events><data-in name=\"in\" dataset=\"in\"><instance>${coord:current(0)}</instance></data-in>\
             </input-events>";
        let properties = &[("name", "${name}")];
        let end = "2010-01-01T06:00Z";
        Coordinator { end, data: data.to_owned(), properties, ..Coordinator::default() }.write(&there);
        let member = |name: &str| {
            let value = format!("<property><name>name</name><value>{name}</value></property>");
            let path = there.text("app");
            format!(
                "<coordinator name='{name}'><app-path>{path}</app-path><configuration>{value}</configuration>\
                 </coordinator>"
            )
        };
        let members = ["one", "two"].map(member).concat();
        let bundle = format!("<bundle-app name='both' xmlns='uri:oozie:bundle:0.2'>{members}</bundle-app>");
        there.write("bundle/bundle.xml", &bundle);
        let submit = there.howdah(["submit"]).define("oozie.bundle.application.path", &there.text("bundle"));
        let id = submit.define("sandbox", &there.text("")).at("2010-01-01T00:00Z").succeed().job();
        there.tick("2010-01-01T02:10Z");
        let at = "2010-01-01T02:20Z";
        let server = Server::of(&there, there.howdah(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).at(at));
        let url = server.url();
        here.howdah(["import", "oozie", &url, "--to", "imported"]).at(at).succeed();
        // Since the import the first action of each has started there.
        there.write("in/00", "");
        there.tick("2010-01-01T02:15Z");
        let open = "SELECT count(*) FROM coordinator_action WHERE status NOT IN ('WAITING', 'SUCCEEDED')";
        wait_for("the actions to end", || (there.database().value(open) == "0").then_some(()));
        let command = || here.howdah(["takeover", "imported", "--yes", "--oozie", &url]).at(at);
        let died = command().env("HOWDAH_FAULT", point).run();
        assert_eq!(died.status, None, "{point} {died:?}");
        let done = command().run();
        assert_eq!((done.status, done.stderr.as_str()), (Some(0), ""), "{point} {done:?}");
        let rows = "SELECT name, status FROM coordinator_job ORDER BY name";
        assert_eq!(here.database().rows(rows), ["one RUNNING", "two RUNNING"], "{point}");
        assert_eq!(here.howdah(["info", &id]).at(at).succeed().stdout.matches("RUNNING").count(), 3, "{point}");
        let followed = here.howdah(["takeover", "imported", "--follow", &url]).at(at).run();
        assert_eq!((followed.status, followed.stderr.as_str()), (Some(0), ""), "{point} {followed:?}");
        assert!(followed.stdout.contains("Everything of these bundles is here."), "{point} {followed:?}");
        // As the plan says: the bundle is killed there at last.
        let killed = there.howdah(["kill", &id]).at(at).succeed();
        assert!(killed.stdout.contains("KILLED"), "{point} {killed:?}");
        let followed = here.howdah(["takeover", "imported", "--follow", &url]).at(at).run();
        assert!(!followed.stdout.contains("-kill"), "it is killed: {point} {followed:?}");
        drop(server);
        for hour in 1..6 {
            there.write(&format!("in/{hour:02}"), "");
        }
        for sandbox in [&there, &here] {
            sandbox.tick_through("2010-01-01T07:00Z");
        }
        let hours = ["one", "two"].map(|name| (0..6).map(move |hour| format!("{name} 2010-01-01T{hour:02}:00Z")));
        let hours: Vec<String> = hours.into_iter().flatten().collect();
        assert_eq!(there.sorted_lines("effects"), hours, "{point}: each nominal time, and each once");
        assert_eq!(here.database().rows("SELECT status FROM bundle_job"), ["SUCCEEDED"], "{point}");
        here.database().check();
    }
}
