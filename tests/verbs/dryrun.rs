//! `dryrun` and `validate`: both read and neither stores.

use serde_json::{Value, json};

use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, user_name};

const COORDINATOR: &str = include_str!("../../fixtures/valid/coordinator.xml");
const WORKFLOW: &str = include_str!("../../fixtures/valid/workflow.xml");

/// A sandbox with a coordinator, its workflow and the input of its first day.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("app/coordinator.xml", COORDINATOR);
    sandbox.write("workflow/workflow.xml", WORKFLOW);
    sandbox.write("logs/2026/03/01/_SUCCESS", "");
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let root = sandbox.text("");
    let ran = sandbox.howdah(arguments.iter().copied()).define("sandbox", &root).run();
    assert!(!sandbox.database_path().exists(), "{arguments:?} made a database");
    ran
}

fn dryrun(sandbox: &Sandbox, property: &str, arguments: &[&str]) -> Ran {
    let application =
        format!("{property}={}", sandbox.text(if property.contains("coord") { "app" } else { "workflow" }));
    let arguments: Vec<&str> = ["dryrun", "-D", &application].into_iter().chain(arguments.iter().copied()).collect();
    run(sandbox, &arguments)
}

const COORD: &str = "oozie.coord.application.path";
const WF: &str = "oozie.wf.application.path";

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_dry_run_shows_every_action() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, COORD, &["--actions", "1-2"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("dryrun_text", sandbox.redact(&ran.stdout));
}

/// `numbers`: of the actions that are shown.
fn check_selection(sandbox: &Sandbox, arguments: &[&str], numbers: &[u32]) {
    let ran = dryrun(sandbox, COORD, &[arguments, &["--json"]].concat());
    let actions = document(&ran.stdout)["actions"].as_array().cloned().expect("a list");
    let shown: Vec<_> = actions.iter().filter_map(|action| action["actionNumber"].as_u64()).collect();
    assert_eq!(shown, numbers.iter().copied().map(u64::from).collect::<Vec<_>>(), "{arguments:?}");
}

#[test]
fn actions_are_selected_by_number_and_by_nominal_time() {
    let sandbox = sandbox();
    let (throttle, all): (Vec<u32>, Vec<u32>) = ((1..13).collect(), (1..32).collect());
    check_selection(&sandbox, &[], &throttle);
    check_selection(&sandbox, &["--actions", "all"], &all);
    check_selection(&sandbox, &["--actions", "2"], &[2]);
    check_selection(&sandbox, &["--actions", "30-40, 1,3-4"], &[1, 3, 4, 30, 31]);
    check_selection(&sandbox, &["--from", "2026-03-30T00:00Z"], &[30, 31]);
    check_selection(&sandbox, &["--to", "2026-03-02T00:00Z"], &[1, 2]);
    check_selection(&sandbox, &["--from", "2026-03-02T00:01Z", "--to", "2026-03-05T00:00Z"], &[3, 4, 5]);
    check_selection(&sandbox, &["--from", "2026-03-02T00:00Z", "--actions", "1-3"], &[2, 3]);
    check_selection(&sandbox, &["--from", "2026-03-30", "--to", "2026-03-30"], &[30]);
    let ran = dryrun(&sandbox, COORD, &["--from", "2026-04-01T00:00Z"]);
    let none =
        "\nno action is selected: those of the job are due from 2026-03-01T00:00Z on and before 2026-04-01T00:00Z\n";
    assert!(ran.status == Some(0) && ran.stdout.ends_with(none), "{ran:?}");
}

#[test]
fn a_wrong_selection_is_a_wrong_command_line() {
    let sandbox = sandbox();
    for (arguments, expect) in [
        (&["--actions", "some"][..], "[some] is not an action number; write numbers and ranges"),
        (&["--actions", "0-3"], "actions count from 1; write numbers and ranges"),
        (&["--actions", "4-3"], "the range [4-3] ends before it starts"),
        (&["--from", "2026-03-32"], "--from [2026-03-32]: Could not parse"),
        (&["--to", "2026-03-01T00:00+0100"], "the same instant is 2026-02-28T23:00Z"),
        (
            &["--from", "2026-03-02T00:00Z", "--to", "2026-03-01T00:00Z"],
            "--from 2026-03-02T00:00Z is later than --to 2026-03-01T00:00Z",
        ),
        (&["--check-data", "maybe"], "invalid value 'maybe'"),
    ] {
        let ran = dryrun(&sandbox, COORD, arguments);
        assert!(ran.status == Some(2) && ran.stderr.contains(expect), "{arguments:?}: {ran:?}");
    }
}

/// A coordinator whose data, workflow and output are on a store that this machine does not have; it uses the data of
/// the last two days.
fn far_coordinator() -> String {
    let range = "<start-instance>${coord:current(-2)}</start-instance><end-instance>${coord:current(0)}</end-instance>";
    let latest = "</data-in><data-in name=\"last\" dataset=\"logs\"><instance>${coord:latest(0)}</instance></data-in>";
    COORDINATOR
        .replace("${sandbox}", "hdfs://far:8020")
        .replace("2026-01-01T00:00Z", "2026-02-28T00:00Z")
        .replace("<instance>${coord:current(0)}</instance>", range)
        .replacen("</data-in>", latest, 1)
}

#[test]
fn a_machine_without_the_data_shows_what_the_definitions_say() {
    let sandbox = sandbox();
    sandbox.write("app/coordinator.xml", &far_coordinator());
    let ran = dryrun(&sandbox, COORD, &["--actions", "1-2", "--check-data=no"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("dryrun_without_the_data", sandbox.redact(&ran.stdout));

    let ran = dryrun(&sandbox, COORD, &["--actions", "1", "--check-data=no", "--json"]);
    let answer = document(&ran.stdout);
    let (action, input) = (&answer["actions"][0], &answer["actions"][0]["inputs"][0]);
    assert_eq!((&action["ready"], &answer["problems"]), (&Value::Null, &json!([])));
    assert_eq!((&input["leftOut"], &input["beforeInitialInstance"]), (&json!(["2026-02-27T00:00Z"]), &json!(1)));
    let states: Vec<&Value> = input["instances"].as_array().expect("a list").iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["unchecked", "unchecked"]);

    let ran = dryrun(&sandbox, COORD, &["--actions", "1", "--json"]);
    let answer = document(&ran.stdout);
    let codes: Vec<&str> =
        answer["problems"].as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!((&answer["actions"][0]["ready"], codes), (&json!(false), vec!["W0102", "W0102"]));
}

#[test]
fn included_datasets_are_needed_without_the_data_too() {
    let sandbox = sandbox();
    let include = "<datasets><include>hdfs://far:8020/datasets.xml</include>";
    sandbox.write("app/coordinator.xml", &COORDINATOR.replace("<datasets>", include));
    let ran = dryrun(&sandbox, COORD, &["--check-data=no"]);
    assert_eq!(ran.status, Some(1));
    insta::assert_snapshot!("dryrun_without_an_include", sandbox.redact(&ran.stderr));
}

#[test]
fn an_action_that_cannot_be_created_is_the_last_one() {
    let sandbox = sandbox();
    let pattern =
        "${coord:formatTime(coord:nominalTime(), coord:formatTime(coord:nominalTime(), 'dd') == 'DAY' ? 'b' : 'y')}";
    for (day, shown) in [("03", "2 shown, the next one cannot"), ("01", "the first of the selected actions cannot")] {
        let value = pattern.replace("DAY", day);
        sandbox.write("app/coordinator.xml", &COORDINATOR.replace("${coord:dataIn('input')}", &value));
        let ran = dryrun(&sandbox, COORD, &[]);
        assert!(ran.status == Some(1) && ran.stdout.ends_with(&format!("\n{shown} be created\n")), "{ran:?}");
        assert!(ran.stderr.contains("E1004") && ran.stderr.contains(&format!("2026-03-{day}T00:00Z")), "{ran:?}");
    }
}

#[test]
fn a_dry_run_as_json_has_the_promised_fields() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, COORD, &["--actions", "1-2", "--json"]);
    let answer = document(&sandbox.redact(&ran.stdout));
    let instance = |day: &str, state: &str| {
        let path = format!("[sandbox]/logs/2026/03/{day}");
        json!({ "nominalTime": format!("2026-03-{day}T00:00Z"), "uri": path, "path": path, "state": state })
    };
    let job = json!({
        "oozie.coord.application.path": "[sandbox]/app", "sandbox": "[sandbox]",
        "user.name": user_name(), "mapreduce.job.user.name": user_name(),
    });
    assert_eq!(answer["coordJob"]["conf"], job);
    let action = |number: u32, day: &str, state: &str, milliseconds: &str| {
        let mut configuration = job.clone();
        configuration["input"] = json!(format!("[sandbox]/logs/2026/03/{day}"));
        configuration["oozie.coord.action.nominal_time"] = json!(milliseconds);
        configuration["oozie.wf.application.path"] = json!("[sandbox]/workflow");
        json!({
            "actionNumber": number, "nominalTime": format!("2026-03-{day}T00:00Z"), "ready": state == "present",
            "inputs": [{
                "name": "input", "dataset": "logs", "initialInstance": "2026-01-01T00:00Z",
                "beforeInitialInstance": 0, "leftOut": [], "instances": [instance(day, state)],
            }],
            "outputs": [], "appPath": "[sandbox]/workflow",
            "configuration": configuration,
        })
    };
    let actions = [action(1, "01", "present", "1772323200000"), action(2, "02", "missing", "1772409600000")];
    assert_eq!(answer["actions"], json!(actions));
    assert_eq!(answer["problems"], json!([]));
    assert_eq!(answer["coordJob"]["frequency"], "1");
    let names: Vec<&String> = answer["coordJob"].as_object().expect("an object").keys().collect();
    let expect = "coordJobName coordJobPath user frequency timeUnit timeZone startTime endTime pauseTime concurrency \
                  executionPolicy matThrottling timeOut conf";
    assert_eq!(names, expect.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_workflow_is_shown_or_refused() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, WF, &[]);
    assert!(ran.status == Some(0) && !ran.stderr.contains("error["), "{ran:?}");
    insta::assert_snapshot!("dryrun_workflow", sandbox.redact(&ran.stdout));
    let nodes = &document(&dryrun(&sandbox, WF, &["--json"]).stdout)["workflow"]["nodes"];
    assert_eq!(
        nodes[0],
        json!({ "name": ":start:", "type": ":START:", "transitions": [{ "on": "to", "to": "count" }] })
    );
    sandbox.write("workflow/workflow.xml", &WORKFLOW.replace("<exec>wc", "<exec>${nope}"));
    let ran = dryrun(&sandbox, WF, &["--json"]);
    assert_eq!(ran.status, Some(1));
    let answer = document(&ran.stdout);
    let problems = answer["problems"].as_array().expect("problems");
    assert!(problems.iter().any(|problem| problem["code"] == "E1004" && problem["line"] == 4), "{answer}");
}

#[test]
fn a_refused_job_has_no_actions() {
    let sandbox = sandbox();
    sandbox.write("app/coordinator.xml", &COORDINATOR.replace("coord:current", "coord:curent"));
    let ran = dryrun(&sandbox, COORD, &["--json"]);
    let answer = document(&ran.stdout);
    assert_eq!((ran.status, answer["problems"].as_array().map(Vec::len)), (Some(1), Some(1)), "{answer}");
}

#[test]
fn validate_reports_each_file() {
    let sandbox = sandbox();
    sandbox.write("bad/coordinator.xml", &COORDINATOR.replace("coord:current", "coord:curent"));
    sandbox.write("bad/pom.xml", "<project/>");
    let ran = run_plain(&sandbox, &["validate", "app/coordinator.xml", "workflow", "bad"]);
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stdout, "app/coordinator.xml: ok (coordinator 0.4)\n3 files checked, 1 invalid: 1 error\n");
    assert!(ran.stderr.contains(" --> bad/coordinator.xml:10:19\n"), "{}", ran.stderr);

    let ran = run_plain(&sandbox, &["validate", "--json", "workflow", "bad"]);
    let answer = document(&ran.stdout);
    let problem = json!({
        "severity": "error", "code": "E1004",
        "message": "Expression language evaluation error, function [coord:curent] not found",
        "line": 10, "column": 19, "help": "did you mean [coord:current]?",
    });
    let files = json!([
        { "path": "workflow/workflow.xml", "kind": "workflow", "valid": true, "schema": "valid", "problems": [] },
        {
            "path": "bad/coordinator.xml", "kind": "coordinator", "valid": false, "schema": "valid",
            "problems": [problem],
        },
    ]);
    assert_eq!((ran.status, answer), (Some(1), json!({ "files": files })));
}

#[test]
fn validate_ends_with_the_status_of_what_it_found() {
    let sandbox = sandbox();
    for (arguments, status) in [
        (&["validate", "app"][..], 0),
        (&["validate", "--quiet", "app"], 0),
        (&["validate", "nowhere"], 1),
        // Standard input is empty here.
        (&["validate", "-"], 1),
        (&["validate"], 2),
    ] {
        let ran = run_plain(&sandbox, arguments);
        assert_eq!(ran.status, Some(status), "{arguments:?}: {}", ran.stderr);
    }
}

fn run_plain(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).run()
}

/// A workflow with one node of each kind that shows something.
const PLANNED: &str = r#"<workflow-app name="daily-${day}" xmlns="uri:oozie:workflow:0.5">
  <global><job-xml>common.xml</job-xml><configuration>
    <property><name>queue</name><value>${queue}</value></property>
  </configuration></global>
  <start to="clean"/>
  <action name="clean">
    <fs><delete path="${out}/${day}"/><chmod path="${out}" permissions="755"><recursive/></chmod></fs>
    <ok to="look"/><error to="fail"/>
  </action>
  <decision name="look"><switch>
    <case to="count">${fs:exists(concat(out, '/logs'))}</case>
    <default to="end"/>
  </switch></decision>
  <action name="count">
    <shell xmlns="uri:oozie:shell-action:0.3"><exec>sh</exec><argument>-c</argument>
      <argument>wc -l ${out}/x; echo ${wf:id()}</argument><argument>it's</argument>
      <env-var>A=${day}</env-var><capture-output/></shell>
    <ok to="far"/><error to="fail"/>
  </action>
  <decision name="far"><switch>
    <case to="child">${wf:actionData('count')['n'] gt 5}</case>
    <default to="end"/>
  </switch></decision>
  <action name="child">
    <sub-workflow><app-path>/apps/${day}</app-path><propagate-configuration/><configuration>
      <property><name>day</name><value>${day}</value></property>
    </configuration></sub-workflow>
    <ok to="end"/><error to="fail"/>
  </action>
  <kill name="fail"><message>failed: ${wf:errorMessage(wf:lastErrorNode())}</message></kill>
  <end name="end"/>
</workflow-app>
"#;

#[test]
fn a_workflow_s_dry_run_shows_what_each_node_is_made_of() {
    let sandbox = Sandbox::new();
    sandbox.write("app/workflow.xml", PLANNED);
    let job_xml = |value: &str| {
        let property = format!("<property><name>a</name><value>{value}</value></property>");
        sandbox.write("app/common.xml", &format!("<configuration>{property}</configuration>"));
    };
    job_xml("${day}");
    sandbox.write("out/logs/part-0", "");
    let dryrun = |more: &[&str]| {
        let howdah = sandbox.howdah(["dryrun"]).define("oozie.wf.application.path", &sandbox.text("app"));
        let howdah = howdah.define("day", "2026-03-01").define("out", &sandbox.text("out"));
        more.iter().fold(howdah, Howdah::with).run()
    };
    let ran = dryrun(&["-D", "queue=low"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    insta::assert_snapshot!("dryrun_plan_of_a_workflow", sandbox.redact(&ran.stdout));
    let json: Value = serde_json::from_str(&dryrun(&["-D", "queue=low", "--json"]).stdout).expect("JSON");
    let look = json["workflow"]["nodes"].as_array().expect("a list").iter().find(|node| node["name"] == "look");
    assert_eq!(look.expect("it is there")["chosen"], "count");
    // Files that may not exist here are not checked.
    let ran = dryrun(&["-D", "queue=low", "--check-data", "no"]);
    assert!(ran.stdout.contains("now it would go to end"), "{ran:?}");

    let ran = dryrun(&["-D", "quue=low"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    insta::assert_snapshot!("dryrun_of_a_workflow_without_a_value", sandbox.redact(&ran.stderr));
    job_xml("${nobody}");
    let ran = dryrun(&["-D", "queue=low"]);
    assert!(
        ran.stderr.contains("variable [nobody] cannot be resolved") && ran.stderr.contains("common.xml:1:"),
        "{ran:?}"
    );
    std::fs::remove_file(sandbox.path("app/common.xml")).expect("it was there");
    let ran = dryrun(&["-D", "queue=low"]);
    assert!(ran.stderr.contains("error[E0803]") && ran.stderr.contains("workflow.xml:2:"), "{ran:?}");
}
