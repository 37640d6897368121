//! Actions that have ended run again; what is deleted before, and what never is.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{Coordinator, effect, one_over_two_running, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";

/// The state after a rerun of two actions died.
pub(crate) struct Death {
    pub(crate) point: &'static str,
    /// The actions whose outputs were deleted.
    deleted: &'static str,
    actions: &'static str,
}

/// Every point at which a rerun may die.
pub(crate) const DEATHS: [Death; 4] = [
    Death { point: "before-cleanup", deleted: "", actions: "1 SUCCEEDED, 2 SUCCEEDED" },
    Death { point: "inside-cleanup", deleted: "1", actions: "1 SUCCEEDED, 2 SUCCEEDED" },
    Death { point: "after-cleanup", deleted: "1 2", actions: "1 SUCCEEDED, 2 SUCCEEDED" },
    Death { point: "after-rerun-commit", deleted: "1 2", actions: "1 WAITING, 2 WAITING" },
];

/// An output event over a dataset with this URI template.
fn output(name: &str, template: &str, attributes: &str) -> (String, String) {
    (
        format!(
            r#"<dataset name="{name}" frequency="${{coord:hours(1)}}" initial-instance="2009-01-01T00:00Z" timezone="UTC">
    <uri-template>{template}</uri-template></dataset>"#
        ),
        format!(
            r#"<data-out name="{name}" dataset="{name}" {attributes}><instance>${{coord:current(0)}}</instance></data-out>"#
        ),
    )
}

/// A coordinator with these outputs that has run all its hourly actions, `hours` of them; each left its nominal time in
/// `effects`.
fn job_with_outputs(sandbox: &Sandbox, hours: u32, outputs: &[(String, String)]) -> String {
    let (datasets, events): (String, String) = outputs.iter().cloned().unzip();
    let data = match outputs {
        [] => String::new(),
        _ => format!("<datasets>{datasets}</datasets><output-events>{events}</output-events>"),
    };
    let end = ["2010-01-01T00:00Z", "2010-01-01T01:00Z", "2010-01-01T02:00Z", "2010-01-01T03:00Z"][hours as usize];
    let controls = "<concurrency>9</concurrency>";
    Coordinator { end, controls, data, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    job
}

/// Reruns at the end of all nominal times.
fn rerun(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let store = format!("--mount=hdfs://nn={}", sandbox.text("store"));
    sandbox.howdah(["rerun"].into_iter().chain(arguments.iter().copied())).with(store).at("2010-01-01T03:00Z").run()
}

fn tick(sandbox: &Sandbox) {
    sandbox.tick_through("2010-01-01T03:00Z");
}

/// Returns every path below a folder with its type, links not followed; without the files that howdah itself writes.
fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with("howdah.") {
                continue;
            }
            let kind = entry.file_type().unwrap();
            let word = if kind.is_dir() {
                "folder"
            } else if kind.is_symlink() {
                "link"
            } else {
                "file"
            };
            found.push(format!("{} {word}", entry.path().display()));
            if kind.is_dir() {
                open.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn outputs_go_and_nothing_else() {
    let sandbox = Sandbox::new();
    let outputs = [
        output("folder", "hdfs://nn/folder/${HOUR}", ""),
        output("file", "${sandbox}/plain/file-${HOUR}", ""),
        output("link", "hdfs://nn/link/${HOUR}", ""),
        output("absent", "file://${sandbox}/plain/absent/${HOUR}", ""),
        output("kept", "hdfs://nn/kept/${HOUR}", "nocleanup=\"true\""),
        output("table", "hcat://meta:1/db/table/hour=${HOUR}", ""),
    ];
    let job = job_with_outputs(&sandbox, 3, &outputs);
    for hour in ["00", "01", "02"] {
        sandbox.write(&format!("store/folder/{hour}/deep/part"), "data");
        sandbox.write(&format!("store/kept/{hour}/part"), "data");
        sandbox.write(&format!("plain/file-{hour}"), "data");
        sandbox.write(&format!("elsewhere/{hour}/precious"), "data");
        std::fs::create_dir_all(sandbox.path("store/link")).unwrap();
        symlink(sandbox.path(&format!("elsewhere/{hour}")), sandbox.path(&format!("store/link/{hour}"))).unwrap();
    }
    let (before, stored) = (tree(&sandbox.path("")), sandbox.database().dump());
    let tried = rerun(&sandbox, &[&job, "--action", "2", "--dry-run"]);
    insta::assert_snapshot!("rerun_dry_run", sandbox.redact(&format!("{}{}", tried.stdout, tried.stderr)));
    let refused = rerun(&sandbox, &[&job, "--action", "2"]);
    assert!(
        refused.status == Some(1) && refused.stderr.contains("H0124") && refused.stderr.contains("--yes"),
        "{refused:?}"
    );
    assert!(refused.stdout.contains("3 outputs are to be deleted"), "the list comes first: {refused:?}");
    assert_eq!((tree(&sandbox.path("")), sandbox.database().dump()), (before.clone(), stored), "nothing was done");
    let done = rerun(&sandbox, &[&job, "--action", "2", "--yes"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let after = tree(&sandbox.path(""));
    let gone: Vec<&str> = before.iter().filter(|path| !after.contains(path)).map(String::as_str).collect();
    insta::assert_snapshot!("rerun_gone", sandbox.redact(&gone.join("\n")));
    let database = sandbox.database();
    database.check();
    assert_eq!(database.actions(), "1 SUCCEEDED, 2 WAITING, 3 SUCCEEDED");
    assert_eq!(database.job(&job), "RUNNING");
    tick(&sandbox);
    sandbox.database().check();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    let nominal = "2010-01-01T01:00Z";
    assert_eq!(sandbox.sorted_lines("effects"), [NOW, nominal, nominal, "2010-01-01T02:00Z"]);
    assert_eq!(sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY number"), ["0", "1", "0"]);
}

#[test]
fn what_must_stay_refuses_the_rerun() {
    for template in [
        "/",
        "file:///",
        "${sandbox}/home",
        "file://${sandbox}/home/.",
        "hdfs://nn",
        "hdfs://nn/",
        "${sandbox}",
        "${sandbox}/howdah.db",
        "${sandbox}/howdah.db-wal",
        "${sandbox}/howdah.db-shm",
        "${sandbox}/howdah.db.rerun.lock",
        "${sandbox}/howdah.db.runner.lock",
        "${sandbox}/howdah.db.runner.log",
        "${sandbox}/howdah.runs",
        "${sandbox}/howdah.runs/an-attempt",
        "hdfs://nn/../outside",
        "file://${sandbox}/store/../outside",
        "hdfs://nn/out/day",
        "hdfs://other/data",
        "/proc",
        "file:///etc",
    ] {
        let sandbox = Sandbox::new();
        let job = job_with_outputs(&sandbox, 1, &[output("ok", "hdfs://nn/ok", ""), output("out", template, "")]);
        sandbox.write("outside/day/precious", "data");
        sandbox.write("store/ok/part", "data");
        symlink(sandbox.path("outside"), sandbox.path("store/out")).unwrap();
        let (before, stored) = (tree(&sandbox.path("")), sandbox.database().dump());
        let ran = rerun(&sandbox, &[&job, "--action", "1", "--yes"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), ""), "{template}: {ran:?}");
        assert!(ran.stderr.contains("E0907") && ran.stderr.contains("--nocleanup"), "{template}: {ran:?}");
        let after: Vec<String> = tree(&sandbox.path(""));
        assert_eq!((after, sandbox.database().dump()), (before, stored), "{template}");
        let ran = rerun(&sandbox, &[&job, "--action", "1", "--nocleanup"]);
        assert_eq!(ran.status, Some(0), "{template}: {ran:?}");
        assert!(sandbox.path("store/ok/part").exists(), "{template}");
    }
}

#[test]
fn an_output_in_which_a_file_system_is_mounted_stays() {
    if !tier::root("it mounts a file system in a name space of its own") {
        return;
    }
    let sandbox = Sandbox::new();
    let job = job_with_outputs(&sandbox, 1, &[output("out", "${sandbox}/out", "")]);
    sandbox.write("out/below/part", "data");
    // In a mount namespace of this process.
    let unshared = |script: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, &sandbox.text("out/below")]).args(arguments);
        command.env("HOWDAH_DB", sandbox.database_path()).env("SANDBOX", sandbox.text("")).output()
    };
    let mount = "mount -t tmpfs none \"$0\"";
    let tried = unshared(mount, &[]).expect("every Linux has unshare");
    assert!(tried.status.success(), "a mount: {}", String::from_utf8_lossy(&tried.stderr));
    let script = format!("{mount} && touch \"$0/precious\" && \"$@\"; echo $? $(ls \"$0\")");
    let verb = [env!("CARGO_BIN_EXE_howdah"), "--now", "2010-01-01T03:00Z", "rerun", &job, "--action", "1", "--yes"];
    let ran = unshared(&script, &verb).expect("it went well before");
    let (said, told) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(said, "1 precious\n", "{told}");
    assert!(told.contains("E0907") && told.contains("another file system is mounted"), "{told}");
    assert!(sandbox.path("out/below/part").exists());
}

#[test]
fn a_deletion_that_fails_leaves_the_action_ended() {
    let sandbox = Sandbox::new();
    // The kernel lets no user delete this file.
    let job = job_with_outputs(&sandbox, 1, &[output("ok", "hdfs://nn/ok", ""), output("out", "/proc/uptime", "")]);
    sandbox.write("store/ok/part", "data");
    let stored = sandbox.database().dump();
    let ran = rerun(&sandbox, &[&job, "--action", "1", "--yes"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E0907") && ran.stderr.contains("/proc/uptime"), "{ran:?}");
    assert!(ran.stderr.contains("`howdah rerun --continue` tries them again"), "{ran:?}");
    assert!(!sandbox.path("store/ok").exists(), "what came before is gone, as the list said");
    assert!(sandbox.howdah(["status"]).at(NOW).run().stdout.contains("1 action"), "the plan stays");
    sandbox.howdah(["rerun", "--abandon", "--yes"]).at(NOW).succeed();
    assert_eq!(sandbox.database().dump(), stored, "nothing was reset");
}

#[test]
fn a_deletion_that_the_machine_does_not_allow_leaves_all_as_it_is_and_can_be_repeated() {
    for error in ["EIO", "ENOSPC", "EMFILE"] {
        let sandbox = Sandbox::new();
        let job = job_with_outputs(&sandbox, 1, &[output("ok", "hdfs://nn/ok", "")]);
        sandbox.write("store/ok/part", "data");
        let stored = sandbox.database().dump();
        let store = format!("--mount=hdfs://nn={}", sandbox.text("store"));
        let rerun = || sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).with(&store).at("2010-01-01T03:00Z");
        let fault = format!("delete:1-1:{error}");
        let failed = rerun().env("HOWDAH_FAIL", &fault).env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).run();
        assert!(failed.status == Some(1) && failed.stderr.contains("Cannot determine what is at"), "{failed:?}");
        assert!(sandbox.database().dump() == stored && sandbox.path("store/ok/part").exists(), "{error}");
        rerun().succeed();
        tick(&sandbox);
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{error}");
        assert!(!sandbox.path("store/ok").exists(), "{error}");
    }
}

/// A coordinator of one action that reads `in/HOUR` and the latest of `in`, and prints its values.
fn job_with_inputs(sandbox: &Sandbox, word: &str) -> String {
    inputs(sandbox, word);
    sandbox.write("in/00/_SUCCESS", "");
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    job
}

fn inputs(sandbox: &Sandbox, word: &str) {
    let data = format!(
        r#"<datasets><dataset name="in" frequency="${{coord:hours(1)}}" initial-instance="2009-12-31T20:00Z" timezone="UTC">
    <uri-template>${{sandbox}}/{word}/${{HOUR}}</uri-template></dataset></datasets>
  <input-events><data-in name="in" dataset="in"><instance>${{coord:current(0)}}</instance></data-in>
  <data-in name="late" dataset="in"><instance>${{coord:latest(0)}}</instance></data-in></input-events>"#
    );
    let properties = &[("in", "${coord:dataIn('in')}"), ("late", "${coord:dataIn('late')}")];
    Coordinator { end: "2010-01-01T01:00Z", data, properties, ..Coordinator::default() }.write(sandbox);
    let told = effect("$(basename ${in}) $(basename ${late}) ${wf:conf('extra')}");
    workflow(sandbox, "app", "one", &[shell("one", &told, "end")]);
}

#[test]
fn what_was_decided_stays_and_properties_are_laid_over() {
    let sandbox = Sandbox::new();
    let job = job_with_inputs(&sandbox, "in");
    std::fs::remove_dir_all(sandbox.path("in")).unwrap();
    sandbox.write("in/03/_SUCCESS", "");
    let file = sandbox.write("more.properties", "extra=file\nlate=/x/given\n");
    let ran = rerun(&sandbox, &[&job, "--date", NOW, "-c", file.to_str().unwrap(), "-D", "extra=more"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    tick(&sandbox);
    sandbox.database().check();
    assert_eq!(sandbox.read("effects"), "00 00 \n00 given more\n", "no input is looked for again");
    let ran = rerun(&sandbox, &[&format!("{job}@1")]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    tick(&sandbox);
    assert_eq!(sandbox.read("effects"), "00 00 \n00 given more\n00 00 \n", "properties count for one rerun");
    let ran = rerun(&sandbox, &[&job, "--action", "1", "-D", "user.name=nobody-else"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1003"), "{ran:?}");
}

#[test]
fn a_refresh_starts_with_the_present_definition() {
    let sandbox = Sandbox::new();
    let job = job_with_inputs(&sandbox, "in");
    sandbox.howdah(["suspend", &job]).run();
    // A finished job has no update, so the action is rerun first.
    assert_eq!(rerun(&sandbox, &[&job, "--action", "1"]).status, Some(0));
    inputs(&sandbox, "new");
    let ran = sandbox.howdah(["update", &job]).at(NOW).run();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    tick(&sandbox);
    assert_eq!(sandbox.read("effects"), "00 00 \n00 00 \n", "without refresh the old version counts");
    assert_eq!(rerun(&sandbox, &[&job, "--action", "1", "--refresh"]).status, Some(0));
    tick(&sandbox);
    let row = "SELECT status, definition_version, created_at, first_missing IS NOT NULL FROM coordinator_action";
    assert_eq!(sandbox.database().rows(row), ["WAITING 2 1262314800 1"], "it waits for the new input, created now");
    sandbox.write("new/00/_SUCCESS", "");
    sandbox.write("new/02/_SUCCESS", "");
    tick(&sandbox);
    sandbox.database().check();
    assert_eq!(sandbox.read("effects"), "00 00 \n00 00 \n00 02 \n", "and latest looks again");
}

#[test]
fn a_list_is_rerun_as_far_as_it_has_ended() {
    let sandbox = Sandbox::new();
    let job = one_over_two_running(&sandbox);
    sandbox.await_file("2010-01-01T01:00Z");
    let ran = rerun(&sandbox, &[&job, "--action", "1-2,7-9"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for told in ["@2 is RUNNING and stays as it is", "@7 to @9 do not exist"] {
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 RUNNING, 3 RUNNING");
    let before = sandbox.database().dump();
    for (arguments, code) in [
        (&[job.as_str(), "--action", "2-9"][..], "E1018"),
        (&[&job, "--date", "2010-01-01T00:30Z"], "E0605"),
        (&[&job, "--action", "x"], "E0302"),
        (&[&job], "H0002"),
    ] {
        let ran = rerun(&sandbox, arguments);
        assert!(ran.status != Some(0) && ran.stderr.contains(code), "{arguments:?}: {ran:?}");
    }
    assert_eq!(sandbox.database().dump(), before);
    sandbox.howdah(["kill", &job]).at("2010-01-01T03:00Z").succeed();
    let ran = rerun(&sandbox, &[&job, "--action", "1"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1018"), "a killed job: {ran:?}");
}

/// A script kills and reruns at once. What has not ended after some seconds is refused, with the reason.
#[test]
fn a_rerun_waits_for_the_commands_of_what_was_just_killed() {
    for is_workflow in [true, false] {
        let sandbox = Sandbox::new();
        Coordinator::default().write(&sandbox);
        let body = "echo $$ > ${sandbox}/pid; while [ ! -e ${sandbox}/gate ]; do sleep 0.02; done";
        let slow = format!("trap 'sleep 0.2; exit 3' TERM; {body}");
        workflow(&sandbox, "app", "one", &[shell("one", &slow, "end")]);
        let job = sandbox.submit(NOW, &[]);
        sandbox.tick(NOW);
        sandbox.await_file("pid");
        let workflow = sandbox.database().value("SELECT id FROM workflow_job");
        let (killed, again) = if is_workflow {
            (workflow.clone(), vec![workflow.as_str()])
        } else {
            (format!("{job}@1"), vec![job.as_str(), "--action", "1"])
        };
        sandbox.howdah(["kill", &killed]).at(NOW).succeed();
        sandbox.write("gate", "");
        loop {
            let begun = Instant::now();
            let ran = rerun(&sandbox, &again);
            if ran.status == Some(0) && !ran.stdout.contains("still being ended") {
                break;
            }
            assert!((ran.stderr + &ran.stdout).contains("still being ended"), "{again:?}");
            assert!(begun.elapsed() >= Duration::from_secs(5), "{again:?}");
        }
        tick(&sandbox);
        assert_eq!(sandbox.database().value("SELECT status FROM coordinator_action WHERE number = 1"), "SUCCEEDED");
    }
}

#[test]
fn commands_that_are_still_being_ended_are_waited_for() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    let stubborn = "trap '' TERM; echo $$ > ${sandbox}/pid; while [ ! -e ${sandbox}/gate ]; do sleep 0.02; done";
    workflow(&sandbox, "app", "one", &[shell("one", stubborn, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    sandbox.await_file("pid");
    let workflow = sandbox.database().value("SELECT id FROM workflow_job");
    sandbox.howdah(["kill", &format!("{job}@1")]).at(NOW).succeed();
    let ran = rerun(&sandbox, &[&workflow]);
    assert!(
        ran.status == Some(1) && ran.stderr.contains("[E0805]: Workflow job is KILLED, but its commands are still")
    );
    sandbox.write("gate", "");
    sandbox.await_quiet();
    let ran = rerun(&sandbox, &[&job, "--action", "1"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    tick(&sandbox);
    sandbox.database().check();
    tick(&sandbox);
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED, 2 SUCCEEDED");
}

#[test]
fn a_rerun_that_dies_is_continued() {
    dies_and_ends(&["rerun", "--continue", "--yes"]);
}

#[test]
fn a_rerun_that_dies_can_be_repeated() {
    dies_and_ends(&[]);
}

/// Kills a rerun at each point, and ends it with these words or, without any, with the same command.
fn dies_and_ends(words: &[&str]) {
    for Death { point: fault, deleted, actions } in DEATHS {
        let sandbox = Sandbox::new();
        let job = job_with_outputs(&sandbox, 2, &[output("out", "${sandbox}/out/${HOUR}", "")]);
        let outputs = ["out/00", "out/01"];
        for output in outputs {
            sandbox.write(&format!("{output}/part"), "old");
        }
        let arguments = ["rerun", &job, "--action", "1-2", "--yes"];
        let words = if words.is_empty() { &arguments[..] } else { words };
        sandbox.howdah(arguments).at("2010-01-01T03:00Z").die_at(fault);
        let gone: Vec<&str> = ["1", "2"]
            .iter()
            .zip(outputs)
            .filter(|(_, path)| !sandbox.path(path).exists())
            .map(|(number, _)| *number)
            .collect();
        assert_eq!((gone.join(" ").as_str(), sandbox.database().actions().as_str()), (deleted, actions), "{fault}");
        sandbox.database().check();
        let said = sandbox.howdah(["status"]).at("2010-01-01T03:00Z").run().stdout;
        let is_open = actions.contains("SUCCEEDED");
        assert_eq!(said.contains("2 actions") && said.contains("--continue"), is_open, "{fault}: {said}");
        if is_open {
            sandbox.howdah(words.iter().copied()).at("2010-01-01T03:00Z").succeed();
        }
        let said = sandbox.howdah(["status"]).at("2010-01-01T03:00Z").run().stdout;
        assert!(!said.contains("--continue"), "{fault}: {said}");
        tick(&sandbox);
        sandbox.database().check();
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{fault}");
        assert_eq!(sandbox.sorted_lines("effects").len(), 4, "{fault}: each action ran twice");
        assert!(outputs.iter().all(|path| !sandbox.path(path).exists()), "{fault}");
    }
}

#[test]
fn one_rerun_at_a_time() {
    let sandbox = Sandbox::new();
    let job = job_with_outputs(&sandbox, 1, &[]);
    let lock = std::fs::File::create(sandbox.beside_database(".rerun.lock")).unwrap();
    lock.lock().unwrap();
    let ran = rerun(&sandbox, &[&job, "--action", "1"]);
    assert!(ran.status == Some(75) && ran.stderr.contains("H0108"), "{ran:?}");
    drop(lock);
    assert_eq!(rerun(&sandbox, &[&job, "--action", "1"]).status, Some(0));
}
