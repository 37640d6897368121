//! The log of a coordinator job: the output of its actions, one after the other in time; and what `info` says of one
//! action.

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};

const NOW: &str = "2010-01-01T03:00Z";

/// Submits a coordinator of three actions that run this command one after the other.
fn submit(sandbox: &Sandbox, command: &str) -> String {
    Coordinator { end: "2010-01-01T03:00Z", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", command, "end")]);
    sandbox.submit(NOW, &[])
}

fn shown(sandbox: &Sandbox, arguments: &[&str]) -> String {
    sandbox.howdah(arguments.iter().copied()).at(NOW).succeed().stdout
}

/// The numbers of the actions whose output a log has, in its order.
fn actions(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.strip_prefix("output of ")).collect()
}

#[test]
fn the_log_of_a_coordinator_is_the_output_of_its_actions() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox, "echo output of ${nominal}; [ ${nominal} != 2010-01-01T01:00Z ]");
    sandbox.tick_through(NOW);
    let log = shown(&sandbox, &["log", &job]);
    let times = ["00", "01", "02"].map(|hour| format!("2010-01-01T{hour}:00Z"));
    assert_eq!(actions(&log), times);
    for number in 1..=3 {
        let heading = format!("==> {job}@{number}: ");
        let line = log.lines().find(|line| line.starts_with(&heading)).expect("a heading");
        let times = line.split_once("-W@one (shell), attempt 1, stdout, ").expect("a node").1;
        let (start, end) = times.strip_suffix(" <==").and_then(|times| times.split_once(" to ")).expect("two times");
        assert!(start.len() == 20 && start <= end, "{line}");
    }
    assert!(log.contains("(kill): ") && !log.contains(" -> "), "{log}");
    // The message of a kill node follows the output of its action.
    let lines: Vec<&str> = log.lines().collect();
    let killed = lines.iter().position(|line| line.contains("(kill): ")).expect("action 2 was killed");
    assert!(lines[killed].starts_with(&format!("<== {job}@2: ")), "{log}");
    assert!(lines[killed - 1].contains("exit status 1"), "{log}");
    assert!(lines[killed + 1].starts_with(&format!("==> {job}@3: ")), "{log}");
    for (arguments, expect) in [
        (&["--action", "2-3"][..], &times[1..]),
        (&["--action", "1,3"], &[times[0].clone(), times[2].clone()]),
        (&["--date", "2010-01-01T01:00Z"], &times[1..2]),
        (&["--stderr"], &[]),
        (&["--logfilter", "text=T02"], &times[2..]),
    ] {
        assert_eq!(actions(&shown(&sandbox, &[&["log", &job], arguments].concat())), expect, "{arguments:?}");
    }
    let audit = shown(&sandbox, &["log", &job, "--audit"]);
    assert!(audit.contains("READY -> SUBMITTED") && actions(&audit).is_empty(), "{audit}");
    let json: Value = serde_json::from_str(&shown(&sandbox, &["log", &job, "--json"])).expect("JSON");
    let ids: Vec<&str> =
        json["attempts"].as_array().unwrap().iter().map(|of| of["actionId"].as_str().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3].map(|number| format!("{job}@{number}")));
    assert_eq!(json["attempts"][0]["startTime"].as_str().map(str::len), Some("2010-01-01T03:00:00Z".len()));
}

#[test]
fn a_followed_coordinator_shows_what_later_actions_write() {
    let sandbox = Sandbox::new();
    let wait = until_gate("waits");
    let job = submit(
        &sandbox,
        &format!("echo output of ${{nominal}}; if [ ${{nominal}} = 2010-01-01T01:00Z ]; then {wait}; fi"),
    );
    sandbox.tick(NOW);
    sandbox.await_file("waits");
    // The first action has ended, the second one runs, the third one is started later.
    assert_eq!(actions(&shown(&sandbox, &["log", "-f", &job, "--action", "1"])), ["2010-01-01T00:00Z"]);
    let followed = sandbox.howdah(["log", "-f", &job]).at(NOW).start();
    let io = format!("/proc/{}/io", followed.pid());
    let has_written = |io: &String| io.lines().any(|line| line.starts_with("wchar: ") && line != "wchar: 0");
    wait_for("the first output", || std::fs::read_to_string(&io).ok().filter(has_written));
    sandbox.write("gate", "");
    let log = followed.finish();
    assert_eq!(log.status, Some(0), "{log:?}");
    assert_eq!(actions(&log.stdout), ["00", "01", "02"].map(|hour| format!("2010-01-01T{hour}:00Z")));
    assert_eq!(log.stdout.matches("exit status 0").count(), 3, "{log:?}");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn the_log_of_a_coordinator_without_a_command_names_its_history() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox, "true");
    let ran = sandbox.howdah(["log", &job]).at(NOW).succeed();
    assert!(ran.stdout.is_empty() && ran.stderr.contains(&format!("howdah log --audit {job}")), "{ran:?}");
}

#[test]
fn an_action_shows_its_data_its_configuration_and_its_times() {
    let sandbox = Sandbox::new();
    let dataset = |name: &str| {
        format!(
            "<dataset name=\"{name}\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\"
               timezone=\"UTC\"><uri-template>file://{}/{name}/${{HOUR}}</uri-template><done-flag/></dataset>",
            sandbox.text("")
        )
    };
    let data = format!(
        "<datasets>{}{}</datasets>
         <input-events><data-in name=\"in\" dataset=\"read\"><instance>${{coord:current(0)}}</instance></data-in>
         </input-events>
         <output-events><data-out name=\"out\" dataset=\"written\"><instance>${{coord:current(0)}}</instance></data-out>
         </output-events>",
        dataset("read"),
        dataset("written")
    );
    Coordinator { end: "2010-01-01T02:00Z", data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "mkdir -p ${sandbox}/written/00; exit 3", "end")]);
    sandbox.write("read/00/part", "");
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    let (ended, waiting) = (format!("{job}@1"), format!("{job}@2"));
    let text = shown(&sandbox, &["info", &ended]) + "\n" + &shown(&sandbox, &["info", &waiting]);
    insta::assert_snapshot!("info_of_actions", sandbox.redact(&text));
    let json: Value = serde_json::from_str(&shown(&sandbox, &["info", &ended, "--json"])).expect("JSON");
    let state = |field: &str| json[field][0]["instances"][0]["state"].clone();
    assert_eq!([state("inputs"), state("outputs")], ["present", "present"]);
    assert_eq!(json["startTime"], "2010-01-01T03:00:00Z");
    assert!(json["durationSeconds"].is_i64() && json["configuration"]["nominal"] == "2010-01-01T00:00Z", "{json}");
    assert!(json["error"].as_str().is_some_and(|error| error.starts_with("node one: ")), "{json}");
    let json: Value = serde_json::from_str(&shown(&sandbox, &["info", &waiting, "--json"])).expect("JSON");
    assert_eq!(
        (&json["inputs"][0]["instances"][0]["state"], &json["configuration"]),
        (&"missing".into(), &Value::Null)
    );
    let workflow: Value =
        serde_json::from_str(&shown(&sandbox, &["info", "--json", workflow_of(&sandbox, &ended).as_str()]))
            .expect("JSON");
    let node = &workflow["actions"][1];
    assert!(node["startTime"] == "2010-01-01T03:00:00Z" && node["durationSeconds"].is_i64(), "{node}");
}

fn workflow_of(sandbox: &Sandbox, action: &str) -> String {
    let json: Value = serde_json::from_str(&shown(sandbox, &["info", action, "--json"])).expect("JSON");
    json["externalId"].as_str().expect("a workflow job").to_owned()
}

/// Runs a command that may be refused.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).at(NOW).run()
}

#[test]
fn the_logs_of_several_jobs_are_printed_together() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "echo says ${word}", "end")]);
    let jobs = ["x", "y"].map(|word| sandbox.submit(NOW, &[("word", word)]));
    sandbox.await_quiet();
    for follow in [&[][..], &["-f"]] {
        let text = run(&sandbox, &[&["log", &jobs[0], &jobs[1]], follow].concat()).stdout;
        let (first, second) = (text.find("says x").expect("the first"), text.find("says y").expect("the second"));
        assert!(first < second && text.contains(&jobs[0]) && text.contains(&jobs[1]), "{text}");
    }
    let limited = run(&sandbox, &["log", &jobs[0], &jobs[1], "--logfilter", "text=says y"]);
    assert!(limited.stdout.contains("says y") && !limited.stdout.contains("says x"), "{limited:?}");
    let json: Value =
        serde_json::from_str(&run(&sandbox, &["log", &jobs[0], &jobs[1], "--json"]).stdout).expect("JSON");
    let ids: Vec<&str> = json.as_array().expect("a list").iter().filter_map(|log| log["id"].as_str()).collect();
    assert_eq!(ids, jobs);
    let audit = run(&sandbox, &["log", &jobs[0], &format!("{}@one", jobs[1]), "--audit"]).stdout;
    assert!(audit.contains(&format!("{}  PREP", jobs[0])) && audit.contains(&format!("{}@one", jobs[1])), "{audit}");
    for follow in [&[][..], &["-f"]] {
        let limited = ["log", &jobs[0], &jobs[1], "--audit", "--logfilter", "limit=3"];
        let audit = run(&sandbox, &[&limited[..], follow].concat()).stdout;
        assert_eq!(audit.lines().count(), 3, "in all: {audit}");
    }
    let refused = run(&sandbox, &["log", &jobs[0], &jobs[1], "--action", "1"]);
    assert!(refused.status == Some(2) && refused.stderr.contains("one job"), "{refused:?}");
}
