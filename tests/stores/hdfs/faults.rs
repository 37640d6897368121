//! A store that fails in the middle of ticks, `fs` actions, listings and the deletion of a rerun: no status moves on an
//! answer that is none, nothing is deleted twice or outside, and all is done when the store works again.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Hdfs, Way, allow, store_name};
use howdah_sandbox::application::{Coordinator, action, effect, shell, workflow};
use howdah_sandbox::sandbox::{PATIENCE, Sandbox, wait_for};
use howdah_sandbox::store_application::{Application, HOURS, LONG, NOW, SEED, SHORT, enough_faults};
use howdah_sandbox::store_proxy::{Fault, StoreProxy};

#[test]
fn many_faults_move_no_status_and_delete_nothing_twice() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    let application = Application::write(&*hdfs, &store);
    let faults = [&Fault::all(SHORT)[..], &[Fault::Waits(LONG)]].concat();
    let job = application.submit(&store);
    proxy.break_some(SEED, 250, faults);
    let enough = enough_faults();
    let reruns = application.finish_and_rerun_while(&job, || proxy.faults() < enough);
    println!("{} faults in {} requests, {reruns} reruns", proxy.faults(), proxy.requests().len());
    application.check();
    // What the store has really deleted: each output once for each rerun, each scratch folder once.
    let mut deleted: BTreeMap<String, usize> = BTreeMap::new();
    for request in proxy.received("DELETE") {
        let is_done = request.answer.is_some_and(|answer| answer.text().contains("true"));
        *deleted.entry(request.path).or_default() += usize::from(is_done);
    }
    let path = |folder: &str, hour: &str| format!("/webhdfs/v1/faults/{folder}/{hour}");
    let expect = HOURS.iter().flat_map(|hour| [(path("out", hour), reruns), (path("scratch", hour), 1)]);
    assert_eq!(deleted, expect.collect());
}

#[test]
fn a_store_that_pauses_is_used_again_when_it_answers() {
    for way in Way::ALL {
        let Some(hdfs) = Hdfs::start() else { return };
        check_pause(&hdfs, &way.store(&hdfs));
    }
}

fn check_pause(hdfs: &Hdfs, store: &str) {
    let application = Application::write(hdfs, store);
    let job = application.submit(store);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            hdfs.pause();
            std::thread::sleep(Duration::from_secs(8));
            hdfs.resume();
        });
        application.finish(&job);
    });
    application.check();
    hdfs.pause();
    let before = application.sandbox.database().actions();
    let ran = application.run(&["rerun", &job, "--action", "1-6", "--yes"]);
    assert!(ran.status != Some(0) && application.sandbox.database().actions() == before, "{ran:?}");
    hdfs.resume();
    application.rerun(&job);
    application.finish(&job);
    application.check();
}

/// An action that is waiting for the store, and a rerun, while no name node listens.
#[test]
fn a_store_that_is_stopped_is_used_again_when_it_listens() {
    for way in Way::ALL {
        let Some(hdfs) = Hdfs::start() else { return };
        let store = way.store(&hdfs);
        check_stop(hdfs, &store);
    }
}

fn check_stop(mut hdfs: Hdfs, store: &str) {
    hdfs.write("/stopped/kept/file", "kept");
    let sandbox = Sandbox::new();
    allow(&sandbox, store);
    let body =
        format!("<fs><name-node>{store}</name-node><delete path='/stopped/gone'/><mkdir path='/stopped/made'/></fs>");
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    hdfs.write("/stopped/gone/file", "gone");
    hdfs.stop();
    let job = sandbox.submit(NOW, &[]);
    let status = || sandbox.database().rows("SELECT status FROM workflow_node WHERE name = 'work'").concat();
    wait_for("the action's start", || (status() == "RUNNING").then_some(()));
    std::thread::sleep(Duration::from_secs(3));
    sandbox.howdah(["tick"]).at(NOW).run();
    assert_eq!(status(), "RUNNING");
    hdfs.start_again();
    wait_for("the job's end", || {
        sandbox.tick_through(NOW);
        (sandbox.database().job(&job) != "RUNNING").then_some(())
    });
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(hdfs.tree("/stopped").into_keys().collect::<Vec<_>>(), ["kept", "kept/file", "made"]);
}

/// The store does what it is asked for, and its answer is lost: the command is done, and not done again.
#[test]
fn a_command_whose_answer_is_lost_is_done_once() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    for (number, (command, op, expect)) in [
        ("<mkdir path='/lost/N/made'/>", "MKDIRS", &["from", "made"][..]),
        ("<touchz path='/lost/N/made'/>", "CREATE", &["from", "made"]),
        ("<delete path='/lost/N/from'/>", "DELETE", &[]),
        ("<chmod path='/lost/N/from' permissions='700'/>", "SETPERMISSION", &["from"]),
        ("<move source='/lost/N/from' target='/lost/N/to'/>", "RENAME", &["to"]),
    ]
    .into_iter()
    .enumerate()
    {
        let sandbox = Sandbox::new();
        allow(&sandbox, &store);
        hdfs.write(&format!("/lost/{number}/from"), "content");
        let body = format!("<fs><name-node>{store}</name-node>{}</fs>", command.replace("/N/", &format!("/{number}/")));
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        let mut is_lost = false;
        proxy.plan(move |_, request| {
            // A file is created by two requests: the second one, to the data node, is lost.
            let is_last = request.op == op && (op != "CREATE" || request.query.contains("namenoderpcaddress"));
            (is_last && !std::mem::replace(&mut is_lost, true)).then_some(Fault::LosesAnswer)
        });
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        let node = sandbox.database().rows("SELECT status, error_message FROM workflow_node WHERE name = 'work'");
        assert_eq!((sandbox.database().job(&job).as_str(), node), ("SUCCEEDED", vec!["OK -".to_owned()]), "{command}");
        assert_eq!(hdfs.tree(&format!("/lost/{number}")).into_keys().collect::<Vec<_>>(), expect, "{command}");
    }
    assert_eq!(proxy.faults(), 5, "each answer was lost once");
}

/// A job that needs nothing of a store does not wait for one that gives no answer.
#[test]
fn the_other_jobs_of_a_tick_start_before_the_store_answers() {
    // The shared server has the application of another test.
    let Some(hdfs) = Hdfs::start() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let store = store_name(proxy.port);
    let application = Application::write(&hdfs, &store);
    let sandbox = &application.sandbox;
    application.submit(&store);
    proxy.plan(|_, _| Some(Fault::Waits(PATIENCE)));
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    sandbox.submit(NOW, &[]);
    let tick = sandbox.howdah(["tick"]).at(NOW).start();
    sandbox.await_file("effects");
    let is_waiting = sandbox.database().rows("SELECT server FROM store_failure").is_empty();
    assert!(is_waiting, "the tick has given up the store before the other job started");
    tick.finish();
    proxy.heal();
}
