//! How many commands run at once on the machine, and which comes next.

use howdah_sandbox::application::{Coordinator, action, effect, shell, shell_body, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, kill, wait_for};

/// A fork of nodes named `b0`, `b1`, ... with these commands.
fn fork(sandbox: &Sandbox, folder: &str, commands: &[String]) {
    let names: Vec<String> = (0..commands.len()).map(|number| format!("b{number}")).collect();
    let mut nodes = vec!["<fork name=\"split\">".to_owned()];
    nodes.extend(names.iter().map(|name| format!("<path start=\"{name}\"/>")));
    nodes.push("</fork>".to_owned());
    nodes.extend(names.iter().zip(commands).map(|(name, command)| shell(name, command, "meet")));
    nodes.push("<join name=\"meet\" to=\"end\"/>".to_owned());
    workflow(sandbox, folder, "split", &nodes);
}

fn submit(sandbox: &Sandbox, folder: &str) -> String {
    let site = sandbox.path("site.properties").display().to_string();
    let submit = sandbox.howdah(["submit", "--site", &site]).define("sandbox", &sandbox.text(""));
    submit.define("oozie.wf.application.path", &sandbox.text(folder)).succeed().job()
}

/// A command that does its work when the file `gate` exists.
fn after_gate(command: &str) -> String {
    format!("while [ ! -e ${{sandbox}}/gate ]; do sleep 0.02; done; {command}")
}

/// Waits until so many commands wait for a place.
fn await_waiting(sandbox: &Sandbox, number: usize) {
    let waiting = "SELECT count(*) FROM workflow_node WHERE kind = 'shell' AND status = 'PREP'";
    wait_for("the waiting commands", || (sandbox.database().value(waiting) == number.to_string()).then_some(()));
}

#[test]
fn no_more_commands_run_at_once_than_may() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=3\n");
    let command = |number: usize| {
        let of = |word: &str| effect(&format!("{word} {number:02}"));
        format!("{}; sleep 0.05; {}", of("start"), of("end"))
    };
    fork(&sandbox, "app", &(0..20).map(command).collect::<Vec<_>>());
    let job = submit(&sandbox, "app");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    let (mut running, mut most, mut started) = (0, 0, Vec::new());
    for line in sandbox.read("effects").lines() {
        match line.split_once(' ').expect("two words") {
            ("start", number) => {
                running += 1;
                started.push(number.to_owned());
            }
            _ => running -= 1,
        }
        most = most.max(running);
    }
    assert_eq!((most, started.len()), (3, 20), "{started:?}");
    // At most three start side by side, so none is far from its turn.
    for (turn, number) in started.iter().enumerate() {
        assert!(number.parse::<usize>().expect("a number").abs_diff(turn) < 3, "{started:?}");
    }
    sandbox.database().check();
}

#[test]
fn a_node_without_a_place_waits_and_says_how_many_come_first() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=2\n");
    let commands: Vec<String> = (0..5).map(|number| until_gate(&format!("pid{number}"))).collect();
    fork(&sandbox, "app", &commands);
    let job = submit(&sandbox, "app");
    sandbox.await_file("pid0");
    sandbox.await_file("pid1");
    let site = sandbox.path("site.properties").display().to_string();
    let status = sandbox.howdah(["status", "--site", &site]).succeed().stdout;
    assert!(status.contains("Places:        2 of 2 taken on this machine (howdah.commands), 3 wait\n"), "{status}");
    let explain = |node: &str| {
        let node = format!("{job}@{node}");
        sandbox.howdah(["explain", &node, "--json", "--site", &site]).succeed().stdout
    };
    for (node, before) in [("b2", 0), ("b3", 1), ("b4", 2)] {
        let text = explain(node);
        let says = format!("waits for one of 2 places on this machine (howdah.commands); {before} before it");
        assert!(text.contains(&says) && text.contains("\"heldBy\": \"places\""), "{node}: {text}");
    }
    assert!(explain("b0").contains("\"heldBy\": \"work\""));
    // What waits can be suspended, resumed and killed like anything that has not begun.
    sandbox.howdah(["suspend", &job]).succeed();
    sandbox.howdah(["resume", &job, "--site", &site]).succeed();
    assert!(explain("b4").contains("2 before it"));
    sandbox.howdah(["kill", &job]).succeed();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().rows("SELECT node FROM attempt ORDER BY node"), ["b0", "b1"]);
    assert_eq!(sandbox.database().rows("SELECT DISTINCT status FROM workflow_node WHERE kind = 'shell'"), ["KILLED"]);
}

#[test]
fn a_job_with_many_nodes_does_not_keep_another_from_its_turn() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=2\n");
    let many: Vec<String> = (0..8).map(|number| after_gate(&effect(&format!("many {number}")))).collect();
    fork(&sandbox, "many", &many);
    workflow(&sandbox, "single", "one", &[shell("one", &effect("single"), "end")]);
    let (many, single) = (submit(&sandbox, "many"), submit(&sandbox, "single"));
    await_waiting(&sandbox, 7);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!([many, single].map(|job| sandbox.database().job(&job)), ["SUCCEEDED", "SUCCEEDED"]);
    let effects = sandbox.read("effects");
    let turn = effects.lines().position(|line| line == "single").expect("it ran");
    assert!(turn < 6, "{effects}");
}

#[test]
fn a_job_that_cannot_be_advanced_keeps_no_place() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=1\n");
    fork(&sandbox, "app", &[until_gate("pid"), effect("second")]);
    let job = submit(&sandbox, "app");
    sandbox.await_file("pid");
    // The folder of the node that waits cannot be created.
    let obstacle = sandbox.write(&format!("howdah.runs/{job}/b1"), "");
    workflow(&sandbox, "single", "one", &[shell("one", &effect("single"), "end")]);
    let single = submit(&sandbox, "single");
    sandbox.write("gate", "");
    wait_for("the other job", || (sandbox.database().job(&single) == "SUCCEEDED").then_some(()));
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("RUNNING", "single\n"));
    std::fs::remove_file(obstacle).expect("a file of the sandbox");
    sandbox.await_quiet();
    assert_eq!(
        (sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()),
        ("SUCCEEDED", "single\nsecond\n")
    );
    sandbox.database().check();
}

#[test]
fn the_earliest_nominal_time_of_a_coordinator_comes_first() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=1\n");
    let controls = "<concurrency>6</concurrency><execution>LIFO</execution>";
    Coordinator { end: "2010-01-01T06:00Z", controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &format!("{}; sleep 0.02", effect("${nominal}")), "end")]);
    sandbox.submit("2010-01-01T00:00Z", &[]);
    let site = sandbox.path("site.properties").display().to_string();
    let tick = || sandbox.howdah(["tick", "--site", &site]).at("2010-01-01T06:00Z").run();
    tick();
    wait_for("the commands", || (sandbox.sorted_lines("effects").len() == 6).then_some(()));
    sandbox.await_quiet();
    let effects = sandbox.read("effects");
    let lines: Vec<&str> = effects.lines().collect();
    // The first place is taken before the others wait.
    assert!(lines[1..].is_sorted(), "{effects}");
}

/// A shell action in a pool.
fn in_pool(name: &str, line: &str, to: &str, pool: &str) -> String {
    let body = shell_body(line, "");
    let configuration =
        format!("<configuration><property><name>howdah.pool</name><value>{pool}</value></property></configuration>");
    action(name, &body.replace("<exec>", &format!("{configuration}<exec>")), to, "")
}

/// How many of the numbered commands ran at once, by what they wrote into `effects`.
fn most_at_once(sandbox: &Sandbox, word: &str) -> usize {
    let (mut running, mut most) = (0, 0);
    for line in sandbox.read("effects").lines() {
        match line.split_once(' ').unwrap_or_default() {
            (of, "start") if of == word => running += 1,
            (of, "end") if of == word => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    most
}

fn start_and_end(word: &str) -> String {
    format!("{}; sleep 0.1; {}", effect(&format!("{word} start")), effect(&format!("{word} end")))
}

#[test]
fn a_pool_holds_only_those_who_need_it() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=4\nhowdah.pool.db=1\n");
    let names = ["d0", "d1", "d2", "p0", "p1", "p2"];
    let mut nodes = vec!["<fork name=\"split\">".to_owned()];
    nodes.extend(names.map(|name| format!("<path start=\"{name}\"/>")));
    nodes.push("</fork>".to_owned());
    nodes.push(in_pool("d0", &until_gate("pid"), "meet", "db"));
    nodes.extend(["d1", "d2"].map(|name| in_pool(name, &start_and_end("db"), "meet", "${pool}")));
    nodes.extend(["p0", "p1", "p2"].map(|name| shell(name, &effect(name), "meet")));
    nodes.push("<join name=\"meet\" to=\"end\"/>".to_owned());
    workflow(&sandbox, "app", "split", &nodes);
    workflow(&sandbox, "single", "one", &[shell("one", &effect("single"), "end")]);
    let site = sandbox.path("site.properties").display().to_string();
    let pooled = sandbox.howdah(["submit", "--site", &site]).define("sandbox", &sandbox.text("")).define("pool", "db");
    let job = pooled.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    sandbox.await_file("pid");
    let single = submit(&sandbox, "single");
    // The full pool keeps nothing else: neither the other nodes of its job nor another job.
    wait_for("the others", || (sandbox.sorted_lines("effects") == ["p0", "p1", "p2", "single"]).then_some(()));
    wait_for("the other job", || (sandbox.database().job(&single) == "SUCCEEDED").then_some(()));
    let explain = |node: &str| {
        let node = format!("{job}@{node}");
        sandbox.howdah(["explain", &node, "--json", "--site", &site]).succeed().stdout
    };
    for (node, before) in [("d1", 0), ("d2", 1)] {
        let says = format!("it waits for the only place of pool db; {before} before it");
        wait_for(&says, || explain(node).contains(&says).then_some(()));
        assert!(explain(node).contains("\"heldBy\": \"places\""), "{}", explain(node));
    }
    // What waits is the same for another runner.
    let runner = sandbox.process("howdah runner").expect("it runs");
    kill(runner);
    sandbox.await_end_of_runner();
    sandbox.howdah(["tick", "--site", &site]).succeed();
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!((most_at_once(&sandbox, "db"), sandbox.sorted_lines("effects").len()), (1, 8));
    sandbox.database().check();
}

#[test]
fn a_pool_is_shared_by_jobs_and_a_job_may_name_it_for_all_its_actions() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=8\nhowdah.pool.db=2\nhowdah.commands.fs=1\n");
    fork(&sandbox, "many", &vec![after_gate(&start_and_end("many")); 6]);
    fork(&sandbox, "few", &vec![after_gate(&start_and_end("few")); 2]);
    let site = sandbox.path("site.properties").display().to_string();
    let jobs = ["many", "few"].map(|folder| {
        let submit = sandbox.howdah(["submit", "--site", &site]).define("sandbox", &sandbox.text(""));
        let submit = submit.define("howdah.pool", "db").define("oozie.wf.application.path", &sandbox.text(folder));
        submit.succeed().job()
    });
    await_waiting(&sandbox, 6);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(jobs.map(|job| sandbox.database().job(&job)), ["SUCCEEDED", "SUCCEEDED"]);
    let effects = sandbox.read("effects");
    let (mut running, mut most) = (0, 0);
    for line in effects.lines() {
        running += if line.ends_with("start") { 1 } else { -1 };
        most = most.max(running);
    }
    let turn = effects.lines().position(|line| line == "few start").expect("it ran");
    assert!(most == 2 && turn < 6, "{effects}");
}

#[test]
fn a_type_may_have_fewer_places_than_the_machine() {
    let sandbox = Sandbox::new();
    sandbox.write("site.properties", "howdah.commands=8\nhowdah.commands.shell=2\n");
    fork(&sandbox, "app", &vec![start_and_end("shell"); 6]);
    let job = submit(&sandbox, "app");
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), most_at_once(&sandbox, "shell")), ("SUCCEEDED", 2));
}

#[test]
fn a_pool_that_the_site_does_not_have_is_refused_before_and_waits_later() {
    let sandbox = Sandbox::new();
    let site = sandbox.write("site.properties", "howdah.pool.db=1\n").display().to_string();
    workflow(&sandbox, "app", "one", &[in_pool("one", &effect("one"), "end", "dbx")]);
    workflow(&sandbox, "late", "one", &[in_pool("one", &effect("late"), "end", "${wf:conf('later')}")]);
    let submit = |folder: &str| {
        let submit = sandbox.howdah(["submit", "--site", &site]).define("sandbox", &sandbox.text(""));
        submit.define("oozie.wf.application.path", &sandbox.text(folder))
    };
    let refused = submit("app").run();
    assert_eq!(refused.status, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("H0125") && refused.stderr.contains("There is no pool [dbx]"), "{refused:?}");
    assert!(refused.stderr.contains("did you mean db?"), "{refused:?}");
    let refused = submit("late").define("howdah.pool", "web").run();
    assert!(refused.status == Some(1) && refused.stderr.contains("There is no pool [web]"), "{refused:?}");
    let file = sandbox.text("app/workflow.xml");
    let checked = sandbox.howdah(["validate", &file, "--site", &site]).run();
    assert!(checked.status == Some(1) && checked.stderr.contains("H0125"), "{checked:?}");
    // Without a site nothing is known of its pools.
    sandbox.howdah(["validate", &file]).succeed();
    // A name that is known only when the node starts: the node waits for an operator and is not lost.
    let job = submit("late").define("later", "web").succeed().job();
    wait_for("the suspension", || (sandbox.database().job(&job) == "SUSPENDED").then_some(()));
    assert_eq!(sandbox.database().rows("SELECT status FROM workflow_node WHERE name = 'one'"), ["START_MANUAL"]);
    let info = sandbox.howdah(["info", &format!("{job}@one")]).succeed().stdout;
    assert!(info.contains("There is no pool [web]") && info.contains("howdah.pool.web=N"), "{info}");
    sandbox.await_quiet();
    sandbox.write("site.properties", "howdah.pool.db=1\nhowdah.pool.web=1\n");
    sandbox.howdah(["resume", &job, "--site", &site]).succeed();
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "late\n"));
}
