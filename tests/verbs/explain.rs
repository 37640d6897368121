//! What `explain` and `info` print about decided inputs and single nodes, on a machine where workflows really run.

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T02:00Z";

/// An hourly dataset `d` in `in/`, inputs and logic.
fn data(events: &str) -> String {
    format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\" \
         timezone=\"UTC\"><uri-template>${{sandbox}}/in/${{HOUR}}</uri-template><done-flag/></dataset></datasets>\
         {events}"
    )
}

/// A coordinator of one action at [`NOW`] whose workflow writes the value of `coord:dataIn`.
fn one_action(events: &str, properties: &'static [(&'static str, &'static str)]) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let coordinator =
        Coordinator { start: NOW, end: "2010-01-01T02:30Z", data: data(events), properties, ..Coordinator::default() };
    coordinator.write(&sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("coordinator:0.4", "coordinator:0.5");
    sandbox.write("app/coordinator.xml", &definition);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${inputs}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    (sandbox, job)
}

/// Returns the document that a command prints about the first action.
fn document(sandbox: &Sandbox, verb: &str, job: &str) -> serde_json::Value {
    let ran = sandbox.howdah([verb, "--json", &format!("{job}@1")]).at(NOW).succeed();
    serde_json::from_str(&ran.stdout).expect("a document")
}

#[test]
fn what_latest_chose_is_kept_and_shown() {
    let events = "<input-events><data-in name=\"i\" dataset=\"d\"><start-instance>${coord:latest(-1)}</start-instance>\
                  <end-instance>${coord:latest(0)}</end-instance></data-in></input-events>";
    let (sandbox, job) = one_action(events, &[("inputs", "${coord:dataIn('i')}")]);
    sandbox.write("in/00/part", "");
    sandbox.tick(NOW);
    for verb in ["info", "explain"] {
        let decision = &document(&sandbox, verb, &job)["decision"];
        assert!(decision["decidedTime"].is_null(), "{verb}: {decision}");
        let search = &decision["searches"][0];
        let tried: Vec<bool> =
            search["tried"].as_array().unwrap().iter().map(|tried| tried["present"].as_bool().unwrap()).collect();
        assert_eq!((search["complete"].as_bool(), tried), (Some(false), vec![false, false, true]), "{verb}");
    }
    sandbox.write("in/02/part", "");
    sandbox.tick_through(NOW);
    let expect = [sandbox.text("in/00"), sandbox.text("in/02")];
    assert_eq!(sandbox.read("effects"), expect.join(",") + "\n");
    // Later data does not change what was decided.
    sandbox.write("in/01/part", "");
    for verb in ["info", "explain"] {
        let decision = &document(&sandbox, verb, &job)["decision"];
        assert_eq!(decision["decidedTime"], NOW);
        let search = &decision["searches"][0];
        let found: Vec<&str> =
            search["found"].as_array().unwrap().iter().map(|found| found["uri"].as_str().unwrap()).collect();
        assert_eq!((found, search["triedInAll"].as_u64()), (expect.iter().map(String::as_str).collect(), Some(3)));
    }
    let text = sandbox.howdah(["info", &format!("{job}@1")]).at(NOW).succeed().stdout;
    assert!(text.contains("Search ${coord:latestRange(-1, 0)} of input i (dataset d): found"), "{text}");
    assert!(text.contains(&format!("  missing  2010-01-01T01:00Z  {}", sandbox.text("in/01"))), "{text}");
}

#[test]
fn what_the_input_logic_took_is_kept_and_shown() {
    let input = |name: &str, instance: i32| {
        format!("<data-in name=\"{name}\" dataset=\"d\"><instance>${{coord:current({instance})}}</instance></data-in>")
    };
    let events = format!(
        "<input-events>{}{}</input-events><input-logic><or name=\"x\"><and name=\"first\">\
         <data-in dataset=\"a\"/></and><data-in name=\"second\" dataset=\"b\"/></or></input-logic>",
        input("a", 0),
        input("b", -1)
    );
    let (sandbox, job) = one_action(&events, &[("inputs", "${coord:dataIn('x')} ${coord:dataIn('first')}")]);
    sandbox.tick(NOW);
    let waiting = document(&sandbox, "explain", &job);
    assert_eq!(
        (waiting["heldBy"].as_str(), waiting["decision"]["logic"]["state"].as_str()),
        (Some("inputs"), Some("missing"))
    );
    sandbox.write("in/01/part", "");
    sandbox.tick_through(NOW);
    // The literal call stays for a name that took nothing.
    let first = "${coord:dataIn('first')}";
    let decided = document(&sandbox, "info", &job);
    let names = &decided["decision"]["names"];
    assert_eq!((names["x"].as_str(), names["first"].as_str()), (Some(&*sandbox.text("in/01")), None));
    let configuration = sandbox.database().value("SELECT text FROM document WHERE text LIKE '{%inputs%' LIMIT 1");
    assert!(configuration.contains(&format!("{} {first}", sandbox.text("in/01"))), "{configuration}");
    let states: Vec<&str> = decided["decision"]["logic"]["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| child["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["missing", "satisfied"]);
}

#[test]
fn nodes_are_explained_one_by_one() {
    let sandbox = Sandbox::new();
    let decision =
        "<decision name=\"pick\"><switch><case to=\"one\">${1 eq 2}</case><default to=\"two\"/></switch></decision>";
    let nodes = [decision.to_owned(), shell("one", "true", "end"), shell("two", "echo broken >&2; exit 3", "end")];
    workflow(&sandbox, "app", "pick", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let explain = |node: &str| sandbox.howdah(["explain", &format!("{job}@{node}")]).at(NOW).succeed().stdout;
    // A decision runs no command, so no log is offered.
    let pick = explain("pick");
    assert!(pick.contains("The job went on to two.") && !pick.contains("howdah log"), "{pick}");
    let two = explain("two");
    assert!(two.contains("It ended as ERROR: ") && two.contains(&format!("  howdah log {job}@two")), "{two}");
    let one = explain("one");
    assert!(one.contains("@one  test  not reached yet"), "{one}");
    assert!(one.contains("The job ended as KILLED without reaching it.\nIt can be reached from pick."), "{one}");
    let unknown = sandbox.howdah(["explain", &format!("{job}@on")]).at(NOW).run();
    assert_eq!(unknown.status, Some(1));
    assert!(
        unknown.stderr.contains("E0605") && unknown.stderr.contains(&format!("did you mean {job}@one?")),
        "{unknown:?}"
    );
}

#[test]
fn a_decision_that_fails_is_explained_without_a_log() {
    let sandbox = Sandbox::new();
    let decision = "<decision name=\"pick\"><switch><case to=\"end\">${absent eq 1}</case>\
                    <default to=\"end\"/></switch></decision>";
    let nodes = [shell("one", "true", "pick"), decision.to_owned()];
    workflow(&sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let text = sandbox.howdah(["explain", &job]).at(NOW).succeed().stdout;
    assert!(text.contains(&format!("Node pick of workflow job {job} ended as ")), "{text}");
    assert!(text.contains(&format!("  howdah explain {job}@pick")), "{text}");
    assert!(!text.contains(&format!("howdah log {job}@pick")), "{text}");
}

#[test]
fn a_decision_tells_the_values_of_its_predicates() {
    let sandbox = Sandbox::new();
    let decision = "<decision name=\"d\"><switch><case to=\"end\">${n gt '9'}</case><default to=\"fail\"/></switch>\
                    </decision>";
    workflow(&sandbox, "app", "d", &[decision.to_owned()]);
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let job = sandbox.howdah(["submit", "-D", &path, "-D", "n=10"]).succeed().job();
    sandbox.tick_through(NOW);
    let why = "case 1, to end, was false: '10' gt '9'; so the default, fail, was taken";
    for (id, told) in
        [(job.clone(), format!("The decision d led to fail: {why}")), (format!("{job}@d"), why[1..].to_owned())]
    {
        let text = sandbox.howdah(["explain", &id]).succeed().stdout;
        assert!(text.contains(&told), "{text}");
    }
}

#[test]
fn the_values_of_a_decision_are_those_that_it_used() {
    let sandbox = Sandbox::new();
    let link = sandbox.text("link");
    // A link to itself: each look at it is an error.
    std::os::unix::fs::symlink(&link, &link).expect("one's own folder");
    let decision = format!(
        "<decision name=\"d\"><switch><case to=\"fail\">${{db_password eq ''}}</case><case to=\"end\">${{n eq '10' or \
         fs:dirSize('{link}') gt 5}}</case><default to=\"fail\"/></switch></decision>"
    );
    workflow(&sandbox, "app", "d", &[decision]);
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let given = ["submit", "-D", &path, "-D", "n=10", "-D", "db_password=hunter2"];
    let job = sandbox.howdah(given).succeed().job();
    sandbox.tick_through(NOW);
    let text = sandbox.howdah(["explain", &format!("{job}@d")]).succeed().stdout;
    let told = format!(
        "ase 1, to fail, was false: '*****' eq ''; case 2, to end, was true: '10' eq '10' or fs:dirSize('{link}') gt 5"
    );
    assert!(text.contains(&told), "{text}");
    let audit = sandbox.howdah(["log", "--audit", &job]).succeed().stdout;
    assert!(!audit.contains("hunter2"), "{audit}");
}

#[test]
fn a_node_that_failed_on_the_way_to_the_end_is_named() {
    let sandbox = Sandbox::new();
    let coordinator = Coordinator { start: NOW, end: "2010-01-01T02:30Z", ..Coordinator::default() };
    coordinator.write(&sandbox);
    let failing = shell("one", "exit 2", "end").replace("<error to=\"fail\"/>", "<error to=\"end\"/>");
    assert!(failing.contains("<error to=\"end\"/>"), "{failing}");
    workflow(&sandbox, "app", "one", &[failing]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    let action = document(&sandbox, "info", &job);
    assert_eq!(action["status"], "SUCCEEDED");
    let workflow_id = action["externalId"].as_str().expect("a workflow job").to_owned();
    for id in [format!("{job}@1"), workflow_id] {
        let text = sandbox.howdah(["explain", &id]).at(NOW).succeed().stdout;
        assert!(text.contains("Node one ended as ERROR") && text.contains("went on to end"), "{text}");
    }
    let text = sandbox.howdah(["explain", &job]).at(NOW).succeed().stdout;
    assert!(text.contains("Of the newest 1 action that succeeded, 1 had a node that failed"), "{text}");
}

#[test]
fn what_timed_out_and_has_its_inputs_now_is_offered_a_rerun() {
    let events = "<input-events><data-in name=\"i\" dataset=\"d\"><instance>${coord:current(0)}</instance></data-in>\
                  </input-events>";
    let sandbox = Sandbox::new();
    let data = format!("<controls><timeout>0</timeout></controls>{}", data(events));
    let coordinator = Coordinator { start: NOW, end: "2010-01-01T02:30Z", data, ..Coordinator::default() };
    coordinator.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    let offer = format!("howdah rerun {job}@1");
    let explain = || sandbox.howdah(["explain", &format!("{job}@1")]).at(NOW).succeed().stdout;
    let text = explain();
    assert!(text.contains("TIMEDOUT") && !text.contains(&offer), "{text}");
    sandbox.write("in/02/part", "");
    let text = explain();
    assert!(text.contains(&offer), "{text}");
}
