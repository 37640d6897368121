//! `import oozie` from a server, and `shadow`: a real `serve` is the running Oozie.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::database::Database;
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, wait_for};
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

const DATA: &str = "<input-events><data-in name=\"i\" dataset=\"d\"><instance>${coord:current(0)}</instance></data-in>\
                    </input-events>";
const DATASETS: &str = "<datasets><dataset name=\"d\" frequency=\"${coord:hours(1)}\" \
                        initial-instance=\"2010-01-01T00:00Z\" timezone=\"UTC\">\
                        <uri-template>${sandbox}/in/${HOUR}</uri-template></dataset></datasets>";

/// An hourly coordinator with an input of an included dataset, which started at midnight; hours 00 and 01 are there.
fn oozie(controls: &'static str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.write("datasets.xml", DATASETS);
    let include = format!("<datasets><include>{}</include></datasets>{DATA}", sandbox.text("datasets.xml"));
    Coordinator { end: "2010-01-02T00:00Z", data: include, controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox.write("in/00/_SUCCESS", "");
    sandbox.write("in/01/_SUCCESS", "");
    let id = sandbox.submit("2010-01-01T00:00Z", &[]);
    tick_through(&sandbox, "2010-01-01T00:00Z");
    tick_through(&sandbox, "2010-01-01T01:00Z");
    tick_through(&sandbox, "2010-01-01T02:00Z");
    (sandbox, id)
}

/// Ticks at `now` and waits until everything that can start has ended; the server may run meanwhile.
fn tick_through(sandbox: &Sandbox, now: &str) {
    sandbox.tick(now);
    let open = "SELECT count(*) FROM coordinator_action WHERE status IN ('READY', 'SUBMITTED', 'RUNNING')";
    wait_for("the actions to end", || (sandbox.database().value(open) == "0").then_some(()));
}

fn shadow(sandbox: &Sandbox, arguments: &[&str]) -> Howdah {
    sandbox.howdah(arguments.iter().copied()).env("HOWDAH_DB", sandbox.path("shadow.db"))
}

fn import(sandbox: &Sandbox, source: &str, to: &str) -> Ran {
    sandbox.howdah(["import", "oozie", source, "--to", to]).at("2010-01-01T02:05Z").succeed()
}

/// Imports from the server and begins a shadow at 02:05.
fn begin(sandbox: &Sandbox, server: &Server, options: &[&str]) {
    import(sandbox, &server.url(), "imported");
    shadow(sandbox, &["shadow", "init", "--from", "imported"]).with_all(options).at("2010-01-01T02:05Z").succeed();
}

fn compare(sandbox: &Sandbox, against: &str, now: &str) -> Ran {
    shadow(sandbox, &["shadow", "compare", "--against", against]).at(now).run()
}

#[test]
fn the_jobs_of_a_server_become_folders() {
    let (sandbox, id) = oozie("");
    let server = Server::start(&sandbox, &[]);
    let ran = import(&sandbox, &server.url(), "imported");
    let folder = format!("imported/test-{}", &id[..7]);
    assert!(ran.stdout.contains("coordinator, RUNNING"), "{}", ran.stdout);
    assert_eq!(sandbox.read(&format!("{folder}/coordinator.xml")), sandbox.read("app/coordinator.xml"));
    assert!(sandbox.read(&format!("{folder}/datasets.xml")).contains("<uri-template>${sandbox}/in/${HOUR}<"));
    assert!(sandbox.read(&format!("{folder}/job.properties")).contains("oozie.coord.application.path="));
    let state: Value = serde_json::from_str(&sandbox.read(&format!("{folder}/state.json"))).expect("a document");
    assert_eq!(state["id"], id);
    assert_eq!((&state["lastActionNumber"], &state["nextNominalTime"]), (&3.into(), &"2010-01-01T03:00Z".into()));
    let open = &state["openActions"][0];
    assert_eq!((&open["actionNumber"], &open["status"]), (&3.into(), &"WAITING".into()), "{state}");
    assert_eq!(
        (&open["nominalTime"], &open["createdTime"]),
        (&"2010-01-01T02:00Z".into(), &"2010-01-01T02:00:00Z".into())
    );
}

#[test]
fn an_included_file_that_cannot_be_read_has_a_line_to_fix_it() {
    let (sandbox, id) = oozie("");
    let server = Server::start(&sandbox, &[]);
    std::fs::remove_file(sandbox.path("datasets.xml")).expect("a file");
    let ran = sandbox.howdah(["import", "oozie", &server.url(), "--json"]).at("2010-01-01T02:05Z").succeed();
    let document: Value = serde_json::from_str(&ran.stdout).expect("a document");
    let job = &document["jobs"][0];
    assert_eq!((&job["id"], &job["nextNominalTime"]), (&id.into(), &"2010-01-01T03:00Z".into()), "{document}");
    let missing = job["missing"].as_array().expect("a list");
    let found =
        missing.iter().find(|missing| missing["what"].as_str().is_some_and(|what| what.contains("datasets.xml")));
    assert!(found.is_some_and(|missing| missing["fix"].as_str().is_some_and(|fix| !fix.is_empty())), "{document}");
}

#[test]
fn answers_that_curl_has_fetched_give_the_same_folders() {
    let (sandbox, _) = oozie("");
    let server = Server::start(&sandbox, &[]);
    let script = sandbox.howdah(["import", "oozie", &server.url(), "--print-fetch"]).succeed().stdout;
    assert!(script.contains("--negotiate"), "{script}");
    sandbox.write("fetch.sh", &script);
    let mut fetch = Command::new("sh");
    fetch.args(["fetch.sh", "answers"]).current_dir(sandbox.path("")).env("CURL", "curl");
    let ran = fetch.output().expect("a shell");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    import(&sandbox, &server.url(), "asked");
    import(&sandbox, "answers", "fetched");
    assert_eq!(all_texts(&sandbox.path("asked")), all_texts(&sandbox.path("fetched")));
    std::fs::remove_file(sandbox.path("answers/jobs-bundle-1.json")).expect("a file");
    let ran = sandbox.howdah(["import", "oozie", "answers"]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H0244"), "{ran:?}");
}

/// Returns the files of the folders in a folder, with their texts.
fn all_texts(root: &Path) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for folder in std::fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        for file in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = file.strip_prefix(root).expect("below").display().to_string();
            texts.push((name, std::fs::read_to_string(&file).expect("a text")));
        }
    }
    texts.sort();
    assert!(texts.len() >= 4, "{texts:?}");
    texts
}

#[test]
fn a_server_that_is_not_there_or_is_none_is_named() {
    let (sandbox, _) = oozie("");
    for (source, code) in [("http://127.0.0.1:1/oozie", "H0240"), ("http://a b/", "H0240")] {
        let ran = sandbox.howdah(["import", "oozie", source]).run();
        assert!(ran.status == Some(1) && ran.stderr.contains(code), "{source}: {ran:?}");
    }
    let server = Server::start(&sandbox, &[]);
    let wrong = format!("http://127.0.0.1:{}/other", server.port);
    let ran = sandbox.howdah(["import", "oozie", &wrong]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H024"), "{ran:?}");
}

#[test]
fn a_shadow_decides_as_the_oozie_that_it_follows() {
    let (sandbox, _) = oozie("");
    let server = Server::start(&sandbox, &[]);
    begin(&sandbox, &server, &[]);
    for (now, hour) in [("2010-01-01T03:00Z", "02"), ("2010-01-01T04:00Z", "04")] {
        sandbox.write(&format!("in/{hour}/_SUCCESS"), "");
        tick_through(&sandbox, now);
        shadow(&sandbox, &["tick"]).at(now).succeed();
    }
    tick_through(&sandbox, "2010-01-01T04:30Z");
    shadow(&sandbox, &["tick"]).at("2010-01-01T04:30Z").succeed();
    let ran = compare(&sandbox, &server.url(), "2010-01-01T04:30Z");
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "3 actions of 1 coordinator: 3 equal\n"), "{ran:?}");
    // Only the Oozie has started something.
    assert_eq!(sandbox.sorted_lines("effects").len(), 4, "{}", sandbox.read("effects"));
    let events = shadow(&sandbox, &["explain", "test@3"]).at("2010-01-01T04:30Z").run();
    assert!(events.stdout.contains("SUCCEEDED"), "{events:?}");
}

#[test]
fn a_shadow_has_the_defaults_of_the_oozie_that_it_follows() {
    let (sandbox, _) = oozie("");
    let site = sandbox.write(
        "site.properties",
        "oozie.service.coord.normal.default.timeout=77\noozie.service.coord.default.throttle=3\n",
    );
    import(&sandbox, &Server::start(&sandbox, &[]).url(), "imported");
    let state: Value = serde_json::from_str(&sandbox.read("imported/test-0000000/state.json")).expect("a state");
    assert_eq!((&state["timeoutMinutes"], &state["throttle"]), (&Value::from(-1), &Value::from(12)));
    let init = shadow(&sandbox, &["shadow", "init", "--from", "imported", "--site"]).with(site);
    init.at("2010-01-01T02:05Z").succeed();
    let database = Database::open(&sandbox.path("shadow.db"));
    assert_eq!(database.value("SELECT timeout_minutes || ' ' || throttle FROM coordinator_job"), "-1 12");
}

#[test]
fn a_difference_is_shown_with_both_times_and_a_reason() {
    let (sandbox, id) = oozie("");
    let server = Server::start(&sandbox, &[]);
    begin(&sandbox, &server, &[]);
    sandbox.write("in/02/_SUCCESS", "");
    tick_through(&sandbox, "2010-01-01T02:10Z");
    std::fs::remove_file(sandbox.path("in/02/_SUCCESS")).expect("a file");
    shadow(&sandbox, &["tick"]).at("2010-01-01T02:11Z").succeed();
    let soon = compare(&sandbox, &server.url(), "2010-01-01T02:12Z");
    let summary = "1 action of 1 coordinator: 0 equal, 1 too recent to compare\n";
    assert_eq!((soon.status, soon.stdout.as_str()), (Some(0), summary), "{soon:?}");
    shadow(&sandbox, &["tick"]).at("2010-01-01T02:50Z").succeed();
    let ran = compare(&sandbox, &server.url(), "2010-01-01T02:50Z");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let path = sandbox.text("in/02/_SUCCESS");
    let expect =
        [format!("{id}@3: ready"), "SUCCEEDED since 2010-01-01T02:10Z".to_owned(), format!("waits for {path}")];
    for text in expect {
        assert!(ran.stdout.contains(&text), "{text}: {}", ran.stdout);
    }
    assert!(ran.stdout.ends_with("1 action of 1 coordinator: 0 equal, 1 different\n"), "{}", ran.stdout);
    let wide = shadow(&sandbox, &["shadow", "compare", "--tolerance", "60", "--against", &server.url()]);
    assert_eq!(wide.at("2010-01-01T02:50Z").run().status, Some(0));
    let json = shadow(&sandbox, &["shadow", "compare", "--json", "--against", &server.url()]);
    let document: Value = serde_json::from_str(&json.at("2010-01-01T02:50Z").run().stdout).expect("a document");
    let difference = &document["differences"][0];
    assert_eq!((&document["different"], &difference["field"]), (&1.into(), &"ready".into()), "{document}");
    assert_eq!(difference["howdah"]["status"], "WAITING", "{document}");
}

#[test]
fn nothing_starts_in_a_shadow_by_any_command() {
    let (sandbox, _) = oozie("");
    let server = Server::start(&sandbox, &[]);
    import(&sandbox, &server.url(), "imported");
    let properties = "imported/test-0000000/job.properties";
    let notifies = "oozie.coord.action.notification.url=http://127.0.0.1:1/$actionId\n";
    sandbox.write(properties, &(sandbox.read(properties) + notifies));
    shadow(&sandbox, &["shadow", "init", "--from", "imported"]).at("2010-01-01T02:05Z").succeed();
    sandbox.write("in/02/_SUCCESS", "");
    shadow(&sandbox, &["tick"]).at("2010-01-01T02:10Z").succeed();
    let before = sandbox.read("effects");
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let own = format!("sandbox={}", sandbox.text(""));
    let workflow = format!("oozie.wf.application.path={}", sandbox.text("app"));
    for command in [
        &["submit", "-D", &path, "-D", &own][..],
        &["submit", "-D", &workflow, "-D", &own, "-D", "nominal=x"],
        &["run", "-D", &workflow, "-D", &own, "-D", "nominal=x"],
        &["rerun", "test", "--action", "3", "--yes"],
        &["runner"],
        &["oozie", "job", "-D", &workflow, "-D", &own, "-D", "nominal=x", "-run"],
        &["shadow", "init", "--from", "imported"],
    ] {
        let howdah = shadow(&sandbox, command);
        // Oozie's command line has no clock of its own.
        let ran = if command[0] == "oozie" { howdah.run() } else { howdah.at("2010-01-01T02:20Z").run() };
        assert_ne!(ran.status, Some(0), "{command:?}: {ran:?}");
        let code = if command[0] == "shadow" { "H0246" } else { "H0245" };
        assert!(ran.stderr.contains(code), "{command:?}: {ran:?}");
    }
    assert_eq!(sandbox.read("effects"), before);
    let database = Database::open(&sandbox.path("shadow.db"));
    for table in ["workflow_job", "delivery", "incident"] {
        assert_eq!(database.value(&format!("SELECT count(*) FROM {table}")), "0", "{table}");
    }
    assert_eq!(database.value("SELECT count(*) FROM coordinator_notification"), "1");
    assert_eq!(database.actions(), "3 SUCCEEDED");
}

#[test]
fn with_follow_an_action_takes_a_place_until_oozie_has_ended_it() {
    let (sandbox, _) = oozie("<concurrency>1</concurrency>");
    let server = Server::start(&sandbox, &[]);
    begin(&sandbox, &server, &["--follow"]);
    sandbox.write("in/02/_SUCCESS", "");
    sandbox.write("in/03/_SUCCESS", "");
    let now = "2010-01-01T03:00Z";
    shadow(&sandbox, &["tick"]).at(now).succeed();
    let actions = || Database::open(&sandbox.path("shadow.db")).actions();
    assert_eq!(actions(), "3 RUNNING, 4 READY");
    tick_through(&sandbox, now);
    let against = server.url();
    let follow = ["shadow", "follow", "--against", &against];
    let ran = shadow(&sandbox, &follow).at("2010-01-01T03:01Z").succeed();
    assert_eq!(ran.stdout, "1 action changed as in Oozie.\n");
    shadow(&sandbox, &["tick"]).at("2010-01-01T03:01Z").succeed();
    assert_eq!(actions(), "3 SUCCEEDED, 4 RUNNING");
    shadow(&sandbox, &follow).at("2010-01-01T03:02Z").succeed();
    assert_eq!(actions(), "3 SUCCEEDED, 4 SUCCEEDED");
    let ran = compare(&sandbox, &against, "2010-01-01T03:30Z");
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "2 actions of 1 coordinator: 2 equal\n"), "{ran:?}");
}

#[test]
fn what_operators_do_to_a_job_in_oozie_is_done_in_its_shadow() {
    let (sandbox, id) = oozie("");
    let server = Server::start(&sandbox, &[]);
    begin(&sandbox, &server, &["--follow"]);
    let follow =
        |now: &str| shadow(&sandbox, &["shadow", "follow", "--against", &server.url()]).at(now).succeed().stdout;
    let job = "SELECT status, concurrency, strftime('%H:%M', end_at, 'unixepoch'), \
               strftime('%H:%M', pause_at, 'unixepoch') FROM coordinator_job";
    let at = "2010-01-01T02:10Z";
    assert_eq!(follow(at), "");
    let values = "concurrency=3;endtime=2010-01-01T20:00Z;pausetime=2010-01-01T19:00Z";
    for (command, expect) in [
        (&["suspend", &id][..], "SUSPENDED 1 00:00 -"),
        (&["resume", &id], "RUNNING 1 00:00 -"),
        (&["change", &id, "--value", values], "RUNNING 3 20:00 19:00"),
        (&["change", &id, "--value", "pausetime="], "RUNNING 3 20:00 -"),
        (&["kill", &id], "KILLED 3 20:00 -"),
    ] {
        sandbox.howdah(command.iter().copied()).at(at).succeed();
        let said = follow(at);
        assert!(said.ends_with("1 job changed as in Oozie.\n"), "{command:?}: {said}");
        assert_eq!(Database::open(&sandbox.path("shadow.db")).rows(job), [expect], "{command:?}");
        assert_eq!(follow(at), "", "{command:?}");
    }
    let reasons = "SELECT DISTINCT reason FROM event WHERE origin = 'shadow' AND action_number IS NULL";
    let reasons = Database::open(&sandbox.path("shadow.db")).rows(reasons).join("\n");
    for expect in ["it is SUSPENDED in Oozie", "endtime=2010-01-01T20:00Z", "it is KILLED in Oozie"] {
        assert!(reasons.contains(expect), "{expect}: {reasons}");
    }
    assert_eq!(compare(&sandbox, &server.url(), "2010-01-01T03:30Z").status, Some(0));
}

#[test]
fn only_a_new_database_becomes_a_shadow() {
    let (sandbox, _) = oozie("");
    let server = Server::start(&sandbox, &[]);
    import(&sandbox, &server.url(), "imported");
    let refuse = |arguments: &[&str], code: &str| {
        let ran = sandbox.howdah(arguments.iter().copied()).at("2010-01-01T02:05Z").run();
        assert!(ran.status == Some(1) && ran.stderr.contains(code), "{arguments:?}: {ran:?}");
    };
    refuse(&["shadow", "init", "--from", "imported"], "H0246");
    refuse(&["shadow", "compare", "--against", &server.url()], "H0246");
    refuse(&["shadow", "follow", "--against", &server.url()], "H0246");
    refuse(&["shadow", "init", "--from", "in", "--db", "new.db"], "H0247");
    sandbox.write("imported/broken/state.json", "{}");
    let ran = shadow(&sandbox, &["shadow", "init", "--from", "imported"]).at("2010-01-01T02:05Z").succeed();
    assert!(ran.stdout.contains("it was never submitted"), "{}", ran.stdout);
}

#[test]
fn the_live_jobs_of_the_published_export_become_a_shadow() {
    if !tier::full("it reads a published export of an Oozie database, which is not part of the project") {
        return;
    }
    let Some(folder) = tier::published("HOWDAH_OOZIEDB", "ooziedb") else { return };
    let (sandbox, now) = (Sandbox::new(), "2026-11-22T12:40Z");
    let export = folder.join("ooziedb.zip").display().to_string();
    sandbox.howdah(["import", "oozie", &export, "--to", "imported"]).at(now).run();
    let ran = shadow(&sandbox, &["shadow", "init", "--from", "imported", "--follow"]).at(now).succeed();
    let truth: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("truth.json")).expect("the truth")).expect("JSON");
    let jobs = truth["coordinators"].as_object().expect("jobs");
    let over = ["SUCCEEDED", "DONEWITHERROR", "KILLED"];
    let live = jobs.values().filter(|job| !over.contains(&job["status"].as_str().expect("a status")));
    let open = live.clone().flat_map(|job| job["actions"].as_object().expect("actions").values());
    let open = open.filter(|action| {
        ["WAITING", "READY", "RUNNING", "SUSPENDED"].contains(&action["status"].as_str().expect("a status"))
    });
    let (live, open) = (live.count().to_string(), open.count().to_string());
    let database = Database::open(&sandbox.path("shadow.db"));
    assert_eq!(database.value("SELECT count(*) FROM shadow_job"), live, "{ran:?}");
    assert_eq!(database.value("SELECT count(*) FROM coordinator_action"), open, "{ran:?}");
    shadow(&sandbox, &["db", "check"]).succeed();
    // Nothing was ticked: what Oozie has READY is too recent to be compared, and the rest is equal.
    let ran = compare(&sandbox, &export, now);
    assert_eq!(ran.status, Some(0), "{ran:?}");
}
